import { type Consumed, sumConsumed, totalUnits } from '../engine/consumed.ts';
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
  LocalSecondaryIndexes: map(capacity),
  GlobalSecondaryIndexes: map(capacity),
});
export interface ConsumedCapacity extends OutputValue<typeof anonymousConsumedCapacity> {}
export const consumedCapacityShape: Named<ConsumedCapacity, typeof anonymousConsumedCapacity> =
  anonymousConsumedCapacity;

/**
 * The `ConsumedCapacity` of an answer, or undefined when it was not asked for. Indexes that were not touched are
 * absent. A local index draws on the table but has an arm of its own.
 */
export function consumedCapacity(
  asked: ReturnConsumedCapacity | undefined,
  tableName: string,
  consumed: Consumed,
): object | undefined {
  return capacityAnswer(asked, tableName, consumed, (units) => ({ CapacityUnits: units }));
}

/**
 * The `ConsumedCapacity` of a transaction: one entry for each table, in the order in which the actions name them.
 * Transactions tell their units twice at every level, the second time by what they were spent on.
 */
export function transactCapacities(
  asked: ReturnConsumedCapacity | undefined,
  tableNames: readonly string[],
  consumed: readonly Consumed[],
  spentOn: 'ReadCapacityUnits' | 'WriteCapacityUnits',
): readonly object[] {
  return [...new Set(tableNames)].flatMap((tableName) => {
    const ofTable = consumed.filter((_, i) => tableNames[i] === tableName);
    const told = (units: number) => ({ CapacityUnits: units, [spentOn]: units });
    return capacityAnswer(asked, tableName, sumConsumed(ofTable), told) ?? [];
  });
}

function capacityAnswer(
  asked: ReturnConsumedCapacity | undefined,
  tableName: string,
  consumed: Consumed,
  told: (units: number) => object,
): object | undefined {
  if (asked === undefined || asked === 'NONE') return undefined;
  const total = told(totalUnits(consumed));
  if (asked === 'TOTAL') return { TableName: tableName, ...total };
  const arms = (kind: 'local' | 'global') => {
    const ofKind = consumed.indexes.filter((index) => index.kind === kind);
    return ofKind.length === 0
      ? undefined
      : Object.fromEntries(ofKind.map(({ name, units }) => [name, told(units)]));
  };
  const [local, global] = [arms('local'), arms('global')];
  return {
    // Named first, so that all answers share one shape (decision 0017).
    TableName: tableName,
    ...total,
    Table: told(consumed.table),
    ...(local && { LocalSecondaryIndexes: local }),
    ...(global && { GlobalSecondaryIndexes: global }),
  };
}
