import { type Consumed, sumConsumed, totalUnits } from '../engine/consumed.ts';
import { type IndexListName, indexBehaviours } from '../engine/indexes/index-behaviour.ts';
import { indexKinds } from '../model/tables/index-kind.ts';
import type { ReturnConsumedCapacity } from './shapes/item-shapes.ts';
import { double, map, string, structure } from './shapes/shape.ts';
import type { Named, OutputValue } from './shapes/shape-types.ts';

const capacityMembers = {
  CapacityUnits: double(),
  ReadCapacityUnits: double(),
  WriteCapacityUnits: double(),
};

const anonymousCapacity = structure('Capacity', capacityMembers);
export interface Capacity extends OutputValue<typeof anonymousCapacity> {}
const capacity: Named<Capacity, typeof anonymousCapacity> = anonymousCapacity;

const anonymousConsumedCapacity = structure('ConsumedCapacity', {
  TableName: string(),
  ...capacityMembers,
  Table: capacity,
  ...({
    LocalSecondaryIndexes: map(capacity),
    GlobalSecondaryIndexes: map(capacity),
  } satisfies Record<IndexListName, unknown>),
});
export interface ConsumedCapacity extends OutputValue<typeof anonymousConsumedCapacity> {}
export const consumedCapacityShape: Named<ConsumedCapacity, typeof anonymousConsumedCapacity> =
  anonymousConsumedCapacity;

/**
 * The `ConsumedCapacity` of an answer. Undefined if the request did not ask for it. Indexes that were not read or
 * written are absent. A local index draws on the capacity of the table but has an arm of its own.
 */
export function consumedCapacity(
  detail: ReturnConsumedCapacity | undefined,
  tableName: string,
  consumed: Consumed,
): object | undefined {
  return capacityAnswer(detail, tableName, consumed, (units) => ({ CapacityUnits: units }));
}

/**
 * The `ConsumedCapacity` of a transaction: one element for each table, in the order of the actions. Transactions report
 * their units twice at every level, the second time as read or write units.
 */
export function transactCapacities(
  detail: ReturnConsumedCapacity | undefined,
  tableNames: readonly string[],
  consumed: readonly Consumed[],
  kindOfUnits: 'ReadCapacityUnits' | 'WriteCapacityUnits',
): readonly object[] {
  return [...new Set(tableNames)].flatMap((tableName) => {
    const ofTable = consumed.filter((_, i) => tableNames[i] === tableName);
    const arm = (units: number) => ({ CapacityUnits: units, [kindOfUnits]: units });
    return capacityAnswer(detail, tableName, sumConsumed(ofTable), arm) ?? [];
  });
}

function capacityAnswer(
  detail: ReturnConsumedCapacity | undefined,
  tableName: string,
  consumed: Consumed,
  arm: (units: number) => object,
): object | undefined {
  if (detail === undefined || detail === 'NONE') return undefined;
  const total = arm(totalUnits(consumed));
  if (detail === 'TOTAL') return { TableName: tableName, ...total };
  // TableName comes first, so that all answers share one hidden class (decision 0017).
  const answer: Record<string, unknown> = { TableName: tableName, ...total, Table: arm(consumed.table) };
  for (const kind of indexKinds) {
    const ofKind = consumed.indexes.filter((index) => index.kind === kind);
    if (ofKind.length > 0)
      answer[indexBehaviours[kind].listName] = Object.fromEntries(
        ofKind.map(({ name, units }) => [name, arm(units)]),
      );
  }
  return answer;
}
