import { Replay } from '../engine/request-tokens.ts';
import type { WriteOutcome } from '../engine/write-item.ts';
import { setOwn } from '../model/own-members.ts';
import { collectionsOf, summed } from './batch-write-answer.ts';
import type { WriteAction } from './transact-action.ts';
import { transactReadCapacity, transactWriteCapacity } from './transact-capacity.ts';
import type { TransactWriteItemsInput } from './transact-write-items.ts';

/**
 * The answer of a transaction that was done. One that was done before, under the same token, is charged as the reading
 * of its items; that it tells nothing of item collections is assumed.
 */
export function transactWriteAnswer(
  actions: readonly Pick<WriteAction, 'tableName' | 'item'>[],
  result: readonly WriteOutcome[] | Replay,
  input: Pick<TransactWriteItemsInput, 'ReturnConsumedCapacity' | 'ReturnItemCollectionMetrics'>,
): object {
  if (input.ReturnConsumedCapacity === undefined && input.ReturnItemCollectionMetrics === undefined)
    return {};
  const capacities: object[] = [];
  const metrics: Record<string, unknown> = {};
  for (const tableName of new Set(actions.map((action) => action.tableName))) {
    const positions = [...actions.keys()].filter((i) => actions[i]!.tableName === tableName);
    const capacity =
      result instanceof Replay
        ? transactReadCapacity(
            input.ReturnConsumedCapacity,
            tableName,
            positions.reduce((sum, i) => sum + result.readUnits[i]!, 0),
          )
        : transactWriteCapacity(
            input.ReturnConsumedCapacity,
            tableName,
            summed(positions.map((i) => result[i]!.capacity)),
          );
    if (capacity !== undefined) capacities.push(capacity);
    if (result instanceof Replay) continue;
    const collections = collectionsOf(
      positions
        .filter((i) => result[i]!.collection !== undefined)
        .map((i) => ({ item: actions[i]!.item, outcome: result[i] })),
      input.ReturnItemCollectionMetrics,
    );
    if (collections.length > 0) setOwn(metrics, tableName, collections);
  }
  return {
    ...(capacities.length > 0 && { ConsumedCapacity: capacities }),
    ...(Object.keys(metrics).length > 0 && { ItemCollectionMetrics: metrics }),
  };
}
