// The load generator in a process of its own, so that it shares an event loop with no server and no reporter.
import { answerJobs } from './asked-process.ts';
import { type Job, LoadWorker } from './load.ts';

const worker = new LoadWorker();
answerJobs((job: Job) => worker.run(job));
