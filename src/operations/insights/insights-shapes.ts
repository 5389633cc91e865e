import { type InsightSetting, insightStatus } from '../../engine/tables/parts/contributor-insights.ts';
import { name } from '../shapes/item-shapes.ts';
import { oneOf } from '../shapes/shape.ts';

export const insightsIndexName = name;
export const insightsAction = oneOf('ENABLE', 'DISABLE');
export const insightsMode = oneOf('ACCESSED_AND_THROTTLED_KEYS', 'THROTTLED_KEYS');
export const insightsStatus = oneOf('ENABLING', 'ENABLED', 'DISABLING', 'DISABLED', 'FAILED');

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
