import { updateInsights } from '../../engine/control/contributor-insights.ts';
import { DynamoError } from '../../model/errors.ts';
import { controlTable } from '../control-table.ts';
import { onTableOrIndex } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required, string } from '../shapes/shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import {
  insightAnswer,
  insightsAction,
  insightsIndexName,
  insightsMode,
  insightsStatus,
} from './insights-shapes.ts';

const updateContributorInsightsShape = inputShape('UpdateContributorInsights', {
  TableName: controlTableName,
  IndexName: insightsIndexName,
  ContributorInsightsAction: required(insightsAction),
  ContributorInsightsMode: insightsMode,
});
export interface UpdateContributorInsightsInput extends InputOf<typeof updateContributorInsightsShape> {}

const updateContributorInsightsOutput = outputShape({
  TableName: required(string()),
  IndexName: string(),
  ContributorInsightsStatus: required(insightsStatus),
  ContributorInsightsMode: insightsMode,
});
export interface UpdateContributorInsightsOutput extends OutputOf<typeof updateContributorInsightsOutput> {}

export const updateContributorInsights = operation<
  UpdateContributorInsightsInput,
  UpdateContributorInsightsOutput
>(updateContributorInsightsShape, updateContributorInsightsOutput, onTableOrIndex, async (road, input) => {
  const reference = controlTable(road, input.TableName);
  if (reference instanceof DynamoError) return reference;
  const { IndexName: indexName, ContributorInsightsMode: mode } = input;
  const isEnabled = input.ContributorInsightsAction === 'ENABLE';
  const setting = await updateInsights(road.engine, reference, { indexName, isEnabled, mode });
  if (setting instanceof DynamoError) return setting;
  return {
    ...insightAnswer(reference.tableName, indexName, setting, setting.changedAt),
    // The service answers with the passing state, however short it is.
    ContributorInsightsStatus: isEnabled ? 'ENABLING' : 'DISABLING',
  };
});
