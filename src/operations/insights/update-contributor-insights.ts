import { nowMs } from '../../engine/clock.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Scope } from '../../engine/store-keys.ts';
import { type InsightSetting, insightOf, ruleKinds } from '../../engine/tables/insight-settings.ts';
import type { TableRecord } from '../../engine/tables/table-record.ts';
import { DynamoError, tableNotFound } from '../../model/errors.ts';
import { controlTable } from '../control-table.ts';
import { onTableOrIndex } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required, string } from '../shapes/shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import { ending } from '../tables/table-phases.ts';
import {
  insightAnswer,
  insightsAction,
  insightsIndexName,
  insightsMode,
  insightsStatus,
  missingIndex,
} from './insights-shapes.ts';

export const updateContributorInsightsShape = inputShape('UpdateContributorInsights', {
  TableName: controlTableName,
  IndexName: insightsIndexName,
  ContributorInsightsAction: required(insightsAction),
  ContributorInsightsMode: insightsMode,
});
export interface UpdateContributorInsightsInput extends InputOf<typeof updateContributorInsightsShape> {}

export const updateContributorInsightsOutput = outputShape({
  TableName: required(string()),
  IndexName: string(),
  ContributorInsightsStatus: required(insightsStatus),
  ContributorInsightsMode: insightsMode,
});
export interface UpdateContributorInsightsOutput extends OutputOf<typeof updateContributorInsightsOutput> {}

/** Measured live in 2026. */
const enablingMs = [1_000, 16_000] as const;
/** CloudWatch has this many rules of all tables in a Region; a setting beyond them becomes FAILED. */
const rulesMax = 100;

export const updateContributorInsights = operation<
  UpdateContributorInsightsInput,
  UpdateContributorInsightsOutput
>(updateContributorInsightsShape, updateContributorInsightsOutput, onTableOrIndex, async (road, input) => {
  const { engine } = road;
  const reference = controlTable(road, input.TableName);
  if (reference instanceof DynamoError) return reference;
  const { scope, tableName } = reference;
  const { IndexName: indexName } = input;
  const isEnabled = input.ContributorInsightsAction === 'ENABLE';
  const now = nowMs(engine.clock);
  const until = ending(engine.effectsOf(scope, tableName), now, enablingMs, engine.random.next());
  const others = isEnabled ? await rulesElsewhere(engine, scope, tableName, indexName) : 0;
  let setting: InsightSetting | undefined;
  const changed = await engine.catalogue.change(scope, tableName, (current) => {
    if (current === undefined) return tableNotFound(tableName);
    const missing = missingIndex(current, indexName);
    if (missing !== undefined) return missing;
    const before = insightOf(current, indexName);
    const next: InsightSetting = {
      ...(indexName !== undefined && { indexName }),
      isEnabled,
      mode: input.ContributorInsightsMode ?? before?.mode ?? 'ACCESSED_AND_THROTTLED_KEYS',
      changedAt: now,
      ...(until !== undefined && { until }),
    };
    const isFull = isEnabled && others + ruleKinds(current, next).length > rulesMax;
    setting = isFull ? { ...next, isFailed: true } : next;
    const rest = current.insights?.filter((each) => each.indexName !== indexName) ?? [];
    // Every process that has the table at hand must learn of it.
    return { put: { ...current, insights: [...rest, setting], epoch: current.epoch + 1 } };
  });
  if (changed instanceof DynamoError) return changed;
  return {
    ...insightAnswer(tableName, indexName, setting, now),
    // The service answers with the passing state, however short it is.
    ContributorInsightsStatus: isEnabled ? 'ENABLING' : 'DISABLING',
  };
});

/** How many rules the other settings of the Region have. */
async function rulesElsewhere(
  engine: Engine,
  scope: Scope,
  tableName: string,
  indexName: string | undefined,
): Promise<number> {
  let rules = 0;
  for await (const record of recordsOf(engine, scope))
    for (const setting of record.insights ?? []) {
      const isThis = record.description.tableName === tableName && setting.indexName === indexName;
      if (setting.isEnabled && setting.isFailed !== true && !isThis)
        rules += ruleKinds(record, setting).length;
    }
  return rules;
}

/** All tables of an account in a Region, in the order of their names. */
export async function* recordsOf(
  { catalogue }: Engine,
  scope: Scope,
  after?: string,
): AsyncGenerator<TableRecord> {
  for (let from = after; ; ) {
    const names = await catalogue.names(scope, from, 100);
    for (const name of names) {
      const record = await catalogue.record(scope, name);
      if (record !== undefined) yield record;
    }
    if (names.length < 100) return;
    from = names.at(-1);
  }
}
