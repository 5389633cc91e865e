// The load generator in a process of its own, so that it shares an event loop with no server and no reporter.
import { type Job, LoadWorker } from './load.ts';

const worker = new LoadWorker();
process.on('message', (job: Job) => {
  worker.run(job).then(
    (load) => process.send!({ load }),
    (error: unknown) => process.send!({ error: error instanceof Error ? error.message : String(error) }),
  );
});
// Whoever gave the orders is gone.
process.on('disconnect', () => process.exit(0));
