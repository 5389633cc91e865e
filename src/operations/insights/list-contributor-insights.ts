import { recordsOf } from '../../engine/control/contributor-insights.ts';
import { insightOf } from '../../engine/tables/parts/contributor-insights.ts';
import { ownCapacities } from '../../engine/tables/parts/indexes.ts';
import type { TableRecord } from '../../engine/tables/table-record.ts';
import { DynamoError, tableNotFound, validationError } from '../../model/errors.ts';
import { nowMs } from '../../runtime/clock.ts';
import { listing } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { name } from '../shapes/item-shapes.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { integer, list, required, string, structure } from '../shapes/shape.ts';
import { tableReference } from '../table-reference.ts';
import { insightAnswer, insightsMode, insightsStatus } from './insights-shapes.ts';

const listContributorInsightsShape = inputShape('ListContributorInsights', {
  TableName: { ...name, orArn: true },
  NextToken: string(),
  MaxResults: integer({ max: 100 }),
});
export interface ListContributorInsightsInput extends InputOf<typeof listContributorInsightsShape> {}

const listContributorInsightsOutput = outputShape({
  ContributorInsightsSummaries: required(
    list(
      structure('ContributorInsightsSummary', {
        TableName: string(),
        IndexName: string(),
        ContributorInsightsStatus: insightsStatus,
        ContributorInsightsMode: insightsMode,
      }),
    ),
  ),
  NextToken: string(),
});
export interface ListContributorInsightsOutput extends OutputOf<typeof listContributorInsightsOutput> {}

const resultsMax = 100;

/**
 * Of a named table, the table and all its global indexes; without a name, all tables and indexes whose setting was ever
 * changed, as the examples of the service's documentation have it.
 */
export const listContributorInsights = operation<ListContributorInsightsInput, ListContributorInsightsOutput>(
  listContributorInsightsShape,
  listContributorInsightsOutput,
  ({ TableName }, road) => listing(road, TableName),
  async (road, input) => {
    const { engine, caller } = road;
    const { TableName: given, NextToken: token, MaxResults: max = resultsMax } = input;
    const reference = given === undefined ? undefined : tableReference(given, caller);
    if (reference instanceof DynamoError) return reference;
    const scope = reference?.scope ?? { account: caller.accountId, region: caller.region };
    const after = token === undefined ? undefined : readToken(token);
    if (after === null) return validationError('Invalid NextToken');
    const forbidden = road.passControl(reference?.tableName, scope.account);
    if (forbidden !== undefined) return forbidden;
    const limit = max < 1 ? resultsMax : max;
    const now = nowMs(engine.clock);
    const found: { readonly table: string; readonly index: string | undefined; readonly answer: object }[] =
      [];
    const add = (record: TableRecord, isNamed: boolean): boolean => {
      const { tableName } = record.description;
      const names = ownCapacities(record.description).map(({ index }) => index.indexName);
      for (const indexName of [undefined, ...names.sort()]) {
        const setting = insightOf(record, indexName);
        if (setting === undefined && !isNamed) continue;
        if (after !== undefined && !isAfter(tableName, indexName, after)) continue;
        found.push({
          table: tableName,
          index: indexName,
          answer: insightAnswer(tableName, indexName, setting, now),
        });
        if (found.length > limit) return false;
      }
      return true;
    };
    if (reference !== undefined) {
      const record = await engine.catalogue.record(scope, reference.tableName);
      if (record === undefined) return tableNotFound(reference.tableName);
      add(record, true);
    } else for await (const record of recordsOf(engine, scope)) if (!add(record, false)) break;
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      ContributorInsightsSummaries: page.map(({ answer }) => answer),
      ...(found.length > limit &&
        last !== undefined && { NextToken: JSON.stringify([last.table, last.index ?? '']) }),
    };
  },
);

interface Position {
  readonly table: string;
  readonly index: string;
}

function isAfter(table: string, index: string | undefined, after: Position): boolean {
  return table > after.table || (table === after.table && (index ?? '') > after.index);
}

function readToken(token: string): Position | null {
  try {
    const [table, index] = JSON.parse(token) as unknown[];
    return typeof table === 'string' && typeof index === 'string' ? { table, index } : null;
  } catch {
    return null;
  }
}
