import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type Order =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'increment';
      /** Increments keys k0, k1, … in turn, each together with the counter `all`. */
      readonly times: number;
      readonly keys: number;
      readonly clients: number;
      /** Stops before the first swap until told to go on. */
      readonly pauseAtSwap: boolean;
    }
  | { readonly kind: 'go on' }
  | { readonly kind: 'close' };

export type Report =
  | { readonly kind: 'ready' | 'opened' | 'at swap' | 'incremented' | 'done' }
  | { readonly kind: 'failed'; readonly error: string };

/** Another process with a store on the same database. */
export class StoreProcess {
  readonly #child: ChildProcess;
  readonly #reports: Report[] = [];
  #wake: () => void = () => {};

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (report: Report) => {
      this.#reports.push(report);
      this.#wake();
    });
    child.on('exit', (code, signal) => {
      this.#reports.push({ kind: 'failed', error: `The process ended with ${code ?? signal}` });
      this.#wake();
    });
  }

  static async start(url: string, schema: string): Promise<StoreProcess> {
    const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
    const process = new StoreProcess(
      fork(path('child.ts'), [url, schema], { execArgv: ['--import', 'tsx'] }),
    );
    await process.heard('ready');
    return process;
  }

  order(order: Order): void {
    this.#child.send(order);
  }

  /** Waits for the next report of a kind, passing over others; a failure is thrown. */
  async heard(kind: Report['kind']): Promise<void> {
    for (;;) {
      const report = this.#reports.shift();
      if (report?.kind === 'failed') throw new Error(report.error);
      if (report?.kind === kind) return;
      if (report !== undefined) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Stops the whole process in its tracks, whatever it is doing. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  async close(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.order({ kind: 'close' });
    await gone;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
