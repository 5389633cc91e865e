import { DynamoError } from '../../model/errors.ts';
import { type Hash16, tableKey } from '../../model/keys/keys.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import { readItemBytes } from '../../model/stored/stored-item.ts';
import { primaryKeyOf } from '../../model/tables/table-schema.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { type ReadConsistency, readUnits } from '../../physics/units.ts';
import { type Consumed, consumedAt } from '../consumed.ts';
import { itemTouch, type Road } from '../road.ts';
import type { StaleReads } from '../stale-reads.ts';
import { sameEpoch, type Table } from '../tables/table-record.ts';
import { onTables, type TableDeps, type TableName } from '../tables/table-requests.ts';
import { stale } from '../writes/write-item.ts';

/** The stored item, if it exists, and the cost of reading it. */
export interface ItemRead {
  readonly stored: Uint8Array | undefined;
  readonly consumed: Consumed;
}

export interface ItemReadDeps extends TableDeps {
  readonly h16: Hash16;
  /** What eventually consistent readers may still see of a table. */
  staleReadsOf(table: Table): StaleReads | undefined;
}

interface ItemReadPlan {
  readonly table: Table;
  readonly key: Item;
  readonly storeKey: Uint8Array;
}

/** Reads one item. If other processes can write to the store, the same round trip reads the table's epoch. */
export function readItem(
  deps: ItemReadDeps,
  road: Road,
  name: TableName,
  consistency: ReadConsistency,
  keyOn: (table: Table) => Item | DynamoError,
): MaybePromise<ItemRead | DynamoError> {
  const { store } = deps;
  return onTables<ItemReadPlan, ItemRead>(deps, road, {
    names: [name],
    plan(tables) {
      const table = tables[0]!;
      const key = keyOn(table);
      if (key instanceof DynamoError) return key;
      return { table, key, storeKey: tableKey(table.prefix, primaryKeyOf(table.schema, key), deps.h16) };
    },
    touches: ({ table, key, storeKey }) => [itemTouch('read', table, storeKey, key)],
    run({ table, storeKey }) {
      const charged = (stored: Uint8Array | undefined): ItemRead => {
        const units = readUnits(stored === undefined ? 0 : readItemBytes(stored), consistency);
        const consumed = consumedAt(units, storeKey);
        road.charge(table, 'read', consumed);
        return { stored, consumed };
      };
      if (store.exclusive) {
        const past = consistency === 'eventual' ? deps.staleReadsOf(table)?.instead(storeKey) : undefined;
        if (past === undefined) return whenDone(store.get(storeKey), charged);
        road.noteStale?.();
        return charged(past.value);
      }
      return whenDone(store.getMany([table.epochKey, storeKey]), ([epoch, stored]) =>
        sameEpoch(epoch, table.epoch) ? charged(stored) : stale,
      );
    },
  });
}
