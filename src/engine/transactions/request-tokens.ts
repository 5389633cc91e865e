import { DynamoError } from '../../model/errors.ts';
import type { Hash16 } from '../../model/keys/keys.ts';
import { timeLimits } from '../../model/limits.ts';
import { equalBytes } from '../../model/values/bytes.ts';
import { encodeUtf8 } from '../../model/values/utf8.ts';
import type { Mutation, Store } from '../../storage/store.ts';
import { type Background, Worker } from '../background/background-worker.ts';
import { nowMs } from '../clock.ts';
import { type Scope, tokenKeys, tokenPeriodBytes, tokensBefore } from '../store-keys.ts';
import { decodeToken, encodeToken } from './token-record.ts';

/** The token that a client gave a transaction, so that sending it twice does it once. */
export interface RequestToken {
  readonly scope: Scope;
  readonly text: string;
  /** A hash of the whole request: the same token for another one is refused. */
  readonly fingerprint: Uint8Array;
}

/** A transaction was done before under the same token. */
export class Replay {
  /** In the order of the actions. */
  readonly readUnits: readonly number[];

  constructor(readUnits: readonly number[]) {
    this.readUnits = readUnits;
  }
}

/**
 * Tokens are kept by the period in which they were used. A period is as long as a token holds, so that one which still
 * holds is of this period or of the one before, and those of earlier ones can all be forgotten.
 */
const periodMs = timeLimits.clientRequestTokenMinutes * 60_000;

/** By how much the clocks of several processes on one store may differ: near its end, the next period counts too. */
const clocksDifferMs = 60_000;

export function tokenPeriodOf(ms: number): number {
  return Math.floor(ms / periodMs);
}

/** A token made ready for the unit of its transaction. */
export class TokenPlan {
  /** Where the token may lie; a new one is put under the first. */
  readonly keys: readonly Uint8Array[];
  readonly #fingerprint: Uint8Array;
  readonly #nowMs: number;

  constructor({ scope, text, fingerprint }: RequestToken, h16: Hash16, now: number) {
    const hash = h16(encodeUtf8(text));
    const period = tokenPeriodOf(now);
    const periods = [period, period - 1];
    if (now % periodMs >= periodMs - clocksDifferMs) periods.push(period + 1);
    this.keys = tokenKeys(periods, scope, hash);
    this.#fingerprint = fingerprint;
    this.#nowMs = now;
  }

  /** The same for all uses of the token. */
  get id(): Uint8Array {
    return this.keys[0]!.subarray(tokenPeriodBytes);
  }

  /** What the records under the keys mean for the transaction; undefined lets it happen. */
  judge(found: readonly (Uint8Array | undefined)[]): Replay | DynamoError | undefined {
    for (const bytes of found) {
      if (bytes === undefined) continue;
      const record = decodeToken(bytes);
      if (record.expiresMs <= this.#nowMs) continue;
      return equalBytes(record.fingerprint, this.#fingerprint)
        ? new Replay(record.readUnits)
        : parameterMismatch();
    }
    return undefined;
  }

  /** Remembers the transaction; committed together with what it wrote. */
  mutation(readUnits: readonly number[]): Mutation {
    const record = { fingerprint: this.#fingerprint, expiresMs: this.#nowMs + periodMs, readUnits };
    return { kind: 'put', key: this.keys[0]!, value: encodeToken(record) };
  }
}

/** The text as two users of the service quote it (2026). */
function parameterMismatch(): DynamoError {
  return new DynamoError(
    'IdempotentParameterMismatchException',
    'Specified idempotent token was used with different request parameters within the idempotency window',
  );
}

/** Removes expired tokens, some with every so many new ones: without a timer, and without reading all of them. */
export class ExpiredTokens {
  readonly #worker: Worker;
  /** The first transaction of an engine wakes the worker too: the process before may have left many tokens. */
  #sinceLook = tokensPerLook - 1;

  constructor(store: Store, background: Background) {
    this.#worker = new Worker(background, {
      name: 'Removing expired request tokens',
      run: () => removeSome(store, nowMs(background.clock)),
    });
  }

  /** Called when a transaction has left a token. */
  noteNew(): void {
    if (++this.#sinceLook < tokensPerLook) return;
    this.#sinceLook = 0;
    this.#worker.wake();
  }

  settled(): Promise<void> {
    return this.#worker.settled();
  }
}

async function removeSome(store: Store, now: number): Promise<void> {
  const period = Math.max(1, tokenPeriodOf(now));
  const { entries } = await store.range({ limit: tokensPerRemoval, ...tokensBefore(period - 1) });
  if (entries.length === 0) return;
  const mutations = entries.map(({ key }): Mutation => ({ kind: 'delete', key }));
  await store.transact<void>({ reads: [], decide: () => ({ result: undefined, mutations }) });
}

/** A look removes more than came since the last one, so that they can never pile up. */
const tokensPerLook = 64;
const tokensPerRemoval = 2 * tokensPerLook;
