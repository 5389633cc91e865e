import { inspect } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import { machine } from '../../runtime/machine/machine.ts';

/**
 * Tracks a write transaction that waits for this thread. LMDB begins a write transaction in a thread of its own,
 * which locks the file and then waits until this thread runs the callback. Two things must not happen in between.
 *
 * This thread must not block on the same lock, as LMDB does to open a file: if one process opens a directory twice,
 * it would wait for ever. Code that is about to open or close a file awaits `writersAtRest` first.
 *
 * The process must not exit: the callback would never run, the exit would wait for the thread, and the file would
 * stay locked for every process. Such a process is killed instead. Nothing of the transaction is written or
 * acknowledged by then; only the exit code is lost.
 */
export class WriterWait {
  readonly file: string;
  readonly ended: Promise<void>;
  #state: 'asked' | 'waiting' | 'over' = 'asked';
  #end!: () => void;

  /**
   * Must be created right after the transaction is requested: LMDB starts the thread when this turn of the event loop
   * ends.
   */
  constructor(file: string) {
    this.file = file;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    watchExit();
    machine.soon(() => {
      if (this.#state !== 'asked') return;
      this.#state = 'waiting';
      waiting.add(this);
    });
  }

  /** Called when the callback runs, or never will. */
  end(): void {
    this.#state = 'over';
    waiting.delete(this);
    this.#end();
  }
}

/**
 * Resolves when no thread holds the lock of the file and waits for this thread. That holds until this turn of the
 * event loop ends.
 */
export async function writersAtRest(file: string): Promise<void> {
  for (;;) {
    const wait = [...waiting].find((each) => each.file === file);
    if (wait === undefined) return;
    await wait.ended;
  }
}

const waiting = new Set<WriterWait>();
let isWatching = false;
/** The last uncaught error, until the end of its turn of the event loop. */
let thrown: { readonly error: unknown } | undefined;

function watchExit(): void {
  // The end of a worker thread must not end its process.
  if (isWatching || !isMainThread) return;
  isWatching = true;
  process.on('uncaughtExceptionMonitor', (error) => {
    thrown = { error };
    machine.soon(() => (thrown = undefined));
  });
  process.on('exit', killIfWaiting);
}

function killIfWaiting(code: number): void {
  if (waiting.size === 0) return;
  const listeners = process.listeners('exit');
  for (const later of listeners.slice(listeners.indexOf(killIfWaiting) + 1)) later(code);
  // Node would print the error later, which is too late.
  if (thrown !== undefined && !isHandled()) process.stderr.write(`Uncaught ${inspect(thrown.error)}\n`);
  process.kill(process.pid, 'SIGKILL');
  // The first process of a container cannot kill itself.
  process.abort();
}

function isHandled(): boolean {
  return process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback();
}
