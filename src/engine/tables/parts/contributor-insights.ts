import { flag, listOf, number, object, oneOf, optional, text } from '../../../model/json/fields.ts';
import { isUnderWay } from '../../phase-end.ts';
import type { TableRecord } from '../table-record.ts';
import { describedIndex } from './indexes.ts';
import { none, stateOnly } from './table-part.ts';

export type InsightsMode = 'ACCESSED_AND_THROTTLED_KEYS' | 'THROTTLED_KEYS';
export type InsightsStatus = 'ENABLING' | 'ENABLED' | 'DISABLING' | 'DISABLED' | 'FAILED';

/** The setting of Contributor Insights for a table, or for one of its global indexes. */
export interface InsightSetting {
  /** Absent for the table itself. */
  readonly indexName?: string;
  readonly isEnabled: boolean;
  /** Set where CloudWatch's quota of rules was exhausted. */
  readonly isFailed?: true;
  readonly mode: InsightsMode;
  readonly changedAt: number;
  /** The end of ENABLING or DISABLING, where such phases are acted out. */
  readonly until?: number;
}

export interface InsightState {
  /** The settings of Contributor Insights of the table and its indexes. */
  readonly insights?: readonly InsightSetting[];
}

/** DescribeTable does not show Contributor Insights; they have an operation of their own. */
export const contributorInsights = stateOnly<InsightState>(
  {
    insights: optional(
      listOf(
        object<InsightSetting>({
          indexName: optional(text),
          isEnabled: flag,
          isFailed: optional(oneOf(true)),
          mode: oneOf('ACCESSED_AND_THROTTLED_KEYS', 'THROTTLED_KEYS'),
          changedAt: number,
          until: optional(number),
        }),
      ),
    ),
  },
  none,
);

export function insightOf(record: TableRecord, indexName: string | undefined): InsightSetting | undefined {
  return record.insights?.find((setting) => setting.indexName === indexName);
}

export function insightStatus(setting: InsightSetting | undefined, nowMs: number): InsightsStatus {
  if (setting === undefined) return 'DISABLED';
  const { isEnabled, isFailed, until } = setting;
  const isPassing = isUnderWay(until, nowMs);
  if (isEnabled) return isPassing ? 'ENABLING' : isFailed === true ? 'FAILED' : 'ENABLED';
  return isPassing ? 'DISABLING' : 'DISABLED';
}

/** What a rule ranks: partition or full keys, by consumption or by throttles. */
export type RuleKind = 'PKC' | 'SKC' | 'PKT' | 'SKT';

/** The rules of a setting, in the order in which the service lists them. */
export function ruleKinds(record: TableRecord, { indexName, mode }: InsightSetting): readonly RuleKind[] {
  const { description } = record;
  const schema =
    indexName === undefined ? description.keySchema : describedIndex(description, indexName)?.index.keySchema;
  // The index was deleted; its setting means nothing.
  if (schema === undefined) return [];
  const hasSortKey = schema.some(({ KeyType }) => KeyType === 'RANGE');
  const kinds: readonly RuleKind[] =
    mode === 'THROTTLED_KEYS' ? ['PKT', 'SKT'] : ['PKC', 'SKC', 'PKT', 'SKT'];
  return hasSortKey ? kinds : kinds.filter((kind) => kind.startsWith('PK'));
}

/** The name of a rule in CloudWatch, of at most 128 characters. */
export function ruleName(kind: RuleKind, tableName: string, setting: InsightSetting): string {
  const { indexName, changedAt } = setting;
  const prefix = `DynamoDBContributorInsights-${kind}-`;
  const resource = indexName === undefined ? tableName : `${tableName}-${indexName}`;
  return `${prefix}${resource.slice(0, 128 - prefix.length - 14)}-${changedAt}`;
}
