import { parseJson } from '../../model/json/parse-json.ts';
import type {
  GlobalIndexDescription,
  KeySchemaElement,
  LocalIndexDescription,
  TableDescription,
} from '../../model/tables/table-description.ts';
import {
  allIndexes,
  type IndexSchema,
  type KeyAttribute,
  keyAttributes,
  type TableSchema,
} from '../../model/tables/table-schema.ts';
import { equalBytes } from '../../model/values/bytes.ts';
import { decodeUtf8, encodeUtf8 } from '../../model/values/utf8.ts';
import type { PhysicsOverrides } from '../../physics/modes.ts';
import { StoreError } from '../../storage/store-error.ts';
import type { Follower } from '../change-log/follower.ts';
import { bucketsAt, type LogLayout, LogPlaces, layoutOf } from '../change-log/log-layout.ts';
import type { KinesisDestination } from '../destinations/destination.ts';
import type { TableExpiry } from '../expiry/expiry-entries.ts';
import { type HistoryPlace, historyPlace } from '../history/history-keys.ts';
import { firstEra } from '../history/stamp.ts';
import { isUnderWay } from '../phase-end.ts';
import { entryPrefix, epochKey, type Scope, type SlotCounters, slotCounters } from '../store-keys.ts';
import type { InsightSetting } from './insight-settings.ts';

/** The record of a table in the catalogue, stored as JSON under its name. */
export interface TableRecord {
  readonly format: 2;
  readonly description: TableDescription;
  readonly storageId: string;
  /** The version of the settings. It rises with every change that readers or writers of items must know. */
  readonly epoch: number;
  /** The slot of each index, by name. A slot is never reused for another index. */
  readonly slots: Readonly<Record<string, number>>;
  readonly nextSlot: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly phases: Phases;
  /** The global index that is being created or deleted. There is one at a time. */
  readonly indexPhase?: IndexPhase;
  /** The label of the newest stream, enabled or not. */
  readonly latestStreamLabel?: string;
  /** The readers of the change log. Absent if there are none; then writers append no change records. */
  readonly followers?: readonly Follower[];
  /** The buckets of the change log, from the first follower on. */
  readonly log?: LogLayout;
  /** The Kinesis destinations, present and past, newest first. */
  readonly destinations?: readonly KinesisDestination[];
  /** The slot of the expiry entries while Time to Live is enabled. */
  readonly expiry?: ExpirySlot;
  /** The time of the last change of the TTL setting, for its cool-down. */
  readonly ttlChangedAt?: number;
  /** The era of the table's writes. Absent until a moment of it is taken; then it rises with every moment. */
  readonly order?: TableOrder;
  /** The slot of old images, kept while anybody needs them: point-in-time recovery, or a job that reads the past. */
  readonly history?: KeptHistory;
  /** Point-in-time recovery, while it is on. */
  readonly recovery?: Recovery;
  /** The jobs that read the table as it was at a time. */
  readonly readers?: readonly PastReaderNote[];
  /** The restore that fills the table, until it is done. The table is then being created. */
  readonly restore?: RestoreNote;
  /** When deletion protection and tags were changed, where the service's intervals between changes are acted out. */
  readonly protectionChangedAt?: number;
  readonly tagsChangedAt?: number;
  /** Settings of the physical model for this table, where they were changed while a server ran. */
  readonly physics?: PhysicsOverrides;
  /** The settings of Contributor Insights of the table and its indexes. */
  readonly insights?: readonly InsightSetting[];
}

/** The era of a table's writes (`history/eras.ts`). It outlives the table's history. */
export interface TableOrder {
  readonly era: number;
  /** When the era began, by the clock of the process that began it. */
  readonly beganMicros: number;
  /** A time of a write in this era, noted now and then: a process that starts with an earlier clock begins an era. */
  readonly seenMicros?: number;
  /** The beginning of the last era that began because a clock went back. */
  readonly steppedMs?: number;
}

/** The slot of a table's old images. */
export interface KeptHistory {
  readonly slot: number;
  /** The first era of the period under which images are kept now. */
  readonly period: number;
  readonly periodBeganMicros: number;
}

/** Point-in-time recovery of a table. */
export interface Recovery {
  /** The earliest time, in milliseconds, that means an era of which every old image is kept. */
  readonly since: number;
  /** The earliest era of which every old image is kept. What deletes images raises it first. */
  readonly era: number;
  readonly periodDays: number;
}

/** A job that reads a table as it was: the images of its period and of later ones stay until it is done. */
export interface PastReaderNote {
  readonly jobId: string;
  readonly period: number;
  /** When the job was noted, in milliseconds. A note without a job is forgotten after a while. */
  readonly notedAt: number;
}

/** What a table that is being restored shows of its origin. */
export interface RestoreNote {
  readonly jobId: string;
  /** The moment that the table is restored to, in milliseconds. */
  readonly restoreDateTime: number;
  readonly sourceBackupArn?: string;
  readonly sourceTableArn?: string;
}

export interface ExpirySlot {
  /** The slot. Like the slot of an index, it is never reused. */
  readonly slot: number;
  /** Whether all items that existed before have their entries. */
  readonly filled: boolean;
}

/** The ends of the transitional states of a table, in milliseconds. A state whose end has passed is over. */
export interface Phases {
  readonly creatingUntil?: number;
  /** Whether a job fills the table: it is being created until the job is done, however long that takes. */
  readonly filledByJob?: true;
  readonly updatingUntil?: number;
  /** The part that is being updated, if other changes are refused with an error text of their own. */
  readonly updating?: 'throughput' | 'stream' | 'class';
  readonly deletingUntil?: number;
}

export type IndexPhase = CreatingIndex | DeletingIndex;

/**
 * An index that is being created. Writers maintain it from the start. It can be read once it is filled and `activeAt`
 * has passed.
 */
export interface CreatingIndex {
  readonly kind: 'creating';
  readonly indexName: string;
  /** Whether all items that existed before have their entries. */
  readonly filled: boolean;
  /** The number of items that are not in the index because their key attributes make no valid key. */
  readonly itemsLeftOut?: number;
  /** The times when backfilling starts and when it may end, if physics reproduces these phases. */
  readonly backfillsAt?: number;
  readonly activeAt?: number;
}

/**
 * An index that is being deleted. Writers no longer maintain it and its entries are removed. Only the description of
 * the table still shows it.
 */
export interface DeletingIndex {
  readonly kind: 'deleting';
  readonly index: GlobalIndexDescription;
  readonly until: number;
}

/** The index that is being created or deleted at the given time. */
export function indexPhaseAt(record: TableRecord, nowMs: number): IndexPhase | undefined {
  const { indexPhase: phase } = record;
  if (phase === undefined) return undefined;
  if (phase.kind === 'deleting') return isUnderWay(phase.until, nowMs) ? phase : undefined;
  return phase.filled && !isUnderWay(phase.activeAt, nowMs) ? undefined : phase;
}

/** The slot of the index that is being filled. */
export function fillingSlot({ indexPhase: phase, slots }: TableRecord): number | undefined {
  return phase?.kind === 'creating' && !phase.filled ? slots[phase.indexName] : undefined;
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

export type TableStatus = 'CREATING' | 'ACTIVE' | 'UPDATING' | 'DELETING';

/** The status of a table. A table is gone when its deletion is over, although its record may still exist. */
export function statusAt(record: TableRecord, nowMs: number): TableStatus | 'gone' {
  const { creatingUntil, updatingUntil, deletingUntil } = record.phases;
  if (deletingUntil !== undefined) return isUnderWay(deletingUntil, nowMs) ? 'DELETING' : 'gone';
  if (record.phases.filledByJob || isUnderWay(creatingUntil, nowMs)) return 'CREATING';
  return isUnderWay(updatingUntil, nowMs) ? 'UPDATING' : 'ACTIVE';
}

/**
 * A table in deletion has lost its data and its epoch already; to write its record again would bring the epoch back
 * and let a process with an old view of the table write into nothing.
 */
export function isLeaving(record: TableRecord): boolean {
  return record.phases.deletingUntil !== undefined;
}

/** The record of a table that is made now, with a slot for each of its indexes. Slot 0 holds the items. */
export function newTableRecord(
  description: TableDescription,
  storageId: string,
  tags: Readonly<Record<string, string>>,
): TableRecord {
  const names = [...description.lsis, ...description.gsis].map((index) => index.indexName);
  return {
    format: 2,
    description,
    storageId,
    epoch: 1,
    slots: Object.fromEntries(names.map((name, i) => [name, i + 1])),
    nextSlot: names.length + 1,
    tags,
    phases: {},
  };
}

export function encodeRecord(record: TableRecord): Uint8Array {
  return encodeUtf8(JSON.stringify(record));
}

export function decodeRecord(bytes: Uint8Array): TableRecord {
  const record = parseJson(decodeUtf8(bytes)) as Omit<TableRecord, 'format'> & { readonly format: number };
  if (record.format === 1)
    throw new StoreError(
      'format',
      'The store has a table record of an unreleased version of Stator (format 1): export its tables with that version',
    );
  if (record.format === 2) return record as TableRecord;
  if (!Number.isSafeInteger(record.format)) throw new Error('a table record without a format');
  throw new StoreError(
    'format',
    `The store has a table record of format ${record.format}, and this version of Stator reads format 2: use the version that wrote it`,
  );
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
  readonly kind: 'local' | 'global';
  readonly schema: IndexSchema;
  readonly slot: number;
  readonly prefix: Uint8Array;
  readonly counters: SlotCounters;
}

export function prepareTable(scope: Scope, record: TableRecord): Table {
  const { description, storageId } = record;
  const schema = schemaOf(description);
  const prefix = entryPrefix(storageId, 0);
  const index = (kind: 'local' | 'global') => (indexSchema: IndexSchema) => {
    const slot = record.slots[indexSchema.name]!;
    const indexPrefix = entryPrefix(storageId, slot);
    return { kind, schema: indexSchema, slot, prefix: indexPrefix, counters: slotCounters(indexPrefix) };
  };
  const indexes = [...schema.localIndexes.map(index('local')), ...schema.globalIndexes.map(index('global'))];
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

/** Compares two stored epochs. */
export function sameEpoch(found: Uint8Array | undefined, expected: Uint8Array): boolean {
  return found !== undefined && equalBytes(found, expected);
}
