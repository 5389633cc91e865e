import type { MaybePromise } from '../../model/maybe-promise.ts';
import { compareBytes, keyAfter } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import type { RangePage, RangeRequest, Reader } from '../../storage/store.ts';
import { DamagedValue } from '../../storage/store-error.ts';
import { recordKind } from '../store-keys.ts';
import type { Census } from './check-catalogue.ts';
import { namesOf } from './check-record.ts';
import type { CheckResults, Place } from './check-report.ts';
import type { CheckStates } from './committed-states.ts';
import { readEntryPlace } from './known-kinds.ts';
import { isDamage } from './lookups.ts';

/**
 * Committed states whose readers pass over values that the storage engine finds damaged. Each is a finding, once; the
 * check goes on behind it.
 */
export class ReadableStates implements CheckStates {
  readonly #states: CheckStates;
  readonly #results: CheckResults;
  readonly #reported = new Set<string>();
  /** The kinds of the damaged values; undefined stands for an unknown one. */
  readonly #lost = new Set<number | undefined>();
  /** The tables, once they are known, for the place of a finding. */
  census: Pick<Census, 'records'> | undefined;

  constructor(states: CheckStates, results: CheckResults) {
    this.#states = states;
    this.#results = results;
  }

  get isOld(): boolean {
    return this.#states.isOld;
  }

  get number(): number {
    return this.#states.number;
  }

  async current(): Promise<Reader> {
    return this.#readable(await this.#states.current());
  }

  async next(): Promise<Reader> {
    return this.#readable(await this.#states.next());
  }

  #readable(reader: Reader): Reader {
    const report = (key: Uint8Array | undefined, message: string) => this.#report(key, message);
    return new ReadableReader(reader, report, this.#lost);
  }

  #report(key: Uint8Array | undefined, message: string): void {
    this.#lost.add(key?.[0]);
    const storeKey = key && toHex(key);
    const id = storeKey ?? message;
    if (this.#reported.has(id)) return;
    this.#reported.add(id);
    const place = key && this.#placeOf(key);
    this.#results.add({
      kind: 'value-damaged',
      ...place,
      ...(storeKey !== undefined && { storeKey }),
      expected: 'a readable value',
      found: message,
    });
    if (key === undefined)
      this.#results.leaveOut({ what: 'a range of keys', why: 'the storage engine cannot read on' });
  }

  #placeOf(key: Uint8Array): Place | undefined {
    if (key[0] === recordKind) {
      const names = namesOf(key);
      return names && { ...names.scope, table: names.name };
    }
    const storageId = readEntryPlace(key)?.storageId;
    const known = storageId === undefined ? undefined : this.census?.records.get(storageId);
    return known && { ...known.scope, table: known.name };
  }
}

/** Whether values of a kind were passed over: what belongs to them must not be taken for lost. */
export function hasLost(reader: Reader, kind: number): boolean {
  return reader instanceof ReadableReader && (reader.lost.has(kind) || reader.lost.has(undefined));
}

class ReadableReader implements Reader {
  readonly lost: ReadonlySet<number | undefined>;
  readonly #reader: Reader;
  readonly #report: (key: Uint8Array | undefined, message: string) => void;

  constructor(
    reader: Reader,
    report: (key: Uint8Array | undefined, message: string) => void,
    lost: ReadonlySet<number | undefined>,
  ) {
    this.#reader = reader;
    this.#report = report;
    this.lost = lost;
  }

  async get(key: Uint8Array): Promise<Uint8Array | undefined> {
    try {
      return await this.#reader.get(key);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#report(key, error.message);
      return undefined;
    }
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    const values: (Uint8Array | undefined)[] = [];
    for (const key of keys) values.push(await this.get(key));
    return values;
  }

  counters(keys: readonly Uint8Array[]): MaybePromise<number[]> {
    return this.#reader.counters(keys);
  }

  /** Ends before a damaged value, and begins behind it when there is nothing before. */
  async range(request: RangeRequest): Promise<RangePage> {
    for (let from = request.from ?? new Uint8Array(); ; ) {
      try {
        return await this.#reader.range({ ...request, from });
      } catch (error) {
        if (!isDamage(error)) throw error;
        const key = error instanceof DamagedValue ? error.key : undefined;
        this.#report(key, error.message);
        // A key that does not lie where it belongs says nothing about what follows.
        const isAhead = key !== undefined && compareBytes(from, key) <= 0;
        if (!isAhead || request.reverse) return { entries: [], more: false, also: [] };
        const before = await this.#before({ ...request, from, to: key });
        if (before !== undefined && before.entries.length > 0) return { ...before, more: true };
        from = keyAfter(key);
      }
    }
  }

  async #before(request: RangeRequest): Promise<RangePage | undefined> {
    try {
      return await this.#reader.range(request);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return undefined;
    }
  }
}
