import { type InsightSetting, insightStatus } from '../../engine/tables/insight-settings.ts';
import type { TableRecord } from '../../engine/tables/table-record.ts';
import type { DynamoError } from '../../model/errors.ts';
import { name } from '../shapes/item-shapes.ts';
import { oneOf } from '../shapes/shape.ts';
import { indexNotFound } from '../tables/rules/index-changes.ts';

export const insightsIndexName = name;
export const insightsAction = oneOf('ENABLE', 'DISABLE');
export const insightsMode = oneOf('ACCESSED_AND_THROTTLED_KEYS', 'THROTTLED_KEYS');
export const insightsStatus = oneOf('ENABLING', 'ENABLED', 'DISABLING', 'DISABLED', 'FAILED');

/** The refusal of an index that a table does not have, in the words that UpdateTable has for it. */
export function missingIndex(
  { description }: TableRecord,
  indexName: string | undefined,
): DynamoError | undefined {
  if (indexName === undefined || description.gsis.some((index) => index.indexName === indexName))
    return undefined;
  return indexNotFound(description, indexName);
}

/** The members that all three operations answer of one setting. */
export function insightAnswer(
  tableName: string,
  indexName: string | undefined,
  setting: InsightSetting | undefined,
  nowMs: number,
) {
  return {
    TableName: tableName,
    ...(indexName !== undefined && { IndexName: indexName }),
    ContributorInsightsStatus: insightStatus(setting, nowMs),
    ...(setting !== undefined && { ContributorInsightsMode: setting.mode }),
  };
}
