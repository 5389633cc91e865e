import { concatBytes, prefixEnd } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import { itemSize } from '../../model/values/item-size.ts';
import type { Reader } from '../../storage/store.ts';
import { collectionCounter } from '../store-keys.ts';
import type { Table } from '../tables/table-record.ts';
import type { CheckResults, FindingKind, Place } from './check-report.ts';
import { pagesOf } from './range-pages.ts';
import { placeOf } from './shown.ts';
import type { SlotWalk } from './slot-walk.ts';
import { readForm } from './stored-form.ts';

/** A counter, and what it would be if it were the sum of what was seen. */
export interface CounterClaim {
  readonly kind: FindingKind;
  readonly place: Place;
  readonly key?: object;
  readonly counter: Uint8Array;
  readonly sum: number;
  /** Which part of what lies under these prefixes the counter counts. */
  readonly prefixes: readonly Uint8Array[];
  readonly counts: 'entries' | 'bytes';
  /** Whether the sum is that of one committed state, the one that is read now, or of one that stood still. */
  readonly exact: boolean;
}

/** The counters of a walk that came to its end; those of sizes only if all sizes are known. */
export function slotClaims(table: Table, walk: SlotWalk, exact: boolean): CounterClaim[] {
  if (!walk.whole) return [];
  const place = placeOf(table, walk.index);
  const prefixes = [walk.prefix];
  const { count, bytes } = walk.counters;
  const ofCount: CounterClaim = {
    ...{ kind: 'item-count', place, prefixes, exact },
    ...{ counter: count, sum: walk.count, counts: 'entries' },
  };
  if (!walk.sizesKnown) return [ofCount];
  return [
    ofCount,
    {
      ...{ kind: 'size-bytes', place, prefixes, exact },
      ...{ counter: bytes, sum: walk.bytes, counts: 'bytes' },
    },
  ];
}

/** The counter of an item collection: its items and their entries in local indexes. */
export function collectionClaim(
  table: Table,
  hash: Uint8Array,
  { sum, key, exact }: { readonly sum: number; readonly key: object | undefined; readonly exact: boolean },
): CounterClaim {
  const slots = [table, ...table.indexes.filter(({ traits }) => traits.collection === 'of the item')];
  return {
    kind: 'collection-bytes',
    place: placeOf(table),
    ...(key && { key }),
    counter: collectionCounter(table.prefix, hash),
    sum,
    prefixes: slots.map(({ prefix }) => concatBytes(prefix, hash)),
    counts: 'bytes',
    exact,
  };
}

/** Answers the claims that the counters do not bear out. */
export async function failedClaims(
  reader: Reader,
  claims: readonly CounterClaim[],
): Promise<{ readonly claim: CounterClaim; readonly found: number }[]> {
  if (claims.length === 0) return [];
  const found = await reader.counters(claims.map(({ counter }) => counter));
  return claims.flatMap((claim, i) => (claim.sum === found[i] ? [] : [{ claim, found: found[i]! }]));
}

export function addCounterFinding(claim: CounterClaim, found: number, results: CheckResults): void {
  const { kind, place, key, counter, sum, counts } = claim;
  results.add({
    kind,
    ...place,
    ...(key && { key }),
    storeKey: toHex(counter),
    expected: `${sum} ${counts}`,
    found: `${found} ${counts}`,
  });
}

/** Sums up once more, in the one state of the reader; undefined when told to stop before the end. */
export async function sumUp(
  reader: Reader,
  { prefixes, counts }: CounterClaim,
  goOn: () => Promise<boolean>,
): Promise<number | undefined> {
  let sum = 0;
  for (const prefix of prefixes) {
    for await (const entries of pagesOf(reader, prefix, prefixEnd(prefix)!)) {
      for (const { value } of entries) {
        const form = counts === 'bytes' ? readForm(value) : undefined;
        if (form instanceof Error) return undefined;
        sum += form === undefined ? 1 : itemSize(form.item);
      }
      if (!(await goOn())) return undefined;
    }
  }
  return sum;
}
