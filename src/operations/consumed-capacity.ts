import type { WriteCapacity } from '../engine/write-item.ts';
import type { ReturnConsumedCapacity } from './shapes/item-input.ts';

/** The `ConsumedCapacity` of an answer, or undefined when it was not asked for. */
export function readCapacity(
  asked: ReturnConsumedCapacity | undefined,
  tableName: string,
  units: number,
): object | undefined {
  if (asked === undefined || asked === 'NONE') return undefined;
  const table = asked === 'TOTAL' ? undefined : { Table: { CapacityUnits: units } };
  return { TableName: tableName, CapacityUnits: units, ...table };
}

/** Indexes that were not written to are absent. A local index draws on the table but has an arm of its own. */
export function writeCapacity(
  asked: ReturnConsumedCapacity | undefined,
  tableName: string,
  capacity: WriteCapacity,
): object | undefined {
  if (asked === undefined || asked === 'NONE') return undefined;
  let units = capacity.table;
  for (const index of capacity.indexes) units += index.units;
  if (asked === 'TOTAL') return { TableName: tableName, CapacityUnits: units };
  const arms = (kind: 'local' | 'global') => {
    const ofKind = capacity.indexes.filter((index) => index.kind === kind);
    return ofKind.length === 0
      ? undefined
      : Object.fromEntries(ofKind.map(({ name, units }) => [name, { CapacityUnits: units }]));
  };
  const [local, global] = [arms('local'), arms('global')];
  return {
    TableName: tableName,
    CapacityUnits: units,
    Table: { CapacityUnits: capacity.table },
    ...(local && { LocalSecondaryIndexes: local }),
    ...(global && { GlobalSecondaryIndexes: global }),
  };
}
