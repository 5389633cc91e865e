import { type Fields, isA, object, oneOf, text, whole } from '../../model/json/fields.ts';
import { parseJson } from '../../model/json/parse-json.ts';
import { type IndexKind, indexKinds } from '../../model/tables/index-kind.ts';
import type { KeySchemaElement, LocalIndexDescription } from '../../model/tables/table-description.ts';
import {
  allIndexes,
  type IndexSchema,
  type KeyAttribute,
  keyAttributes,
  type TableSchema,
} from '../../model/tables/table-schema.ts';
import { equalBytes } from '../../model/values/bytes.ts';
import { decodeUtf8, encodeUtf8 } from '../../model/values/utf8.ts';
import { StoreError } from '../../storage/store-error.ts';
import { bucketsAt, LogPlaces, layoutOf } from '../change-log/log-layout.ts';
import type { TableExpiry } from '../expiry/expiry-entries.ts';
import { type HistoryPlace, historyPlace } from '../history/history-keys.ts';
import { firstEra } from '../history/stamp.ts';
import { type IndexTraits, indexBehaviours } from '../indexes/index-behaviour.ts';
import { entryPrefix, epochKey, type Scope, type SlotCounters, slotCounters } from '../store-keys.ts';
import { fillingSlot } from './parts/index-phase.ts';
import {
  begunState,
  descriptionField,
  descriptionFields,
  stateFields,
  type TableDescription,
  type TableState,
} from './table-parts.ts';

/** The record of a table in the catalogue, stored as JSON under its name. Its other members are those of its parts. */
export interface TableRecord extends TableState {
  readonly format: 2;
  readonly description: TableDescription;
  readonly storageId: string;
  /** The version of the settings. It rises with every change that readers or writers of items must know. */
  readonly epoch: number;
}

/** The slots that are being filled: a new index, or the expiries. */
export function fillingSlots(record: TableRecord): number[] {
  const index = fillingSlot(record);
  const { expiry } = record;
  return [
    ...(index === undefined ? [] : [index]),
    ...(expiry === undefined || expiry.filled ? [] : [expiry.slot]),
  ];
}

/** The record of a table that begins. */
export function newTableRecord(description: TableDescription, storageId: string): TableRecord {
  return { format: 2, description, storageId, epoch: 1, ...begunState(description) };
}

export function encodeRecord(record: TableRecord): Uint8Array {
  return encodeUtf8(JSON.stringify(record));
}

const recordFields: Fields<TableRecord> = {
  format: oneOf(2),
  description: descriptionField,
  storageId: text,
  epoch: whole,
  ...stateFields,
};
const recordField = object(recordFields);

/**
 * Reads a record and checks all its members. A member that no part knows was written by a later version, whose feature
 * must not be ignored: such a table is refused, like one of another format.
 */
export function decodeRecord(bytes: Uint8Array): TableRecord {
  const record = parseRecord(bytes);
  if (record.format === 1)
    throw new StoreError(
      'format',
      'The store has a table record of an unreleased version of Stator (format 1): export its tables with that version',
    );
  if (!Number.isSafeInteger(record.format)) throw damaged('a table record without a format');
  if (record.format !== 2)
    throw new StoreError(
      'format',
      `The store has a table record of format ${record.format}, and this version of Stator reads format 2: use the version that wrote it`,
    );
  if (!isA(recordField, record))
    throw damaged(`a table record that is damaged: its value${recordField.fault(record)}`);
  const unknown =
    unknownMember(record, recordFields) ??
    unknownMember(record.description, descriptionFields, 'description.');
  if (unknown === undefined) return record;
  throw new StoreError(
    'format',
    `The store has a record of table ${record.description.tableName} with "${unknown}", which this version of Stator does not know: use the version that wrote it`,
  );
}

function parseRecord(bytes: Uint8Array): { readonly format?: unknown; readonly description?: unknown } {
  let parsed: unknown;
  try {
    parsed = parseJson(decodeUtf8(bytes));
  } catch {
    throw damaged('a table record that is damaged: it is no JSON');
  }
  if (typeof parsed === 'object' && parsed !== null) return parsed;
  throw damaged('a table record that is damaged: it is no JSON object');
}

function unknownMember(value: object, fields: object, path = ''): string | undefined {
  const found = Object.keys(value).find((name) => !Object.hasOwn(fields, name));
  return found === undefined ? undefined : path + found;
}

function damaged(what: string): StoreError {
  return new StoreError('corrupt', `The store has ${what}`);
}

/** A table, prepared for reading and writing items. Everything here is computed once instead of for every request. */
export interface Table {
  readonly scope: Scope;
  readonly record: TableRecord;
  readonly name: string;
  readonly schema: TableSchema;
  readonly prefix: Uint8Array;
  readonly counters: SlotCounters;
  readonly indexes: readonly TableIndex[];
  /** Whether the sizes of item collections are counted: an index has its entries in them. */
  readonly hasCollections: boolean;
  /** The index that is being filled. */
  readonly filling: TableIndex | undefined;
  /** The expiry settings, if Time to Live is enabled. */
  readonly expiry: TableExpiry | undefined;
  /**
   * The names of the attributes that every write needs: the keys of the table and its indexes, the expiry attribute,
   * and the attributes that an index with projection INCLUDE projects. Of all other attributes a write needs only the
   * bytes.
   */
  readonly placingNames: ReadonlySet<string>;
  /** The open buckets of the change log, if the log has followers. */
  readonly log: LogPlaces | undefined;
  /** Where writers keep the images that they replace, if somebody needs them. */
  readonly history: HistoryPlace | undefined;
  /** The era of writes, and the first era of the period under which they keep images. */
  readonly era: number;
  readonly period: number;
  /** The earliest time of a write in this era, in microseconds. */
  readonly earliestWrite: number;
  readonly epochKey: Uint8Array;
  readonly epoch: Uint8Array;
}

export interface TableIndex {
  readonly kind: IndexKind;
  /** How indexes of the kind behave. */
  readonly traits: IndexTraits;
  readonly schema: IndexSchema;
  readonly slot: number;
  readonly prefix: Uint8Array;
  readonly counters: SlotCounters;
}

export function prepareTable(scope: Scope, record: TableRecord): Table {
  const { description, storageId } = record;
  const schema = schemaOf(description);
  const prefix = entryPrefix(storageId, 0);
  const index = (kind: IndexKind, indexSchema: IndexSchema): TableIndex => {
    const slot = record.slots[indexSchema.name]!;
    const indexPrefix = entryPrefix(storageId, slot);
    const counters = slotCounters(indexPrefix);
    return { kind, traits: indexBehaviours[kind], schema: indexSchema, slot, prefix: indexPrefix, counters };
  };
  const indexes = indexKinds.flatMap((kind) =>
    schema[`${kind}Indexes`].map((indexSchema) => index(kind, indexSchema)),
  );
  const filling = fillingSlot(record);
  const expiry = expiryOf(record);
  return {
    scope,
    record,
    name: description.tableName,
    schema,
    prefix,
    counters: slotCounters(prefix),
    indexes,
    hasCollections: indexes.some(({ traits }) => traits.collection === 'of the item'),
    filling: filling === undefined ? undefined : indexes.find(({ slot }) => slot === filling),
    expiry,
    placingNames: placingNames(schema, expiry),
    log:
      record.followers === undefined
        ? undefined
        : new LogPlaces(storageId, bucketsAt(layoutOf(record), record.epoch)),
    history: record.history && historyPlace(storageId, record.history.slot),
    era: record.order?.era ?? firstEra,
    period: record.history?.period ?? firstEra,
    earliestWrite: record.history === undefined ? 0 : (record.order?.beganMicros ?? 0),
    epochKey: epochKey(storageId),
    epoch: encodeEpoch(record.epoch),
  };
}

function expiryOf({ description, storageId, expiry }: TableRecord): TableExpiry | undefined {
  if (description.ttl === undefined || expiry === undefined) return undefined;
  const { slot, filled } = expiry;
  const { attributeName } = description.ttl;
  return { attributeName, slot, prefix: entryPrefix(storageId, slot), isFilled: filled };
}

function placingNames(schema: TableSchema, expiry: TableExpiry | undefined): ReadonlySet<string> {
  const names = new Set(keyAttributes(schema).map(({ name }) => name));
  for (const { hash, range, projection } of allIndexes(schema)) {
    for (const { name } of [...hash, ...range]) names.add(name);
    if (projection.type === 'INCLUDE') for (const name of projection.names) names.add(name);
  }
  if (expiry !== undefined) names.add(expiry.attributeName);
  return names;
}

export function encodeEpoch(epoch: number): Uint8Array {
  return encodeUtf8(String(epoch));
}

function schemaOf(description: TableDescription): TableSchema {
  const types = new Map(
    description.attributeDefinitions.map((each) => [each.AttributeName, each.AttributeType]),
  );
  const attributes = (keySchema: readonly KeySchemaElement[], keyType: 'HASH' | 'RANGE'): KeyAttribute[] =>
    keySchema
      .filter((element) => element.KeyType === keyType)
      .map(({ AttributeName: name }) => ({ name, type: types.get(name)! }));
  const index = (found: LocalIndexDescription): IndexSchema => ({
    name: found.indexName,
    hash: attributes(found.keySchema, 'HASH'),
    range: attributes(found.keySchema, 'RANGE'),
    projection:
      found.projection.ProjectionType === 'INCLUDE'
        ? { type: 'INCLUDE', names: found.projection.NonKeyAttributes ?? [] }
        : { type: found.projection.ProjectionType },
  });
  return {
    hash: attributes(description.keySchema, 'HASH')[0]!,
    range: attributes(description.keySchema, 'RANGE')[0],
    localIndexes: indexBehaviours.local.in(description).map(index),
    globalIndexes: indexBehaviours.global.in(description).map(index),
  };
}

/** Compares two stored epochs. */
export function sameEpoch(found: Uint8Array | undefined, expected: Uint8Array): boolean {
  return found !== undefined && equalBytes(found, expected);
}
