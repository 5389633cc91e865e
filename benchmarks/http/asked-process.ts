import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

type Answer = { readonly result: unknown } | { readonly error: string };

/** A process that does one thing after another for this one, with an event loop and a heap to itself. */
export class AskedProcess<Job extends object> {
  readonly #child: ChildProcess;
  readonly #name: string;

  /** What runs there calls `answerJobs`. */
  constructor(name: string, file: URL) {
    this.#name = name;
    this.#child = fork(fileURLToPath(file), { execArgv: ['--expose-gc', '--import', 'tsx'] });
  }

  async ask<Result>(job: Job): Promise<Result> {
    const ended = new AbortController();
    try {
      const answer = once(this.#child, 'message', { signal: ended.signal });
      const exit = once(this.#child, 'exit', { signal: ended.signal }).then(() => {
        throw new Error(`${this.#name} ended in the middle of its work`);
      });
      this.#child.send(job);
      const [message] = (await Promise.race([answer, exit])) as [Answer];
      if ('error' in message) throw new Error(message.error);
      return message.result as Result;
    } finally {
      ended.abort();
    }
  }

  stop(): void {
    this.#child.disconnect();
  }
}

/** The other side: does what it is asked for until whoever asks is gone. */
export function answerJobs<Job extends object>(answer: (job: Job) => Promise<unknown>): void {
  process.on('message', (job: Job) => {
    answer(job).then(
      (result) => process.send!({ result }),
      (error: unknown) => process.send!({ error: error instanceof Error ? error.message : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
}
