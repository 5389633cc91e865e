import type { DynamoError } from '../../model/errors.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import { toHex } from '../../model/values/hex.ts';
import { transactionConflict, transactionInProgress } from './cancellation.ts';

type Kind = 'transaction' | 'write';

/**
 * The items that writes of this engine hold, from their start to their commit. Requests that meet them are refused as
 * the service refuses them, in exactly three cases (documented: Developer Guide, transaction-apis): a single write that
 * meets a write transaction, a write transaction that meets another, and a read transaction that meets any write. A
 * write transaction does not mind a single write under way: it is ordered behind it. Correctness does not depend on
 * this class: the Store isolates units anyway.
 */
export class InFlight {
  readonly #byKey: Readonly<Record<Kind, Map<string, number>>> = { transaction: new Map(), write: new Map() };
  readonly #tokens = new Set<string>();

  /** Whether a write transaction holds the item. */
  isInTransaction(key: Uint8Array): boolean {
    return this.#byKey.transaction.has(toHex(key));
  }

  /** Whether a write or a write transaction holds the item. */
  isBeingWritten(key: Uint8Array): boolean {
    const text = toHex(key);
    return this.#byKey.transaction.has(text) || this.#byKey.write.has(text);
  }

  /** Runs work that holds items until it ends. */
  holding<R>(kind: Kind, keys: readonly Uint8Array[], work: () => MaybePromise<R>): MaybePromise<R> {
    const counts = this.#byKey[kind];
    const texts = keys.map(toHex);
    for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
    return finallyDo(work, () => {
      for (const text of texts) {
        const left = counts.get(text)! - 1;
        if (left === 0) counts.delete(text);
        else counts.set(text, left);
      }
    });
  }

  /** Runs a single write, unless a transaction holds its item. */
  writing<R>(key: Uint8Array, work: () => MaybePromise<R>): MaybePromise<R | DynamoError> {
    return this.isInTransaction(key) ? transactionConflict() : this.holding('write', [key], work);
  }

  /** Runs a transaction with a request token, unless one with the same token is running. */
  under<R>(token: Uint8Array, work: () => MaybePromise<R>): MaybePromise<R | DynamoError> {
    const text = toHex(token);
    if (this.#tokens.has(text)) return transactionInProgress();
    this.#tokens.add(text);
    return finallyDo(work, () => this.#tokens.delete(text));
  }
}

function finallyDo<R>(work: () => MaybePromise<R>, end: () => void): MaybePromise<R> {
  let result: MaybePromise<R>;
  try {
    result = work();
  } catch (error) {
    end();
    throw error;
  }
  if (result instanceof Promise) return result.finally(end);
  end();
  return result;
}
