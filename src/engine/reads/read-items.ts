import type { DynamoError } from '../../model/errors.ts';
import { type Hash16, partitionHash, tableKey } from '../../model/keys/keys.ts';
import { requestLimits } from '../../model/limits.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import { readItemBytes } from '../../model/stored/stored-item.ts';
import { primaryKeyOf } from '../../model/tables/table-schema.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { toHex } from '../../model/values/hex.ts';
import { type ReadConsistency, readUnits } from '../../physics/units.ts';
import { type Consumed, consumedAt, sumConsumed } from '../consumed.ts';
import { itemTouch, type Refusals, type Road } from '../road.ts';
import { sameEpoch, type Table } from '../tables/table-record.ts';
import { onTables, type TableDeps, type TableName } from '../tables/table-requests.ts';
import { stale } from '../writes/write-item.ts';

/** The keys that a request reads from one table. */
export interface KeysRead extends TableName {
  readonly consistency: ReadConsistency;
  /** Checks the keys against the table; pure. */
  keysOn(table: Table): readonly Item[] | DynamoError;
}

/** What was found in one table. */
export interface TableItems {
  /** One for each key, in their order: the stored item, undefined where there is none, or `left`. */
  readonly found: readonly (Uint8Array | undefined | typeof left)[];
  /** Undefined when every key was left. */
  readonly consumed: Consumed | undefined;
}

/** A key that was not read: the request reached its limits, or the key was refused. */
export const left = Symbol('left');

interface PlannedKeys {
  readonly table: Table;
  readonly keys: readonly Item[];
  readonly storeKeys: readonly Uint8Array[];
}

/**
 * Reads items of several tables in one call to the Store, all in one committed state. A store that others write to is
 * asked for the tables' epochs in the same call. Keys that are refused are left; when all of them are, the request fails
 * with the first refusal.
 */
export function readItems(
  deps: TableDeps & { readonly h16: Hash16 },
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
  { store }: TableDeps,
  road: Road,
  reads: readonly KeysRead[],
  planned: readonly PlannedKeys[],
  refused: readonly (DynamoError | undefined)[],
): MaybePromise<readonly TableItems[] | typeof stale> {
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
      const errors = refused.slice(start - epochKeys.length, end - epochKeys.length);
      start = end;
      const items = itemsOf(plan, stored, errors, budget, reads[i]!.consistency);
      if (items.consumed !== undefined) road.charge(plan.table, 'read', items.consumed);
      return items;
    });
  });
}

function itemsOf(
  { table, storeKeys }: PlannedKeys,
  stored: readonly (Uint8Array | undefined)[],
  refused: readonly (DynamoError | undefined)[],
  budget: ReadBudget,
  consistency: ReadConsistency,
): TableItems {
  const consumed: Consumed[] = [];
  const found = stored.map((item, k): TableItems['found'][number] => {
    const bytes = item === undefined ? 0 : readItemBytes(item);
    const partition = toHex(partitionHash(storeKeys[k]!, table.prefix.length));
    if (refused[k] !== undefined || !budget.takes(`${table.record.storageId}/${partition}`, bytes))
      return left;
    consumed.push(consumedAt(readUnits(bytes, consistency), storeKeys[k]));
    return item;
  });
  return { found, consumed: consumed.length === 0 ? undefined : sumConsumed(consumed) };
}

/**
 * What one request may read. Items count as they are stored, whatever a projection leaves of them. All items together
 * stay within 16 MB; the first that would not ends the answer, so that the keys that are left are the last ones. Of one
 * partition key no more is read once 1 MB of its items has been: the item that reaches the limit is still answered
 * (before 2024, tables of one partition were seen to answer up to 1 MB and the better part of one more item). Items of
 * one partition key certainly share a partition; that others might too is not considered.
 */
class ReadBudget {
  #bytes = 0;
  #isSpent = false;
  readonly #byPartition = new Map<string, number>();

  takes(partition: string, bytes: number): boolean {
    const ofPartition = this.#byPartition.get(partition) ?? 0;
    if (ofPartition >= requestLimits.batchGetPartitionBytesMax) return false;
    this.#isSpent ||= this.#bytes + bytes > requestLimits.batchGetBytesMax;
    if (this.#isSpent) return false;
    this.#byPartition.set(partition, ofPartition + bytes);
    this.#bytes += bytes;
    return true;
  }
}
