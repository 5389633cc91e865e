import type { TableInsights } from './endpoint.ts';
import type { Questions } from './questions.ts';
import type { Context, TableDescription } from './table-view.ts';

interface SettingAnswer {
  readonly ContributorInsightsStatus?: string;
  readonly ContributorInsightsRuleList?: readonly string[];
}

interface ReportAnswer {
  readonly AggregateValue?: number;
  readonly Contributors?: readonly {
    readonly Keys: readonly string[];
    readonly ApproximateAggregateValue: number;
  }[];
}

/** The kind of a rule by its name: `DynamoDBContributorInsights-PKT-Orders-1699999999999`. */
const ruleKind = /^DynamoDBContributorInsights-(PKC|SKC|PKT|SKT)-/;

/** The ranked keys of a table and its indexes: from a Stator at once, from AWS rule by rule. */
export async function readInsights(
  questions: Questions,
  { TableName, GlobalSecondaryIndexes = [] }: TableDescription,
  { endpoint, metrics, nowMs }: Context,
  isThrottled: boolean,
): Promise<TableInsights | undefined> {
  const { stator } = endpoint;
  if (stator !== undefined) return stator.insights(TableName, metrics.minutes);
  if (!isThrottled) return undefined;
  const resources: TableInsights['resources'][number][] = [];
  for (const index of [undefined, ...GlobalSecondaryIndexes.map(({ IndexName }) => IndexName)]) {
    const setting = await questions.ask<SettingAnswer>(
      ...(['dynamodb', 'DescribeContributorInsights'] as const),
      { TableName, ...(index !== undefined && { IndexName: index }) },
      'Contributor Insights',
      TableName,
    );
    if (setting?.ContributorInsightsStatus !== 'ENABLED') continue;
    const rules: TableInsights['resources'][number]['rules'][number][] = [];
    for (const name of setting.ContributorInsightsRuleList ?? []) {
      const kind = ruleKind.exec(name)?.[1];
      if (kind === undefined || !kind.startsWith('PK')) continue;
      const report = await questions.ask<ReportAnswer>(
        ...(['cloudwatch', 'GetInsightRuleReport'] as const),
        {
          RuleName: name,
          StartTime: metrics.fromMs / 1_000,
          EndTime: nowMs / 1_000,
          Period: 60,
          MaxContributorCount: 5,
          OrderBy: 'Sum',
        },
        'Contributor Insights',
        TableName,
      );
      if (report === undefined) continue;
      rules.push({
        kind,
        total: report.AggregateValue ?? 0,
        contributors: (report.Contributors ?? []).map(({ Keys, ApproximateAggregateValue: value }) => ({
          keys: Keys,
          value,
        })),
      });
    }
    resources.push({ index: index ?? null, rules });
  }
  if (resources.length === 0)
    questions.missing({
      what: 'the keys that were throttled',
      tables: [TableName],
      why: 'Contributor Insights are off',
      remedy: `aws dynamodb update-contributor-insights --table-name ${TableName} --contributor-insights-action ENABLE`,
    });
  return { resources };
}
