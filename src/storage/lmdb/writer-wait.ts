import { inspect } from 'node:util';
import { isMainThread } from 'node:worker_threads';

/**
 * A write transaction of LMDB begins in a thread of its own, which then waits until this thread runs the callback. A
 * process that exits in between never runs it, while the exit waits for the thread: it would not end, and the file would
 * stay locked for everybody. It is killed instead. Nothing of the transaction has been written then, and nobody was told
 * that it had; what is lost is the exit code.
 */
export class WriterWait {
  #state: 'asked' | 'waiting' | 'over' = 'asked';

  /** To be made right after the transaction was asked for: LMDB starts the thread when this turn of the event loop ends. */
  constructor() {
    watchExit();
    setImmediate(() => {
      if (this.#state !== 'asked') return;
      this.#state = 'waiting';
      waiting++;
    });
  }

  /** The callback runs, or never will. */
  end(): void {
    if (this.#state === 'waiting') waiting--;
    this.#state = 'over';
  }
}

/** How many threads wait. */
let waiting = 0;
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
  if (waiting === 0) return;
  const listeners = process.listeners('exit');
  for (const later of listeners.slice(listeners.indexOf(killIfWaiting) + 1)) later(code);
  // Node would print it after this.
  if (thrown !== undefined && !isHandled()) process.stderr.write(`Uncaught ${inspect(thrown.error)}\n`);
  process.kill(process.pid, 'SIGKILL');
}

function isHandled(): boolean {
  return process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback();
}
