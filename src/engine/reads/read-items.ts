import type { DynamoError } from '../../model/errors.ts';
import { partitionHash, tableKey } from '../../model/keys/keys.ts';
import { requestLimits } from '../../model/limits.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import { readItemBytes } from '../../model/stored/stored-item.ts';
import { primaryKeyOf } from '../../model/tables/table-schema.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { toHex } from '../../model/values/hex.ts';
import { type ReadConsistency, readUnits } from '../../physics/units.ts';
import { type Consumed, consumedAt, sumConsumed } from '../consumed.ts';
import { itemTouch, type Refusals, type Road } from '../road.ts';
import type { StaleReads } from '../stale-reads.ts';
import { sameEpoch, type Table } from '../tables/table-record.ts';
import { onTables, type TableName } from '../tables/table-requests.ts';
import { stale } from '../writes/write-item.ts';
import type { ItemReadDeps } from './read-item.ts';

/** The keys that a request reads from one table. */
export interface KeysRead extends TableName {
  readonly consistency: ReadConsistency;
  /** Checks the keys against the table. Pure. */
  keysOn(table: Table): readonly Item[] | DynamoError;
}

/** The items of one table. */
export interface TableItems {
  /** The result for each key, in order: the stored item, undefined if it does not exist, or `left`. */
  readonly found: readonly (Uint8Array | undefined | typeof left)[];
  /** The consumption. Undefined if every key was left. */
  readonly consumed: Consumed | undefined;
}

/** Marks a key that was not read: the request reached its limits, or the key was refused. */
export const left = Symbol('left');

interface PlannedKeys {
  readonly table: Table;
  readonly keys: readonly Item[];
  readonly storeKeys: readonly Uint8Array[];
}

/**
 * Reads items of several tables in one call to the Store, all in one committed state. If other processes can write to
 * the store, the same call reads the tables' epochs. Refused keys are left. If all keys are refused, the request fails
 * with the first refusal.
 */
export function readItems(
  deps: ItemReadDeps,
  road: Road,
  reads: readonly KeysRead[],
): MaybePromise<readonly TableItems[] | DynamoError> {
  const run = (planned: readonly PlannedKeys[], refused: readonly (DynamoError | undefined)[]) =>
    runReads(deps, road, reads, planned, refused);
  return onTables<readonly PlannedKeys[], readonly TableItems[]>(deps, road, {
    names: reads,
    plan(tables) {
      const planned: PlannedKeys[] = [];
      for (const [i, table] of tables.entries()) {
        const keys = reads[i]!.keysOn(table);
        if (!Array.isArray(keys)) return keys as DynamoError;
        const items = keys as readonly Item[];
        const storeKeys = items.map((key) =>
          tableKey(table.prefix, primaryKeyOf(table.schema, key), deps.h16),
        );
        planned.push({ table, keys: items, storeKeys });
      }
      return planned;
    },
    touches: (planned) =>
      planned.flatMap(({ table, keys, storeKeys }) =>
        keys.map((key, k) => itemTouch('read', table, storeKeys[k]!, key)),
      ),
    refused: (refusals: Refusals, planned) =>
      refusals.isWhole || refusals.each.every((error) => error !== undefined)
        ? refusals.first
        : run(planned, refusals.each),
    run: (planned) => run(planned, []),
  });
}

function runReads(
  deps: ItemReadDeps,
  road: Road,
  reads: readonly KeysRead[],
  planned: readonly PlannedKeys[],
  refused: readonly (DynamoError | undefined)[],
): MaybePromise<readonly TableItems[] | typeof stale> {
  const { store } = deps;
  const tables = store.exclusive ? [] : planned.map(({ table }) => table);
  const epochKeys = tables.map(({ epochKey }) => epochKey);
  const itemKeys = planned.flatMap(({ storeKeys }) => storeKeys);
  return whenDone(store.getMany([...epochKeys, ...itemKeys]), (values) => {
    if (tables.some(({ epoch }, i) => !sameEpoch(values[i], epoch))) return stale;
    const budget = new ReadBudget();
    let start = epochKeys.length;
    return planned.map((plan, i) => {
      const end = start + plan.keys.length;
      const stored = values.slice(start, end);
      if (reads[i]!.consistency === 'eventual') showPast(deps.staleReadsOf(plan.table), road, plan, stored);
      const errors = refused.slice(start - epochKeys.length, end - epochKeys.length);
      start = end;
      return itemsOf(road, plan, stored, errors, budget, reads[i]!.consistency);
    });
  });
}

/** Puts what an eventually consistent read gets in the place of newer items. */
function showPast(
  staleReads: StaleReads | undefined,
  road: Road,
  { storeKeys }: PlannedKeys,
  stored: (Uint8Array | undefined)[],
): void {
  if (staleReads === undefined) return;
  for (const [k, key] of storeKeys.entries()) {
    const past = staleReads.instead(key);
    if (past === undefined) continue;
    stored[k] = past.value;
    road.noteStale?.();
  }
}

function itemsOf(
  road: Road,
  { table, storeKeys }: PlannedKeys,
  stored: readonly (Uint8Array | undefined)[],
  refused: readonly (DynamoError | undefined)[],
  budget: ReadBudget,
  consistency: ReadConsistency,
): TableItems {
  const consumed: Consumed[] = [];
  const found = stored.map((item, k): TableItems['found'][number] => {
    const bytes = item === undefined ? 0 : readItemBytes(item);
    if (refused[k] !== undefined || !budget.takes(table, storeKeys[k]!, bytes)) return left;
    consumed.push(consumedAt(readUnits(bytes, consistency), storeKeys[k]));
    return item;
  });
  if (consumed.length === 0) return { found, consumed: undefined };
  // Items lie in many partitions, so each is charged where it lies.
  road.chargeEach(table, 'read', consumed);
  return { found, consumed: sumConsumed(consumed) };
}

/**
 * The limits of one request. Items count with their stored size, whatever the projection.
 *
 * All items together stay within 16 MB. The first item that would exceed the limit ends the answer, so the last keys of
 * the request are left.
 *
 * A partition key is not read any further once 1 MB of its items was read. The item that reaches the limit is still
 * returned (observed: public suites before 2024). Items of
 * one partition key certainly share a partition; that other items might share it too is not considered.
 */
class ReadBudget {
  #bytes = 0;
  #isSpent = false;
  /** What was taken so far, until that could be too much for one partition. Few requests come that far. */
  #taken: Taken[] = [];
  #byPartition: Map<string, number> | undefined;

  takes(table: Table, key: Uint8Array, bytes: number): boolean {
    const partitions = this.#byPartition;
    if (partitions !== undefined) {
      const ofPartition = partitions.get(partitionName(table, key)) ?? 0;
      if (ofPartition >= requestLimits.batchGetPartitionBytesMax) return false;
    }
    this.#isSpent ||= this.#bytes + bytes > requestLimits.batchGetBytesMax;
    if (this.#isSpent) return false;
    this.#bytes += bytes;
    if (partitions === undefined) this.#note({ table, key, bytes });
    else addTo(partitions, table, key, bytes);
    return true;
  }

  #note(taken: Taken): void {
    this.#taken.push(taken);
    if (this.#bytes < requestLimits.batchGetPartitionBytesMax) return;
    this.#byPartition = new Map();
    for (const { table, key, bytes } of this.#taken) addTo(this.#byPartition, table, key, bytes);
    this.#taken = [];
  }
}

interface Taken {
  readonly table: Table;
  readonly key: Uint8Array;
  readonly bytes: number;
}

function addTo(partitions: Map<string, number>, table: Table, key: Uint8Array, bytes: number): void {
  const name = partitionName(table, key);
  partitions.set(name, (partitions.get(name) ?? 0) + bytes);
}

function partitionName({ prefix, record: { storageId } }: Table, key: Uint8Array): string {
  return `${storageId}/${toHex(partitionHash(key, prefix.length))}`;
}
