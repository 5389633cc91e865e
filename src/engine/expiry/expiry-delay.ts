import type { Hash16 } from '../../model/keys/keys.ts';
import { readUint32 } from '../../model/values/bytes.ts';
import type { Table } from '../tables/table-record.ts';

/** When an expired item is deleted. */
export interface ExpiryDelay {
  /** In milliseconds; `entry` is the key of the item's entry among the expiries. */
  dueMs(expiresMs: number, entry: Uint8Array, table: Table): number;
  /** How soon after a look another one is worth its while. */
  readonly betweenLooksMs: number;
}

export const noDelay: ExpiryDelay = { dueMs: (expiresMs) => expiresMs, betweenLooksMs: 0 };

/**
 * The service promises a few days, formerly 48 hours (documented: Developer Guide, TTL). On tiny tables the delay is
 * about ten minutes, and about thirty where there are secondary indexes (observed: Alternator's tests). So an item is
 * deleted up to twice that after its expiry, and one in twenty is late: by up to 48 hours (guess). Which ones and by
 * how much follows from the entry's key, which has the table's id and so the seed in it; all processes, and those after
 * a restart, agree about it.
 */
export function serviceDelay(h16: Hash16): ExpiryDelay {
  return {
    dueMs(expiresMs, entry, { indexes }) {
      const hash = h16(entry);
      const share = readUint32(hash, 0) / 2 ** 32;
      const usualMs = 2 * (indexes.length > 0 ? 30 : 10) * minuteMs;
      const delay =
        share < usualShare
          ? (share / usualShare) * usualMs
          : usualMs + ((share - usualShare) / (1 - usualShare)) * (latestMs - usualMs);
      return expiresMs + Math.ceil(delay);
    },
    betweenLooksMs: minuteMs,
  };
}

const minuteMs = 60_000;
const usualShare = 0.95;
const latestMs = 48 * 60 * minuteMs;
