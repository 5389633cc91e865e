import { operation } from './operation.ts';
import { inputShape } from './shapes/input-shape.ts';
import { name } from './shapes/item-shapes.ts';
import { integer } from './shapes/shape.ts';

export interface ListTablesInput {
  readonly ExclusiveStartTableName?: string;
  readonly Limit?: number;
}

export const listTablesShape = inputShape<ListTablesInput>('ListTables', {
  ExclusiveStartTableName: name,
  Limit: integer({ min: 1, max: 100 }),
});

const namesMax = 100;

/** One more than asked for is read, to know whether there is a next page. */
export const listTables = operation(listTablesShape, async (road, input) => {
  const { engine, caller } = road;
  const forbidden = road.passControl();
  if (forbidden !== undefined) return forbidden;
  const limit = input.Limit ?? namesMax;
  const scope = { account: caller.accountId, region: caller.region };
  const names = await engine.catalogue.names(scope, input.ExclusiveStartTableName, limit + 1);
  return names.length > limit
    ? { TableNames: names.slice(0, limit), LastEvaluatedTableName: names[limit - 1] }
    : { TableNames: names };
});
