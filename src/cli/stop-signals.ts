import { setMaxListeners } from 'node:events';
import { machine } from '../runtime/machine/machine.ts';

/**
 * How long a second signal counts as an echo of the first. At Ctrl-C a terminal signals every process of the command,
 * and npm passes the same signal on to its script: the server behind `npm start` is told twice within milliseconds.
 */
const echoMs = 500;

/** What signals are measured and answered with; a test puts others in their place. */
interface Surroundings {
  readonly nowMs: () => number;
  readonly exit: (code: number) => void;
}

const ofThisProcess: Surroundings = { nowMs: machine.stopwatchMs, exit: (code) => process.exit(code) };

/** The wish to stop, as signals say it: the first asks, a later one insists and ends the process at once. */
export class StopSignals {
  readonly #asked = new AbortController();
  readonly #listener: (signal: NodeJS.Signals) => void;
  #askedMs = 0;
  #hasEchoed = false;
  #onEcho: (() => void) | undefined;

  constructor({ nowMs, exit }: Surroundings = ofThisProcess) {
    // Every call and every pause under way listens.
    setMaxListeners(0, this.#asked.signal);
    this.#listener = (signal) => {
      if (!this.#asked.signal.aborted) {
        this.#askedMs = nowMs();
        this.#asked.abort(signal);
        return;
      }
      this.#hasEchoed = true;
      this.#onEcho?.();
      if (nowMs() - this.#askedMs >= echoMs) {
        // Nothing is lost: what was answered is in the store.
        exit(signal === 'SIGINT' ? 130 : 143);
      }
    };
    for (const signal of stopSignals) process.on(signal, this.#listener);
  }

  /** Aborted once a signal has come. */
  get asked(): AbortSignal {
    return this.#asked.signal;
  }

  /** Resolves with the first signal. */
  wait(): Promise<string> {
    return new Promise((resolve) => {
      const done = () => resolve(String(this.asked.reason));
      if (this.asked.aborted) done();
      else this.asked.addEventListener('abort', done, { once: true });
    });
  }

  /**
   * Resolves once a second signal has come, or can no longer be an echo. A process behind npm waits for it before it ends:
   * a signal that arrives while Node shuts down kills the process, and npm reports a failure.
   */
  async echoed(): Promise<void> {
    if (!this.asked.aborted || this.#hasEchoed) return;
    await new Promise<void>((resolve) => {
      const cancel = machine.timer(echoMs, resolve);
      this.#onEcho = () => {
        cancel();
        resolve();
      };
    });
  }

  /**
   * Gives the signals back. Once a signal has come, the process is about to end and keeps its listener: npm may pass the
   * same signal on a moment later, which would kill a process that does not listen.
   */
  release(): void {
    if (this.asked.aborted) return;
    for (const signal of stopSignals) process.off(signal, this.#listener);
  }
}

export const stopSignals = ['SIGINT', 'SIGTERM'] as const;
