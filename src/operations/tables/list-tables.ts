import { onAccount } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { name } from '../shapes/item-shapes.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { integer, list, required, string } from '../shapes/shape.ts';

export const listTablesShape = inputShape('ListTables', {
  ExclusiveStartTableName: name,
  Limit: integer({ min: 1, max: 100 }),
});
export interface ListTablesInput extends InputOf<typeof listTablesShape> {}

const listTablesOutput = outputShape({
  TableNames: required(list(string())),
  LastEvaluatedTableName: string(),
});
export interface ListTablesOutput extends OutputOf<typeof listTablesOutput> {}

const namesMax = 100;

/** One more than asked for is read, to know whether there is a next page. */
export const listTables = operation<ListTablesInput, ListTablesOutput>(
  listTablesShape,
  listTablesOutput,
  onAccount,
  async (road, input) => {
    const { engine, caller } = road;
    const forbidden = road.passControl();
    if (forbidden !== undefined) return forbidden;
    const limit = input.Limit ?? namesMax;
    const scope = { account: caller.accountId, region: caller.region };
    const names = await engine.catalogue.names(scope, input.ExclusiveStartTableName, limit + 1);
    return names.length > limit
      ? { TableNames: names.slice(0, limit), LastEvaluatedTableName: names[limit - 1] }
      : { TableNames: names };
  },
);
