import { StoreError } from './storage/store-error.ts';

export interface FailureLogOptions {
  readonly log: (line: string) => void;
  /** Adds the stack of trouble with the store, at most once a second. */
  readonly debug: boolean;
}

/** How long further trouble of the same kind is only counted. */
const quietMs = 1_000;

/**
 * Logs requests that failed by no fault of the client.
 *
 * Trouble with the store (a full disk, a database server that is gone) comes from outside, says in its message what it
 * is, and hits every request for as long as it lasts: one line at once, and then one line a second with the number of
 * requests. Anything else is a defect of ours and is logged with its stack every time.
 */
export class FailureLog {
  readonly #options: FailureLogOptions;
  /** By the kind of trouble that was just logged: how many more requests met it since. */
  readonly #counted = new Map<string, number>();
  #isStackLate = false;

  constructor(options: FailureLogOptions) {
    this.#options = options;
  }

  /** `what` names the request: `PutItem failed, request …`. */
  readonly add = (what: string, error: unknown): void => {
    if (error instanceof StoreError) this.#addTrouble(what, error);
    else this.#options.log(`${what}: ${stackOf(error)}`);
  };

  #addTrouble(what: string, error: StoreError): void {
    const { trouble } = error;
    const counted = this.#counted.get(trouble);
    if (counted !== undefined) {
      this.#counted.set(trouble, counted + 1);
      return;
    }
    this.#counted.set(trouble, 0);
    this.#options.log(`${what}: ${oneLine(error.message)}${this.#stack(error)}`);
    this.#tellCountLater(error);
  }

  #tellCountLater({ trouble, message }: StoreError): void {
    const later = setTimeout(() => {
      const count = this.#counted.get(trouble)!;
      this.#counted.delete(trouble);
      if (count === 0) return;
      const requests = count === 1 ? 'One more request' : `${count} more requests`;
      this.#options.log(`${requests} failed within a second (${trouble}): ${oneLine(message)}`);
    }, quietMs);
    later.unref();
  }

  #stack(error: StoreError): string {
    if (!this.#options.debug || this.#isStackLate) return '';
    this.#isStackLate = true;
    setTimeout(() => {
      this.#isStackLate = false;
    }, quietMs).unref();
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
