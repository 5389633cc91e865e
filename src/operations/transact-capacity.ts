import type { WriteCapacity } from '../engine/write-item.ts';
import type { ReturnConsumedCapacity } from './shapes/item-input.ts';

/** Transactions tell their units twice at every level, the second time by what they were spent on. */
type SpentOn = 'ReadCapacityUnits' | 'WriteCapacityUnits';

export function transactReadCapacity(
  asked: ReturnConsumedCapacity | undefined,
  tableName: string,
  units: number,
): object | undefined {
  if (asked === undefined || asked === 'NONE') return undefined;
  const spent = told('ReadCapacityUnits', units);
  return { TableName: tableName, ...spent, ...(asked === 'INDEXES' && { Table: spent }) };
}

export function transactWriteCapacity(
  asked: ReturnConsumedCapacity | undefined,
  tableName: string,
  { table, indexes }: WriteCapacity,
): object | undefined {
  if (asked === undefined || asked === 'NONE') return undefined;
  const units = indexes.reduce((sum, index) => sum + index.units, table);
  const spent = told('WriteCapacityUnits', units);
  if (asked === 'TOTAL') return { TableName: tableName, ...spent };
  const arms = (kind: 'local' | 'global') =>
    Object.fromEntries(
      indexes
        .filter((index) => index.kind === kind)
        .map((index) => [index.name, told('WriteCapacityUnits', index.units)]),
    );
  const [local, global] = [arms('local'), arms('global')];
  return {
    TableName: tableName,
    ...spent,
    Table: told('WriteCapacityUnits', table),
    ...(Object.keys(local).length > 0 && { LocalSecondaryIndexes: local }),
    ...(Object.keys(global).length > 0 && { GlobalSecondaryIndexes: global }),
  };
}

function told(on: SpentOn, units: number): object {
  return { CapacityUnits: units, [on]: units };
}
