import { keyAfter, prefixEnd } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import type { Reader } from '../../storage/store.ts';
import { entryKind, entryPrefix, tableRange } from '../store-keys.ts';
import { type Census, checkCatalogue, droppedName } from './check-catalogue.ts';
import { isLiving } from './check-record.ts';
import { CheckResults } from './check-report.ts';
import type { CheckContext } from './check-table.ts';
import { rangeOfKind, readEntryPlace } from './known-kinds.ts';
import { pagesOf } from './range-pages.ts';
import { addUnknownKey } from './unknown-key.ts';

/** How many orphans of one slot are counted; that there are more is enough to know. */
const countedMax = 10_000;

/**
 * Looks for entries that belong to no table and no index, from slot to slot, one read for each. Tables may come and
 * go meanwhile: what looks like an orphan is looked at again together with all records, in one state.
 */
export async function checkOrphans(
  context: CheckContext,
  census: Census,
  results: CheckResults,
): Promise<void> {
  const { states } = context;
  const { from: start, to } = rangeOfKind(entryKind);
  for (let from = start; ; ) {
    const reader = await (states.isOld ? states.next() : states.current());
    const { entries } = await reader.range({ from, to, limit: 1 });
    const entry = entries[0];
    if (entry === undefined) return;
    const place = readEntryPlace(entry.key);
    if (place === undefined) {
      addUnknownKey(entry.key, entry.value, results);
      from = keyAfter(entry.key);
      continue;
    }
    const { storageId, slot } = place;
    const isWhole =
      !isKnown(census, storageId, slot) && (await judge(context, place, results)) === 'whole table';
    from = isWhole ? tableRange(storageId).to : prefixEnd(entryPrefix(storageId, slot))!;
    await context.stepped(0);
  }
}

function isKnown({ records, damagedIds, dropped }: Census, storageId: string, slot: number): boolean {
  if (damagedIds.has(storageId)) return true;
  if (dropped.has(droppedName(storageId, undefined)) || dropped.has(droppedName(storageId, slot)))
    return true;
  const known = records.get(storageId);
  if (known === undefined || !isLiving(known.record)) return false;
  const { slots, expiry, history } = known.record;
  return slot === 0 || slot === expiry?.slot || slot === history?.slot || Object.values(slots).includes(slot);
}

/** Judges what looks like an orphan, and answers how much of what follows was judged with it. */
async function judge(
  { states, stepped }: CheckContext,
  { storageId, slot }: { readonly storageId: string; readonly slot: number },
  results: CheckResults,
): Promise<'slot' | 'whole table'> {
  const reader = await states.next();
  const now = await checkCatalogue(reader, new CheckResults());
  if (isKnown(now, storageId, slot)) return 'slot';
  const count = await countEntries(reader, storageId, slot, () => stepped(0));
  if (count === 0) return 'slot';
  const known = now.records.get(storageId);
  if (now.isIncomplete && known === undefined) {
    results.leaveOut({
      what: `entries under storage id ${storageId}`,
      why: 'they may belong to a table whose record is damaged',
    });
    return 'whole table';
  }
  results.add({
    kind: 'orphan-entries',
    ...(known && { ...known.scope, table: known.name }),
    storeKey: toHex(entryPrefix(storageId, slot)),
    expected: known === undefined ? `a table with storage id ${storageId}` : `an index in slot ${slot}`,
    found: `${count > countedMax ? `more than ${countedMax}` : count} entries without one`,
  });
  return 'slot';
}

async function countEntries(
  reader: Reader,
  storageId: string,
  slot: number,
  stepped: () => Promise<void>,
): Promise<number> {
  const prefix = entryPrefix(storageId, slot);
  let count = 0;
  for await (const page of pagesOf(reader, prefix, prefixEnd(prefix)!)) {
    count += page.length;
    if (count > countedMax) break;
    await stepped();
  }
  return count;
}
