import { DynamoError, validationError } from '../../model/errors.ts';
import { type Hash16, tableKey } from '../../model/keys/keys.ts';
import { primaryKeyOf } from '../../model/tables/table-schema.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { equalBytes } from '../../model/values/bytes.ts';
import type { Table } from '../tables/table-record.ts';
import type { TableName } from '../tables/table-requests.ts';
import { transactionCancelled } from './cancellation.ts';

/** What a transaction asks of one item, whatever words it was asked in. */
export interface TransactAction<Plan extends ActionPlan> extends TableName {
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
 * Plans all actions of a transaction on their tables. Errors are told in this order: what makes the service refuse the
 * whole request, what cancels it, and one item named twice; a key that does not fit its table cannot be compared with
 * others (the order of the last two is that of reimplementations which follow the service).
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
