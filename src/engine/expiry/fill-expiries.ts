import type { Hash16 } from '../../model/keys/keys.ts';
import { decodeItem } from '../../model/stored/stored-item.ts';
import type { Entry, Unit } from '../../storage/store.ts';
import { sameEpoch, type Table } from '../tables/table-record.ts';
import { stale } from '../writes/write-item.ts';
import { expiryEntryKey, expirySecond, type TableExpiry } from './expiry-entries.ts';

/** Adds the entry of an item as it is by now; to put one that is there already makes no difference. */
export function expiryUnit(
  table: Table,
  expiry: TableExpiry,
  { key, value }: Entry,
  h16: Hash16,
): Unit<undefined | typeof stale> | undefined {
  if (expirySecond(expiry, decodeItem(value)) === undefined) return undefined;
  return {
    reads: [table.epochKey, key],
    settings: 1,
    guess: [table.epoch, value],
    decide: ({ values: [epoch, stored] }) => {
      if (!sameEpoch(epoch, table.epoch)) return { result: stale, mutations: [] };
      const second = stored && expirySecond(expiry, decodeItem(stored));
      if (second === undefined) return { result: undefined, mutations: [] };
      const entry = expiryEntryKey(expiry, second, key, h16);
      return { result: undefined, mutations: [{ kind: 'put', key: entry, value: key }] };
    },
  };
}
