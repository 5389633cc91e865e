import { inspect } from 'node:util';
import { isMainThread } from 'node:worker_threads';

/**
 * A write transaction of LMDB begins in a thread of its own, which locks the file and then waits until this thread runs
 * the callback. Two things must not happen in between.
 *
 * This thread must not ask for the same lock and stand still until it has it, as LMDB does to open a file: it would wait
 * for ever, when one process has a directory open twice. Whoever is about to do that asks `writersAtRest` before.
 *
 * The process must not exit: the callback would never run, while the exit waits for the thread, with the file locked for
 * everybody. Such a process is killed instead. Nothing of the transaction has been written then, and nobody was told that
 * it had; what is lost is the exit code.
 */
export class WriterWait {
  readonly file: string;
  readonly ended: Promise<void>;
  #state: 'asked' | 'waiting' | 'over' = 'asked';
  #end!: () => void;

  /** To be made right after the transaction was asked for: LMDB starts the thread when this turn of the event loop ends. */
  constructor(file: string) {
    this.file = file;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    watchExit();
    setImmediate(() => {
      if (this.#state !== 'asked') return;
      this.#state = 'waiting';
      waiting.add(this);
    });
  }

  /** The callback runs, or never will. */
  end(): void {
    this.#state = 'over';
    waiting.delete(this);
    this.#end();
  }
}

/** Resolves when no thread waits for this one with the file locked. That holds until this turn of the event loop ends. */
export async function writersAtRest(file: string): Promise<void> {
  for (;;) {
    const wait = [...waiting].find((each) => each.file === file);
    if (wait === undefined) return;
    await wait.ended;
  }
}

const waiting = new Set<WriterWait>();
let isWatching = false;
/** What was thrown and caught by nobody, until the turn of the event loop in which that happened is over. */
let thrown: { readonly error: unknown } | undefined;

function watchExit(): void {
  // The end of a worker thread must not be that of the process which it belongs to.
  if (isWatching || !isMainThread) return;
  isWatching = true;
  process.on('uncaughtExceptionMonitor', (error) => {
    thrown = { error };
    setImmediate(() => (thrown = undefined)).unref();
  });
  process.on('exit', killIfWaiting);
}

function killIfWaiting(code: number): void {
  if (waiting.size === 0) return;
  const listeners = process.listeners('exit');
  for (const later of listeners.slice(listeners.indexOf(killIfWaiting) + 1)) later(code);
  // Node would print it after this.
  if (thrown !== undefined && !isHandled()) process.stderr.write(`Uncaught ${inspect(thrown.error)}\n`);
  process.kill(process.pid, 'SIGKILL');
  // The first process of a container cannot be killed by itself.
  process.abort();
}

function isHandled(): boolean {
  return process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback();
}
