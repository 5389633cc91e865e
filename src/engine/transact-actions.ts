import type { Item } from '../model/attribute-value.ts';
import { equalBytes } from '../model/bytes.ts';
import { DynamoError, validationError } from '../model/errors.ts';
import { type Hash16, tableKey } from '../model/keys.ts';
import { type MaybePromise, whenAllDone, whenDone } from '../model/maybe-promise.ts';
import { primaryKeyOf } from '../model/table-schema.ts';
import { transactionCancelled } from './cancellation.ts';
import type { Scope } from './store-keys.ts';
import type { Table } from './table-record.ts';
import { forgetStale, type TableDesk } from './table-requests.ts';

/** What a transaction asks of one item, whatever words it was asked in. */
export interface TransactAction<Plan extends ActionPlan> {
  readonly scope: Scope;
  readonly tableName: string;
  /**
   * The error for which the service refuses the whole request, such as an empty key. Pure, like `plan`: both are
   * called again, with the table as it is then, when the table has changed meanwhile.
   */
  refusal(table: Table): DynamoError | undefined;
  /** What is to be done, or the error for which the transaction is cancelled. */
  plan(table: Table): Plan | DynamoError;
}

export interface ActionPlan {
  /** The item's key attributes, checked. */
  readonly key: Item;
}

export interface PlannedAction<Plan extends ActionPlan> {
  readonly table: Table;
  readonly plan: Plan;
  /** Where the item lies in the Store. */
  readonly key: Uint8Array;
}

/**
 * Plans all actions of a transaction on their tables. What is wrong is told in this order: missing tables, what makes
 * the whole request be refused, what cancels it, and one item named twice; a key that does not fit its table cannot be
 * compared with others (the order of the last two is that of reimplementations which follow the service). It is told
 * only of tables as they are now: a cached one may have been replaced by another process.
 */
export function planActions<Plan extends ActionPlan>(
  desk: TableDesk,
  h16: Hash16,
  actions: readonly TransactAction<Plan>[],
): MaybePromise<readonly PlannedAction<Plan>[] | DynamoError> {
  return whenDone(whenAllDone(lookUp(desk, actions)), (found) => {
    const missing = found.find((table) => table instanceof DynamoError);
    if (missing !== undefined) return missing;
    const tables = found as readonly Table[];
    const planned = planAll(h16, actions, tables);
    if (!(planned instanceof DynamoError) || desk.store.exclusive) return planned;
    const distinct = [...new Set(tables)];
    return whenDone(desk.store.getMany(distinct.map(({ epochKey }) => epochKey)), (epochs) =>
      forgetStale(desk.catalogue, distinct, epochs) ? planActions(desk, h16, actions) : planned,
    );
  });
}

/** The table of each action; those that name the same one get the same object. */
function lookUp(
  desk: TableDesk,
  actions: readonly TransactAction<ActionPlan>[],
): MaybePromise<Table | DynamoError>[] {
  const byName = new Map<string, MaybePromise<Table | DynamoError>>();
  return actions.map(({ scope, tableName }) => {
    const id = `${scope.account}/${scope.region}/${tableName}`;
    const table = byName.get(id) ?? desk.table(scope, tableName);
    byName.set(id, table);
    return table;
  });
}

function planAll<Plan extends ActionPlan>(
  h16: Hash16,
  actions: readonly TransactAction<Plan>[],
  tables: readonly Table[],
): readonly PlannedAction<Plan>[] | DynamoError {
  for (const [i, action] of actions.entries()) {
    const refusal = action.refusal(tables[i]!);
    if (refusal !== undefined) return refusal;
  }
  const plans = actions.map((action, i) => action.plan(tables[i]!));
  const failures = plans.map((plan) => (plan instanceof DynamoError ? plan : undefined));
  if (failures.some((failure) => failure !== undefined)) return transactionCancelled(failures);
  const planned = (plans as readonly Plan[]).map((plan, i): PlannedAction<Plan> => {
    const table = tables[i]!;
    return { table, plan, key: tableKey(table.prefix, primaryKeyOf(table.schema, plan.key), h16) };
  });
  return hasOneTwice(planned)
    ? validationError('Transaction request cannot include multiple operations on one item')
    : planned;
}

/** Keys differ in their hashes, so that to compare all of a hundred takes less than to make something of each. */
function hasOneTwice(planned: readonly PlannedAction<ActionPlan>[]): boolean {
  return planned.some(({ key }, i) => {
    for (let k = 0; k < i; k++) if (equalBytes(planned[k]!.key, key)) return true;
    return false;
  });
}
