import { logLine, printable } from './model/printable.ts';
import { machine } from './runtime/machine/machine.ts';
import { StoreError } from './storage/store-error.ts';

export interface FailureLogOptions {
  readonly log: (line: string) => void;
  /** Adds the stack of an error of the store, at most once a second. */
  readonly debug: boolean;
}

/** Passes lines on that nothing in them can make look like more than one. */
export function operatorLog(log: ((line: string) => void) | undefined): (line: string) => void {
  return log === undefined ? () => {} : (line) => log(logLine(line));
}

/** The time for which further errors of the same kind are only counted. */
const quietMs = 1_000;

/**
 * Logs requests that failed through no fault of the client.
 *
 * Trouble with the store (a full disk, a database server that is down) comes from outside, explains itself in its
 * message, and affects every request for as long as it lasts. It is logged once at once, and then once a second with
 * the number of failed requests. Any other error is a defect of ours and is logged with its stack every time.
 */
export class FailureLog {
  readonly #options: FailureLogOptions;
  /** The number of further failed requests for each kind of trouble that was just logged. */
  readonly #counted = new Map<string, number>();
  /** Whether a stack was logged within the last `quietMs`. */
  #hasLoggedStack = false;

  constructor(options: FailureLogOptions) {
    this.#options = options;
  }

  /** Logs a failed request. `what` names it: `PutItem failed, request …`. */
  readonly add = (what: string, error: unknown): void => {
    if (error instanceof StoreError) this.#addTrouble(what, error);
    else this.#options.log(`${printable(what)}: ${stackOf(error)}`);
  };

  #addTrouble(what: string, error: StoreError): void {
    const { trouble } = error;
    const counted = this.#counted.get(trouble);
    if (counted !== undefined) {
      this.#counted.set(trouble, counted + 1);
      return;
    }
    this.#counted.set(trouble, 0);
    this.#options.log(`${printable(what)}: ${oneLine(error.message)}${this.#stack(error)}`);
    this.#logCountLater(error);
  }

  #logCountLater({ trouble, message }: StoreError): void {
    machine.after(quietMs, () => {
      const count = this.#counted.get(trouble)!;
      this.#counted.delete(trouble);
      if (count === 0) return;
      const requests = count === 1 ? 'One more request' : `${count} more requests`;
      this.#options.log(`${requests} failed within a second (${trouble}): ${oneLine(message)}`);
    });
  }

  #stack(error: StoreError): string {
    if (!this.#options.debug || this.#hasLoggedStack) return '';
    this.#hasLoggedStack = true;
    machine.after(quietMs, () => {
      this.#hasLoggedStack = false;
    });
    return `\n${withCauses(error)}`;
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function withCauses(error: Error): string {
  return error.cause instanceof Error
    ? `${stackOf(error)}\nCaused by ${withCauses(error.cause)}`
    : stackOf(error);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ');
}
