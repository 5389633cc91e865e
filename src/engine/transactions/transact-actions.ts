import { DynamoError, validationError } from '../../model/errors.ts';
import { type Hash16, tableKey } from '../../model/keys/keys.ts';
import { primaryKeyOf } from '../../model/tables/table-schema.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { equalBytes } from '../../model/values/bytes.ts';
import type { Table } from '../tables/table-record.ts';
import type { TableName } from '../tables/table-requests.ts';
import { transactionCancelled } from './cancellation.ts';

/** One action of a transaction. TransactWriteItems, TransactGetItems and PartiQL statements all become actions. */
export interface TransactAction<Plan extends ActionPlan> extends TableName {
  /**
   * The error for which the service refuses the whole request, such as an empty key. Pure, like `plan`: both are called
   * again with the new table if the table has changed.
   */
  refusal(table: Table): DynamoError | undefined;
  /** The plan of the action, or the error that cancels the transaction. */
  plan(table: Table): Plan | DynamoError;
}

export interface ActionPlan {
  /** The item's key attributes, already checked. */
  readonly key: Item;
}

export interface PlannedAction<Plan extends ActionPlan> {
  readonly table: Table;
  readonly plan: Plan;
  /** The store key of the item. */
  readonly key: Uint8Array;
}

/**
 * Plans all actions of a transaction on their tables. Errors have this order: first those that refuse the whole
 * request, then those that cancel it, then two actions on one item. A key that does not fit its table cannot be
 * compared with others. (The order of the last two is that of reimplementations which follow the service.)
 */
export function planActions<Plan extends ActionPlan>(
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
  return hasDuplicate(planned)
    ? validationError('Transaction request cannot include multiple operations on one item')
    : planned;
}

/**
 * Compares every pair of keys. Keys differ early, in their hashes, so comparing a hundred keys pairwise is cheaper than
 * building a string for each.
 */
function hasDuplicate(planned: readonly PlannedAction<ActionPlan>[]): boolean {
  return planned.some(({ key }, i) => {
    for (let k = 0; k < i; k++) if (equalBytes(planned[k]!.key, key)) return true;
    return false;
  });
}
