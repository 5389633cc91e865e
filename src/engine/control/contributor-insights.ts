import { DynamoError, tableNotFound } from '../../model/errors.ts';
import { nowMs } from '../../runtime/clock.ts';
import type { Engine } from '../engine.ts';
import type { Scope } from '../store-keys.ts';
import {
  type InsightSetting,
  type InsightsMode,
  insightOf,
  ruleKinds,
} from '../tables/parts/contributor-insights.ts';
import { describedIndex } from '../tables/parts/indexes.ts';
import { isLeaving } from '../tables/parts/lifecycle.ts';
import type { TableDescription } from '../tables/table-parts.ts';
import type { TableRecord } from '../tables/table-record.ts';
import type { TableName } from '../tables/table-requests.ts';
import { ending } from './phases.ts';
import { indexNotFound } from './rules/index-changes.ts';
import { changeTable } from './table-command.ts';

export interface InsightsRequest {
  /** Absent for the table itself. */
  readonly indexName?: string | undefined;
  readonly isEnabled: boolean;
  readonly mode?: InsightsMode | undefined;
}

/** How long the passing states last (observed: ACK, October 2026). */
const enablingMs = [1_000, 16_000] as const;
/** CloudWatch has this many rules of all tables in a Region; a setting beyond them becomes FAILED. */
const rulesMax = 100;

/** Switches Contributor Insights of a table or a global index on or off. */
export async function updateInsights(
  engine: Engine,
  table: TableName,
  { indexName, isEnabled, mode }: InsightsRequest,
): Promise<InsightSetting | DynamoError> {
  const { scope, tableName } = table;
  const now = nowMs(engine.clock);
  const until = ending(engine.effectsOf(scope, tableName), now, enablingMs, engine.random.next());
  const others = isEnabled ? await rulesElsewhere(engine, table, indexName) : 0;
  let setting: InsightSetting | undefined;
  const changed = await changeTable(engine, table, (current) => {
    if (isLeaving(current)) return tableNotFound(tableName);
    const missing = missingIndex(current.description, indexName);
    if (missing !== undefined) return missing;
    const before = insightOf(current, indexName);
    const next: InsightSetting = {
      ...(indexName !== undefined && { indexName }),
      isEnabled,
      mode: mode ?? before?.mode ?? 'ACCESSED_AND_THROTTLED_KEYS',
      changedAt: now,
      ...(until !== undefined && { until }),
    };
    const isFull = isEnabled && others + ruleKinds(current, next).length > rulesMax;
    setting = isFull ? { ...next, isFailed: true } : next;
    const rest = current.insights?.filter((each) => each.indexName !== indexName) ?? [];
    // Every process that has the table at hand must learn of it.
    return { put: { ...current, insights: [...rest, setting], epoch: current.epoch + 1 } };
  });
  return changed instanceof DynamoError ? changed : setting!;
}

/** The refusal of an index that a table does not have, in the words that UpdateTable has for it. */
export function missingIndex(
  description: TableDescription,
  indexName: string | undefined,
): DynamoError | undefined {
  if (indexName === undefined || describedIndex(description, indexName)?.capacity !== undefined)
    return undefined;
  return indexNotFound(description, indexName);
}

/** The number of rules that the other settings of the Region have. */
async function rulesElsewhere(
  engine: Engine,
  { scope, tableName }: TableName,
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
