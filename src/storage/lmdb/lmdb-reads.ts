import type { RangeOptions } from 'lmdb';
import type { Bytes, Entry, RangePage, RangeRequest } from '../store.ts';
import type { Environment, Transaction } from './lmdb-environment.ts';
import { asTrouble } from './lmdb-trouble.ts';
import { readNumber } from './log-keys.ts';
import { unseal } from './sealed-value.ts';

/** Reads for the store, for a snapshot, and for a write transaction. */

export function readValue(
  environment: Environment,
  key: Bytes,
  transaction: Transaction | undefined,
): Bytes | undefined {
  const sealed = guarded(environment, () =>
    environment.values.getBinaryFast(key, transaction && { transaction }),
  );
  return sealed === undefined ? undefined : unseal(key, sealed);
}

export function readValues(
  environment: Environment,
  keys: readonly Bytes[],
  transaction: Transaction | undefined,
): (Bytes | undefined)[] {
  return keys.map((key) => readValue(environment, key, transaction));
}

export function readCounters(
  environment: Environment,
  keys: readonly Bytes[],
  transaction: Transaction | undefined,
): number[] {
  return keys.map((key) => readNumber(environment.counters.getBinary(key, transaction && { transaction })));
}

export function readRange(
  environment: Environment,
  request: RangeRequest,
  transaction: Transaction | undefined,
): RangePage {
  const { from, to, reverse = false, limit, maxBytes = Number.POSITIVE_INFINITY } = request;
  // Sets the members one by one: for short ranges, spreading objects costs as much as reading three entries.
  const options: RangeOptions = { reverse, limit: limit + 1 };
  if (transaction !== undefined) options.transaction = transaction;
  if (reverse) {
    if (to !== undefined) {
      options.start = to;
      options.exclusiveStart = true;
    }
    if (from !== undefined) {
      options.end = from;
      options.inclusiveEnd = true;
    }
  } else {
    if (from !== undefined) options.start = from;
    if (to !== undefined) options.end = to;
  }
  const entries: Entry[] = [];
  let bytes = 0;
  let more = false;
  guarded(environment, () => {
    for (const found of environment.values.getRange(options)) {
      if (entries.length === limit || bytes >= maxBytes) {
        more = true;
        break;
      }
      const entry = { key: found.key, value: unseal(found.key, found.value) };
      entries.push(entry);
      bytes += entry.key.length + entry.value.length;
    }
  });
  return {
    entries,
    more,
    also: request.also === undefined ? [] : readValues(environment, request.also, transaction),
  };
}

export function guarded<T>(environment: Environment, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw asTrouble(error, environment.directory);
  }
}
