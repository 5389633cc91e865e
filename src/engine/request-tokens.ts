import { equalBytes } from '../model/bytes.ts';
import { DynamoError } from '../model/errors.ts';
import type { Hash16 } from '../model/keys.ts';
import { timeLimits } from '../model/limits.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';
import { decodeUtf8, encodeUtf8 } from '../model/utf8.ts';
import type { Mutation, Store } from '../storage/store.ts';
import { type Clock, nowMs } from './clock.ts';
import { fromHex, toHex } from './randomness.ts';
import { expiredRange, expiryKey, type Scope, tokenKey, tokenOfExpiry } from './store-keys.ts';

/** The token that a client gave a transaction, so that sending it twice does it once. */
export interface RequestToken {
  readonly scope: Scope;
  readonly text: string;
  /** A hash of the whole request: the same token for another one is refused. */
  readonly fingerprint: Uint8Array;
}

/** What is kept of a transaction with a token, as JSON; committed together with what the transaction wrote. */
interface TokenRecord {
  readonly format: 1;
  readonly fingerprint: string;
  readonly expiresMs: number;
  /** What each action costs when the transaction is sent again: it is charged as if its items were read. */
  readonly readUnits: readonly number[];
}

/** A transaction was done before under the same token. */
export class Replay {
  /** In the order of the actions. */
  readonly readUnits: readonly number[];

  constructor(readUnits: readonly number[]) {
    this.readUnits = readUnits;
  }
}

/** A token made ready for the unit of its transaction. */
export class TokenPlan {
  readonly key: Uint8Array;
  readonly #fingerprint: Uint8Array;
  readonly #nowMs: number;

  constructor({ scope, text, fingerprint }: RequestToken, h16: Hash16, now: number) {
    this.key = tokenKey(scope, h16(encodeUtf8(text)));
    this.#fingerprint = fingerprint;
    this.#nowMs = now;
  }

  /** What the record that was found under the token means for the transaction; undefined lets it happen. */
  judge(found: Uint8Array | undefined): Replay | DynamoError | undefined {
    if (found === undefined) return undefined;
    const record = decodeToken(found);
    if (record.expiresMs <= this.#nowMs) return undefined;
    return equalBytes(fromHex(record.fingerprint), this.#fingerprint)
      ? new Replay(record.readUnits)
      : parameterMismatch();
  }

  /** Remembers the transaction. An expiry that lies there for an earlier use of the token finds it renewed. */
  mutations(readUnits: readonly number[]): Mutation[] {
    const expiresMs = this.#nowMs + timeLimits.clientRequestTokenMinutes * 60_000;
    const record: TokenRecord = { format: 1, fingerprint: toHex(this.#fingerprint), expiresMs, readUnits };
    return [
      { kind: 'put', key: this.key, value: encodeUtf8(JSON.stringify(record)) },
      { kind: 'put', key: expiryKey(expiresMs, this.key), value: new Uint8Array(0) },
    ];
  }
}

export function decodeToken(bytes: Uint8Array): TokenRecord {
  const record = JSON.parse(decodeUtf8(bytes)) as TokenRecord;
  if (record.format !== 1) throw new Error(`a request token of the unknown format ${record.format}`);
  return record;
}

/** The text as two users of the service quote it (2026). */
function parameterMismatch(): DynamoError {
  return new DynamoError(
    'IdempotentParameterMismatchException',
    'Specified idempotent token was used with different request parameters within the idempotency window',
  );
}

/** Removes tokens that have expired, some with every so many new ones: never a timer, and never a look at them all. */
export class ExpiredTokens {
  readonly #store: Store;
  readonly #clock: Clock;
  /** The first transaction of an engine looks too: the one before may have left many. */
  #sinceLook = tokensPerLook - 1;
  #removing: Promise<void> | undefined;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Called when a transaction has left a token; `failed` is told what went wrong, which the next look makes good. */
  noteNew(failed: (error: unknown) => void): void {
    this.#sinceLook++;
    if (this.#sinceLook < tokensPerLook || this.#removing !== undefined) return;
    this.#sinceLook = 0;
    this.#removing = this.#removeSome()
      .catch(failed)
      .then(() => {
        this.#removing = undefined;
      });
  }

  async settled(): Promise<void> {
    await this.#removing;
  }

  async #removeSome(): Promise<void> {
    const now = nowMs(this.#clock);
    const page = await this.#store.range({ ...expiredRange(now), limit: tokensPerRemoval });
    if (page.entries.length > 0) await removeTokens(this.#store, now, page.entries);
  }
}

/** A look removes more than came since the last one, so that they can never pile up. */
const tokensPerLook = 64;
const tokensPerRemoval = 2 * tokensPerLook;

/** A token that was used again after it had expired stays; only its old expiry goes. */
function removeTokens(
  store: Store,
  now: number,
  expiries: readonly { readonly key: Uint8Array }[],
): MaybePromise<void> {
  const tokens = new Map(expiries.map(({ key }) => [toHex(tokenOfExpiry(key)), tokenOfExpiry(key)]));
  const keys = [...tokens.values()];
  return store.transact<void>({
    reads: keys,
    decide: ({ values }) => {
      const mutations: Mutation[] = expiries.map(({ key }) => ({ kind: 'delete', key }));
      for (const [i, found] of values.entries()) {
        if (found !== undefined && decodeToken(found).expiresMs <= now)
          mutations.push({ kind: 'delete', key: keys[i]! });
      }
      return { result: undefined, mutations };
    },
  });
}
