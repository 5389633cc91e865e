import type {
  GlobalIndexDescription,
  KeySchemaElement,
  LocalIndexDescription,
  TableDescription,
} from '../model/table-description.ts';
import type { IndexSchema, KeyAttribute, TableSchema } from '../model/table-schema.ts';
import { decodeUtf8, encodeUtf8 } from '../model/utf8.ts';
import { entryPrefix, epochKey, type Scope, type SlotCounters, slotCounters } from './store-keys.ts';

/** What the catalogue keeps of a table, as JSON under its name. */
export interface TableRecord {
  readonly format: 1;
  readonly description: TableDescription;
  readonly storageId: string;
  /** Raised with every change that writers or readers of items must know of. */
  readonly epoch: number;
  /** Where each index keeps its entries; a slot is never used again for another index. */
  readonly slots: Readonly<Record<string, number>>;
  readonly nextSlot: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly phases: Phases;
  /** The label of the newest stream, running or not. */
  readonly latestStreamLabel?: string;
  /** When the TTL setting was changed, for its cool-down. */
  readonly ttlChangedAt?: number;
}

/** When the passing states of a table end, in milliseconds: a state that ends in the past is over. */
export interface Phases {
  readonly creatingUntil?: number;
  readonly updatingUntil?: number;
  readonly deletingUntil?: number;
}

export type TableStatus = 'CREATING' | 'ACTIVE' | 'UPDATING' | 'DELETING';

/** A table whose deletion has come to its end is gone, although its record may still lie there. */
export function statusAt(record: TableRecord, nowMs: number): TableStatus | 'gone' {
  const { creatingUntil, updatingUntil, deletingUntil } = record.phases;
  if (deletingUntil !== undefined) return nowMs < deletingUntil ? 'DELETING' : 'gone';
  if (creatingUntil !== undefined && nowMs < creatingUntil) return 'CREATING';
  return updatingUntil !== undefined && nowMs < updatingUntil ? 'UPDATING' : 'ACTIVE';
}

export function encodeRecord(record: TableRecord): Uint8Array {
  return encodeUtf8(JSON.stringify(record));
}

export function decodeRecord(bytes: Uint8Array): TableRecord {
  const record = JSON.parse(decodeUtf8(bytes)) as TableRecord;
  if (record.format !== 1) throw new Error(`a table record of the unknown format ${record.format}`);
  return record;
}

/** A table made ready for reading and writing items: what is worked out once instead of with every request. */
export interface Table {
  readonly scope: Scope;
  readonly record: TableRecord;
  readonly name: string;
  readonly schema: TableSchema;
  readonly prefix: Uint8Array;
  readonly counters: SlotCounters;
  readonly indexes: readonly TableIndex[];
  readonly epochKey: Uint8Array;
  readonly epoch: Uint8Array;
}

export interface TableIndex {
  readonly kind: 'local' | 'global';
  readonly schema: IndexSchema;
  readonly prefix: Uint8Array;
  readonly counters: SlotCounters;
}

export function prepareTable(scope: Scope, record: TableRecord): Table {
  const { description, storageId } = record;
  const schema = schemaOf(description);
  const prefix = entryPrefix(storageId, 0);
  const index = (kind: 'local' | 'global') => (indexSchema: IndexSchema) => {
    const indexPrefix = entryPrefix(storageId, record.slots[indexSchema.name]!);
    return { kind, schema: indexSchema, prefix: indexPrefix, counters: slotCounters(indexPrefix) };
  };
  return {
    scope,
    record,
    name: description.tableName,
    schema,
    prefix,
    counters: slotCounters(prefix),
    indexes: [...schema.localIndexes.map(index('local')), ...schema.globalIndexes.map(index('global'))],
    epochKey: epochKey(storageId),
    epoch: encodeEpoch(record.epoch),
  };
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
  const index = (found: LocalIndexDescription | GlobalIndexDescription): IndexSchema => ({
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
    localIndexes: description.lsis.map(index),
    globalIndexes: description.gsis.map(index),
  };
}

/** Whether two epochs, as they lie in the store, are the same. */
export function sameEpoch(found: Uint8Array | undefined, expected: Uint8Array): boolean {
  if (found === undefined || found.length !== expected.length) return false;
  for (let i = 0; i < expected.length; i++) if (found[i] !== expected[i]) return false;
  return true;
}
