import { missingIndex } from '../../engine/control/contributor-insights.ts';
import {
  insightOf,
  insightStatus,
  ruleKinds,
  ruleName,
} from '../../engine/tables/parts/contributor-insights.ts';
import { DynamoError } from '../../model/errors.ts';
import { nowMs } from '../../runtime/clock.ts';
import { foundTable } from '../control-table.ts';
import { onTableOrIndex } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { list, required, string, structure, timestamp } from '../shapes/shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import { insightAnswer, insightsIndexName, insightsMode, insightsStatus } from './insights-shapes.ts';

const describeContributorInsightsShape = inputShape('DescribeContributorInsights', {
  TableName: controlTableName,
  IndexName: insightsIndexName,
});
export interface DescribeContributorInsightsInput extends InputOf<typeof describeContributorInsightsShape> {}

const describeContributorInsightsOutput = outputShape({
  TableName: required(string()),
  IndexName: string(),
  ContributorInsightsRuleList: list(string()),
  ContributorInsightsStatus: required(insightsStatus),
  LastUpdateDateTime: timestamp,
  FailureException: structure('FailureException', {
    ExceptionName: string(),
    ExceptionDescription: string(),
  }),
  ContributorInsightsMode: insightsMode,
});
export interface DescribeContributorInsightsOutput
  extends OutputOf<typeof describeContributorInsightsOutput> {}

export const describeContributorInsights = operation<
  DescribeContributorInsightsInput,
  DescribeContributorInsightsOutput
>(
  describeContributorInsightsShape,
  describeContributorInsightsOutput,
  onTableOrIndex,
  async (road, input) => {
    const found = await foundTable(road, input.TableName);
    if (found instanceof DynamoError) return found;
    const { tableName, record } = found;
    const { IndexName: indexName } = input;
    const missing = missingIndex(record.description, indexName);
    if (missing !== undefined) return missing;
    const setting = insightOf(record, indexName);
    const now = nowMs(road.engine.clock);
    const status = insightStatus(setting, now);
    const answer = insightAnswer(tableName, indexName, setting, now);
    if (setting === undefined) return answer;
    return {
      ...answer,
      ...(status === 'ENABLED' && {
        ContributorInsightsRuleList: ruleKinds(record, setting).map((kind) =>
          ruleName(kind, tableName, setting),
        ),
      }),
      LastUpdateDateTime: setting.changedAt / 1_000,
      ...(status === 'FAILED' && {
        FailureException: {
          ExceptionName: 'LimitExceededException',
          ExceptionDescription:
            'The number of Contributor Insights rules in this Region has reached its limit of 100',
        },
      }),
    };
  },
);
