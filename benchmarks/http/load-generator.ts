import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Load } from './lap.ts';
import type { Job } from './load.ts';

/** The process that makes the requests. One serves a whole run, so that it is equally warm for every server. */
export class LoadGenerator {
  readonly #child: ChildProcess;

  constructor() {
    const path = fileURLToPath(new URL('load-process.ts', import.meta.url));
    this.#child = fork(path, { execArgv: ['--expose-gc', '--import', 'tsx'] });
  }

  async run(job: Job): Promise<Load> {
    const ended = new AbortController();
    try {
      const answer = once(this.#child, 'message', { signal: ended.signal });
      const exit = once(this.#child, 'exit', { signal: ended.signal }).then(() => {
        throw new Error('The load generator ended in the middle of its work');
      });
      this.#child.send(job);
      const [message] = (await Promise.race([answer, exit])) as [{ load: Load } | { error: string }];
      if ('error' in message) throw new Error(message.error);
      return message.load;
    } finally {
      ended.abort();
    }
  }

  stop(): void {
    this.#child.disconnect();
  }
}
