import { toHex } from '../../model/values/hex.ts';
import type { Reader } from '../../storage/store.ts';
import { decodeExpiringTable } from '../expiry/expiring-table.ts';
import { expiringKey, expiringKind, sweepKind } from '../store-keys.ts';
import { isLiving, type KnownRecord } from './check-record.ts';
import type { CheckResults } from './check-report.ts';
import { isAboutTable, notesOf } from './notes.ts';
import { shownError } from './shown.ts';
import { checkLease } from './single-record.ts';

/** A table has a note that its items expire exactly when they do; and who deletes them has at most one lease. */
export async function checkExpiring(
  reader: Reader,
  records: ReadonlyMap<string, KnownRecord>,
  isAccountedFor: (storageId: string) => boolean,
  results: CheckResults,
): Promise<void> {
  const met = new Set<string>();
  for await (const { key, value, place } of notesOf(reader, expiringKind, isAboutTable, results)) {
    met.add(place.storageId);
    const known = records.get(place.storageId);
    const problem =
      known === undefined && isAccountedFor(place.storageId) ? undefined : noteProblem(known, key, value);
    if (problem !== undefined)
      results.add({ kind: 'expiry-note', ...placeOfRecord(known), storeKey: toHex(key), ...problem });
  }
  for (const known of records.values())
    if (expires(known) && !met.has(known.record.storageId))
      results.add({
        kind: 'expiry-note',
        ...placeOfRecord(known),
        storeKey: toHex(expiringKey(known.record.storageId)),
        expected: 'a note that its items expire',
        found: 'none',
      });
  await checkLease(
    reader,
    sweepKind,
    { kind: 'expiry-note', expected: 'who deletes expired items' },
    results,
  );
}

function noteProblem(
  known: KnownRecord | undefined,
  key: Uint8Array,
  value: Uint8Array,
): { readonly expected: string; readonly found: string } | undefined {
  if (known === undefined || !expires(known))
    return { expected: 'a table whose items expire', found: 'none' };
  const expected = `a note of table ${known.name}`;
  try {
    const { scope, tableName } = decodeExpiringTable(value, key);
    const { account, region } = known.scope;
    const isOurs = tableName === known.name && scope.account === account && scope.region === region;
    return isOurs ? undefined : { expected, found: `that of ${tableName} in ${scope.region}` };
  } catch (error) {
    return { expected, found: shownError(error) };
  }
}

function expires({ record }: KnownRecord): boolean {
  return isLiving(record) && record.expiry !== undefined;
}

function placeOfRecord(known: KnownRecord | undefined) {
  return known && { ...known.scope, table: known.name };
}
