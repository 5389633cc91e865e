import type { DynamoError } from '../../model/errors.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import { toHex } from '../../model/values/hex.ts';
import { transactionConflict, transactionInProgress } from './cancellation.ts';

type Kind = 'transaction' | 'write';

/**
 * The items that writes of this engine are at work on, from their start to their commit, so that what meets them can
 * be refused as the service refuses it. Nothing depends on it for its correctness: the Store keeps units apart anyway.
 */
export class InFlight {
  readonly #byKey: Readonly<Record<Kind, Map<string, number>>> = { transaction: new Map(), write: new Map() };
  readonly #tokens = new Set<string>();

  /** Whether a write transaction is at work on the item. */
  isInTransaction(key: Uint8Array): boolean {
    return this.#byKey.transaction.has(toHex(key));
  }

  /** Whether anything is. */
  isBeingWritten(key: Uint8Array): boolean {
    const text = toHex(key);
    return this.#byKey.transaction.has(text) || this.#byKey.write.has(text);
  }

  /** Does something that is at work on items until it is done. */
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

  /** Does a single write, unless its item is in a transaction. */
  writing<R>(key: Uint8Array, work: () => MaybePromise<R>): MaybePromise<R | DynamoError> {
    return this.isInTransaction(key) ? transactionConflict() : this.holding('write', [key], work);
  }

  /** Does something under a request token, unless that is being done already. */
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
