import { DynamoError, validationError } from '../../model/errors.ts';
import { settingLimits } from '../../model/limits.ts';
import { fromHex, toHex } from '../../model/values/hex.ts';
import { decodeUtf8, encodeUtf8 } from '../../model/values/utf8.ts';
import { listing } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { integer, list, required, string } from '../shapes/shape.ts';
import { tableReference } from '../table-reference.ts';
import { importSummary, importSummaryAnswer } from './import-answer.ts';

const listImportsShape = inputShape('ListImports', {
  TableArn: string({ min: 1, max: 1024 }),
  PageSize: integer({ min: 1, max: settingLimits.transfersPageMax }),
  NextToken: string({
    min: 112,
    max: 1024,
    pattern: { matches: /^([0-9a-f]{16})+$/, text: '([0-9a-f]{16})+' },
  }),
});
export interface ListImportsInput extends InputOf<typeof listImportsShape> {}

const listImportsOutput = outputShape({
  ImportSummaryList: required(list(importSummary)),
  NextToken: string(),
});
export interface ListImportsOutput extends OutputOf<typeof listImportsOutput> {}

/** Newest first. The service promises no order. */
export const listImports = operation<ListImportsInput, ListImportsOutput>(
  listImportsShape,
  listImportsOutput,
  ({ TableArn }, road) => listing(road, TableArn),
  async (road, input) => {
    const { engine, caller } = road;
    const reference = input.TableArn === undefined ? undefined : tableReference(input.TableArn, caller);
    if (reference instanceof DynamoError) return reference;
    const forbidden = road.passControl(reference?.tableName, reference?.scope.account);
    if (forbidden !== undefined) return forbidden;
    const after = input.NextToken === undefined ? undefined : idIn(input.NextToken);
    if (after === '') return validationError('Invalid NextToken');
    const scope = reference?.scope ?? { account: caller.accountId, region: caller.region };
    const found = (await engine.transfers.imports.list(scope))
      .filter(({ tableName }) => reference === undefined || tableName === reference.tableName)
      .filter(({ id }) => after === undefined || id < after)
      .sort((a, b) => (a.id < b.id ? 1 : -1));
    const page = found.slice(0, input.PageSize ?? settingLimits.transfersPageMax);
    return {
      ImportSummaryList: page.map(importSummaryAnswer),
      ...(found.length > page.length && { NextToken: tokenOf(page.at(-1)!.id) }),
    };
  },
);

/** The model wants at least 112 hexadecimal digits, in groups of sixteen. */
function tokenOf(id: string): string {
  return toHex(encodeUtf8(id.padEnd(56, '.')));
}

function idIn(token: string): string {
  const text = decodeUtf8(fromHex(token)).replace(/\.+$/, '');
  return /^\d{14}-[0-9a-f]{8}$/.test(text) ? text : '';
}
