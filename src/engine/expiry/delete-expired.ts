import { conditionalCheckFailed } from '../../model/errors.ts';
import type { Hash16 } from '../../model/keys/keys.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import { decodeItem } from '../../model/stored/stored-item.ts';
import { keyAttributes } from '../../model/tables/table-schema.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import type { Entry, Store } from '../../storage/store.ts';
import type { Observer } from '../events.ts';
import { IndexThrottle } from '../road.ts';
import type { Table } from '../tables/table-record.ts';
import type { InFlight } from '../transactions/in-flight.ts';
import { TooLong } from '../writes/evaluation.ts';
import {
  EntryInDoubt,
  type ItemPlan,
  type ItemWrite,
  planItem,
  RefusedWrite,
  stale,
  type WriteOutcome,
  type WriteResult,
  type WriteSettings,
  WriteUnit,
} from '../writes/write-item.ts';
import { expirySecond, secondOfEntry } from './expiry-entries.ts';

export interface DeletionDeps {
  readonly store: Store;
  readonly h16: Hash16;
  /** Where transactions that meet these deletions look. */
  inFlightOf(table: Table): InFlight | undefined;
  writeSettings(): WriteSettings;
  /** Called with every deletion. */
  noted(outcome: WriteOutcome): void;
  readonly observer: Observer | undefined;
}

/**
 * Deletes the items of some expiry entries, each in a unit of its own, which deletes an item only if its expiry is
 * unchanged: a write that changed it has updated the entry as well. Returns `stale` when the table has changed, and
 * otherwise whether the store made us wait.
 */
export async function deleteExpired(
  deps: DeletionDeps,
  table: Table,
  entries: readonly Entry[],
): Promise<typeof stale | 'at once' | 'waited'> {
  const items = await deps.store.getMany(entries.map(({ value }) => value));
  const writes = entries.flatMap(({ key }, i) => {
    const stored = items[i];
    return stored === undefined ? [] : [deletion(table, decodeItem(stored), secondOfEntry(key)!)];
  });
  let plans = writes.map((write) => planItem(table, write, deps.h16));
  let hasWaited = false;
  while (plans.length > 0) {
    const rest = run(deps, plans);
    hasWaited ||= rest instanceof Promise;
    const again = await rest;
    if (again === stale) return stale;
    plans = again;
  }
  return hasWaited ? 'waited' : 'at once';
}

function deletion(table: Table, item: Item, second: number): ItemWrite {
  const expiry = table.expiry!;
  const isStill = (before: Item | undefined) =>
    before !== undefined && expirySecond(expiry, before) === second;
  return {
    key: new Map(keyAttributes(table.schema).map(({ name }) => [name, item.get(name)!])),
    by: 'ttl',
    looksAt: table.placingNames,
    next: (before) => (isStill(before) ? { item: undefined } : conditionalCheckFailed()),
  };
}

/** Deletions by Time to Live consume no capacity of the table and its indexes, so that they are told without charges. */
function tell({ observer }: DeletionDeps, { scope, name }: Table, items: number): void {
  observer?.background?.({
    work: 'expiry',
    scope,
    tableName: name,
    indexName: undefined,
    items,
    charges: [],
  });
}

/** A deletion has no condition that could be too long. */
function isDeleted(result: Exclude<WriteResult, typeof stale | EntryInDoubt>): result is WriteOutcome {
  return !(result instanceof IndexThrottle || result instanceof RefusedWrite || result instanceof TooLong);
}

/** Returns the plans that have to run again because of an index that is being filled. */
function run(deps: DeletionDeps, plans: readonly ItemPlan[]): MaybePromise<ItemPlan[] | typeof stale> {
  const { store } = deps;
  const inFlight = deps.inFlightOf(plans[0]!.table);
  const settings = deps.writeSettings();
  const transact = () => store.transactMany(plans.map((plan) => new WriteUnit(plan, settings)));
  const keys = plans.map(({ key }) => key);
  const done = inFlight === undefined ? transact() : inFlight.holding('write', keys, transact);
  return whenDone(done, (outcomes) => {
    const again: ItemPlan[] = [];
    let deleted = 0;
    let isStale = false;
    let trouble: { readonly error: unknown } | undefined;
    for (const [i, outcome] of outcomes.entries()) {
      if (!outcome.ok) trouble = outcome;
      else if (outcome.result === stale) isStale = true;
      else if (outcome.result instanceof EntryInDoubt)
        again.push({ ...plans[i]!, doubt: outcome.result.key });
      else if (isDeleted(outcome.result)) {
        deps.noted(outcome.result);
        deleted++;
      }
    }
    if (deleted > 0) tell(deps, plans[0]!.table, deleted);
    if (trouble !== undefined) throw trouble.error;
    return isStale ? stale : again;
  });
}
