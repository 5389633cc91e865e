import { consumedAt } from '../../engine/consumed.ts';
import { Replay } from '../../engine/transactions/request-tokens.ts';
import type { WriteOutcome } from '../../engine/writes/write-item.ts';
import { setOwn } from '../../model/json/own-members.ts';
import { collectionsOf } from '../batches/batch-write-answer.ts';
import { transactCapacities } from '../consumed-capacity.ts';
import type { WriteAction } from './transact-action.ts';
import type { TransactWriteItemsInput } from './transact-write-items.ts';

/**
 * The answer of a committed transaction. A replayed transaction is charged as a read of its items. Its answer has no
 * item collections (guess).
 */
export function transactWriteAnswer(
  actions: readonly Pick<WriteAction, 'tableName' | 'item'>[],
  result: readonly WriteOutcome[] | Replay,
  input: Pick<TransactWriteItemsInput, 'ReturnConsumedCapacity' | 'ReturnItemCollectionMetrics'>,
): object {
  if (input.ReturnConsumedCapacity === undefined && input.ReturnItemCollectionMetrics === undefined)
    return {};
  const tableNames = actions.map((action) => action.tableName);
  const detail = input.ReturnConsumedCapacity;
  if (result instanceof Replay) {
    const read = result.readUnits.map((units) => consumedAt(units, undefined));
    return withCapacities(transactCapacities(detail, tableNames, read, 'ReadCapacityUnits'));
  }
  const written = result.map(({ consumed }) => consumed);
  const capacities = transactCapacities(detail, tableNames, written, 'WriteCapacityUnits');
  const metrics: Record<string, unknown> = {};
  for (const tableName of new Set(tableNames)) {
    const positions = [...actions.keys()].filter((i) => actions[i]!.tableName === tableName);
    const collections = collectionsOf(
      positions
        .filter((i) => result[i]!.collection !== undefined)
        .map((i) => ({ item: actions[i]!.item, outcome: result[i] })),
      input.ReturnItemCollectionMetrics,
    );
    if (collections.length > 0) setOwn(metrics, tableName, collections);
  }
  return {
    ...withCapacities(capacities),
    ...(Object.keys(metrics).length > 0 && { ItemCollectionMetrics: metrics }),
  };
}

function withCapacities(capacities: readonly object[]): object {
  return capacities.length > 0 ? { ConsumedCapacity: capacities } : {};
}
