import { AskedProcess } from './asked-process.ts';
import type { Load } from './lap.ts';
import type { Job } from './load.ts';

/** The process that makes the requests. One serves a whole run, so that it is equally warm for every server. */
export class LoadGenerator {
  readonly #process = new AskedProcess<Job>(
    'The load generator',
    new URL('load-process.ts', import.meta.url),
  );

  run(job: Job): Promise<Load> {
    return this.#process.ask(job);
  }

  stop(): void {
    this.#process.stop();
  }
}
