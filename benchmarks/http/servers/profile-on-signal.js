// With BENCHMARK_PROFILE=<file>, SIGUSR2 begins a profile and the next one writes it: only what was measured is in
// it, and neither the start nor the load.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

export function profileOnSignal() {
  const file = process.env.BENCHMARK_PROFILE;
  if (file === undefined) return;
  let session;
  process.on('SIGUSR2', () => {
    if (session === undefined) {
      session = new Session();
      session.connect();
      session.post('Profiler.enable');
      session.post('Profiler.setSamplingInterval', { interval: 200 });
      session.post('Profiler.start');
      return;
    }
    session.post('Profiler.stop', (error, result) => {
      if (error) throw error;
      writeFileSync(file, JSON.stringify(result.profile));
    });
  });
}
