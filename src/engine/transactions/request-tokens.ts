import { DynamoError } from '../../model/errors.ts';
import type { Hash16 } from '../../model/keys/keys.ts';
import { timeLimits } from '../../model/limits.ts';
import { equalBytes } from '../../model/values/bytes.ts';
import { encodeUtf8 } from '../../model/values/utf8.ts';
import { nowMs } from '../../runtime/clock.ts';
import type { Mutation, Store } from '../../storage/store.ts';
import { type Background, Worker } from '../background/background-worker.ts';
import { type Scope, tokenKeys, tokenPeriodBytes, tokensBefore } from '../store-keys.ts';
import { decodeToken, encodeToken } from './token-record.ts';

/** The ClientRequestToken of a transaction. A transaction that is sent twice with the same token is executed once. */
export interface RequestToken {
  readonly scope: Scope;
  readonly text: string;
  /** A hash of the whole request. The same token with another request is refused. */
  readonly fingerprint: Uint8Array;
}

/** The result of a transaction that was done before under the same token. */
export class Replay {
  /** The read units of each action, in order. */
  readonly readUnits: readonly number[];

  constructor(readUnits: readonly number[]) {
    this.readUnits = readUnits;
  }
}

/**
 * The length of a period. Tokens are stored by the period in which they were used. A period is as long as a token is
 * valid, so a valid token belongs to this period or to the one before. Tokens of earlier periods can be deleted.
 */
const periodMs = timeLimits.clientRequestTokenMinutes * 60_000;

/**
 * The tolerated difference between the clocks of processes that share a store. Near the end of a period, the next
 * period is searched too.
 */
const clocksDifferMs = 60_000;

export function tokenPeriodOf(ms: number): number {
  return Math.floor(ms / periodMs);
}

/** A token, prepared for the unit of its transaction. */
export class TokenPlan {
  /** The keys under which the token may be stored. A new token is stored under the first. */
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

  /** The part of the key that is the same in all periods. */
  get id(): Uint8Array {
    return this.keys[0]!.subarray(tokenPeriodBytes);
  }

  /** Judges the records under the keys. Undefined lets the transaction run. */
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

  /** The mutation that stores the token. It is committed together with the writes of the transaction. */
  mutation(readUnits: readonly number[]): Mutation {
    const record = { fingerprint: this.#fingerprint, expiresMs: this.#nowMs + periodMs, readUnits };
    return { kind: 'put', key: this.keys[0]!, value: encodeToken(record) };
  }
}

/** The text of the error (observed: user reports, 2026). */
function parameterMismatch(): DynamoError {
  return new DynamoError(
    'IdempotentParameterMismatchException',
    'Specified idempotent token was used with different request parameters within the idempotency window',
  );
}

/**
 * Removes some expired tokens each time a number of new ones was stored. It needs no timer and never reads all tokens.
 */
export class ExpiredTokens {
  readonly #worker: Worker;
  /**
   * The number of new tokens since the last removal. It starts so that the first transaction wakes the worker: the
   * previous process may have left many tokens.
   */
  #sinceLook = tokensPerLook - 1;

  constructor(store: Store, background: Background) {
    this.#worker = new Worker(background, {
      name: 'Removing expired request tokens',
      run: () => removeSome(store, nowMs(background.clock)),
    });
  }

  /** Called after a transaction stored a token. */
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

/** A removal deletes more tokens than came since the last one, so they cannot pile up. */
const tokensPerLook = 64;
const tokensPerRemoval = 2 * tokensPerLook;
