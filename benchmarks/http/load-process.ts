// The load generator in a process of its own, so that it shares an event loop with no server and no reporter.
import { type Job, runLoad } from './load.ts';

process.on('message', (job: Job) => {
  runLoad(job).then(
    (load) => process.send!({ load }),
    (error: unknown) => process.send!({ error: error instanceof Error ? error.message : String(error) }),
  );
});
// Whoever gave the orders is gone.
process.on('disconnect', () => process.exit(0));
