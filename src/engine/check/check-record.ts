import type { KeySchemaElement } from '../../model/tables/table-description.ts';
import { decodeUtf8 } from '../../model/values/utf8.ts';
import { entryPrefixBytes, type Scope, storageIdBytes } from '../store-keys.ts';
import { allDescribed } from '../tables/parts/indexes.ts';
import { decodeRecord, type TableRecord } from '../tables/table-record.ts';
import { shownError, shownText } from './shown.ts';

/** A table's record with the names that its key gives it. */
export interface KnownRecord {
  readonly scope: Scope;
  readonly name: string;
  readonly record: TableRecord;
}

/** Account and Region of a key that begins with them, and what comes after; undefined when it does not. */
export function scopeAndRest(key: Uint8Array): { scope: Scope; rest: Uint8Array } | undefined {
  const accountAt = 1;
  const regionAt = accountAt + 13;
  const restAt = regionAt + (key[regionAt - 1] ?? 0);
  if (key.length <= regionAt || key.length <= restAt) return undefined;
  try {
    const account = decodeUtf8(key.subarray(accountAt, regionAt - 1));
    const region = decodeUtf8(key.subarray(regionAt, restAt));
    return /^\d{12}$/.test(account) ? { scope: { account, region }, rest: key.subarray(restAt) } : undefined;
  } catch {
    return undefined;
  }
}

/** What a record's key says; undefined when it is no such key. */
export function namesOf(key: Uint8Array): { scope: Scope; name: string } | undefined {
  const parts = scopeAndRest(key);
  if (parts === undefined) return undefined;
  try {
    return { scope: parts.scope, name: decodeUtf8(parts.rest) };
  } catch {
    return undefined;
  }
}

/** The record that lies under these names, or what is wrong with it. */
export function readRecord(
  { scope, name }: { readonly scope: Scope; readonly name: string },
  value: Uint8Array,
): KnownRecord | RecordProblem {
  let record: TableRecord;
  try {
    record = decodeRecord(value);
  } catch (error) {
    return { expected: 'the JSON of a table record', found: shownError(error) };
  }
  try {
    return problemOf(record, name) ?? { scope, name, record };
  } catch (error) {
    return { expected: 'all members of a table record', found: shownError(error) };
  }
}

export interface RecordProblem {
  readonly expected: string;
  readonly found: string;
}

/** Whether the items of a record's table are still there to be used; its data goes when its deletion begins. */
export function isLiving(record: TableRecord): boolean {
  return record.phases.deletingUntil === undefined;
}

const slotMax = 2 ** ((entryPrefixBytes - storageIdBytes - 1) * 8) - 1;

function problemOf(record: TableRecord, name: string): RecordProblem | undefined {
  const { description, storageId, epoch, slots, nextSlot } = record;
  if (description.tableName !== name)
    return { expected: `the record of table ${name}`, found: `that of ${shownText(description.tableName)}` };
  if (!new RegExp(`^[0-9a-f]{${storageIdBytes * 2}}$`).test(storageId))
    return { expected: `a storage id of ${storageIdBytes} bytes`, found: shownText(String(storageId)) };
  if (!Number.isSafeInteger(epoch) || epoch < 0)
    return { expected: 'an epoch that is a whole number', found: shownText(String(epoch)) };
  return slotProblem(record, slots, nextSlot) ?? keyProblem(record);
}

function slotProblem(
  record: TableRecord,
  slots: TableRecord['slots'],
  nextSlot: number,
): RecordProblem | undefined {
  const owners = new Map<number, string>();
  for (const [name, slot] of Object.entries(slots)) {
    if (!Number.isInteger(slot) || slot < 1 || slot > slotMax || slot >= nextSlot)
      return { expected: `a slot from 1 to below ${nextSlot} for index ${name}`, found: String(slot) };
    const other = owners.get(slot);
    if (other !== undefined)
      return { expected: 'a slot for each index', found: `slot ${slot} for both ${other} and ${name}` };
    owners.set(slot, name);
  }
  const indexNames = allDescribed(record.description).map(({ index }) => index.indexName);
  const { expiry, history } = record;
  if (history !== undefined) {
    const { slot } = history;
    if (!Number.isInteger(slot) || slot < 1 || slot >= nextSlot || owners.has(slot) || slot === expiry?.slot)
      return { expected: 'a slot of their own for the old images', found: String(slot) };
  }
  if (expiry !== undefined) {
    const { slot } = expiry;
    if (!Number.isInteger(slot) || slot < 1 || slot >= nextSlot || owners.has(slot))
      return { expected: 'a slot of their own for the expiries', found: String(slot) };
    if (record.description.ttl === undefined)
      return { expected: 'an attribute that tells when items expire', found: 'none' };
  }
  const without = indexNames.find((name) => !Object.hasOwn(slots, name));
  if (without !== undefined) return { expected: `a slot for index ${without}`, found: 'none' };
  return undefined;
}

function keyProblem({ description }: TableRecord): RecordProblem | undefined {
  const types = new Map(
    description.attributeDefinitions.map((each) => [each.AttributeName, each.AttributeType]),
  );
  const schemas: [what: string, schema: readonly KeySchemaElement[]][] = [
    ['the table', description.keySchema],
    ...allDescribed(description).map(({ index }): [string, readonly KeySchemaElement[]] => [
      `index ${index.indexName}`,
      index.keySchema,
    ]),
  ];
  for (const [what, schema] of schemas) {
    if (!schema.some(({ KeyType }) => KeyType === 'HASH'))
      return { expected: `a HASH attribute of ${what}`, found: 'none' };
    const undefinedOne = schema.find(
      ({ AttributeName: name }) => !['S', 'N', 'B'].includes(types.get(name)!),
    );
    if (undefinedOne !== undefined)
      return { expected: `a key type of attribute ${undefinedOne.AttributeName} of ${what}`, found: 'none' };
  }
  return undefined;
}
