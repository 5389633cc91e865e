import { DynamoError, validationError } from '../../model/errors.ts';
import { settingLimits } from '../../model/limits.ts';
import { listing } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { integer, list, string } from '../shapes/shape.ts';
import { tableReference } from '../table-reference.ts';
import { exportSummary, exportSummaryAnswer } from './export-answer.ts';

const listExportsShape = inputShape('ListExports', {
  TableArn: string({ min: 1, max: 1024 }),
  MaxResults: integer({ min: 1, max: settingLimits.transfersPageMax }),
  NextToken: string(),
});
export interface ListExportsInput extends InputOf<typeof listExportsShape> {}

const listExportsOutput = outputShape({ ExportSummaries: list(exportSummary), NextToken: string() });
export interface ListExportsOutput extends OutputOf<typeof listExportsOutput> {}

/** Newest first; the service promises no order. The exports of a deleted table are not listed, as on the service. */
export const listExports = operation<ListExportsInput, ListExportsOutput>(
  listExportsShape,
  listExportsOutput,
  ({ TableArn }, road) => listing(road, TableArn),
  async (road, input) => {
    const { engine, caller } = road;
    const reference = input.TableArn === undefined ? undefined : tableReference(input.TableArn, caller);
    if (reference instanceof DynamoError) return reference;
    const forbidden = road.passControl(reference?.tableName, reference?.scope.account);
    if (forbidden !== undefined) return forbidden;
    const { NextToken: after } = input;
    if (after !== undefined && !/^\d{14}-[0-9a-f]{8}$/.test(after))
      return validationError('Invalid NextToken');
    const scope = reference?.scope ?? { account: caller.accountId, region: caller.region };
    const all = (await engine.transfers.exports.list(scope))
      .filter(({ tableName }) => reference === undefined || tableName === reference.tableName)
      .filter(({ id }) => after === undefined || id < after)
      .sort((a, b) => (a.id < b.id ? 1 : -1));
    const isThere = new Map<string, boolean>();
    for (const { tableName, tableId } of all)
      if (!isThere.has(tableId)) {
        const record = await engine.catalogue.record(scope, tableName);
        isThere.set(tableId, record?.description.tableId === tableId);
      }
    const found = all.filter(({ tableId }) => isThere.get(tableId) === true);
    const page = found.slice(0, input.MaxResults ?? settingLimits.transfersPageMax);
    return {
      ExportSummaries: page.map(exportSummaryAnswer),
      ...(found.length > page.length && { NextToken: page.at(-1)!.id }),
    };
  },
);
