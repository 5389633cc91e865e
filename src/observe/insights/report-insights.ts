import type { Engine } from '../../engine/engine.ts';
import type { Scope } from '../../engine/store-keys.ts';
import {
  type InsightSetting,
  type InsightsMode,
  type InsightsStatus,
  insightStatus,
  type RuleKind,
  ruleKinds,
  ruleName,
} from '../../engine/tables/parts/contributor-insights.ts';
import { describedIndex } from '../../engine/tables/parts/indexes.ts';
import type { TableRecord } from '../../engine/tables/table-record.ts';
import { type RuleMinute, type RuleReport, rankKeys } from './insight-rule.ts';
import { ruleId } from './key-insights.ts';

const contributorsShown = 25;

export interface ReportedRule extends RuleReport {
  readonly name: string;
  /** `PKC` and `SKC` rank consumption (reads plus three times writes), `PKT` and `SKT` throttled requests. */
  readonly kind: RuleKind;
}

export interface InsightsReport {
  readonly table: string;
  readonly minutes: number;
  /** The table first, then its indexes, as far as they have the setting. */
  readonly resources: readonly {
    readonly index: string | null;
    readonly status: InsightsStatus;
    readonly mode: InsightsMode;
    readonly rules: readonly ReportedRule[];
  }[];
  /** The keys that the physical model sees as busy, with their units of the last minute, insights or not. */
  readonly busyKeys: readonly {
    readonly index: string | null;
    readonly key: string | null;
    readonly readUnits: number;
    readonly writeUnits: number;
  }[];
}

/** Who knows the minutes of rules, of all processes. */
export interface RuleMinutes {
  ruleMinutes(
    id: string,
    fromMinute: number,
    toMinute: number,
  ): Promise<readonly (readonly [minute: number, counted: RuleMinute])[]>;
}

/** What Contributor Insights know of a table and its indexes, over the last minutes. */
export async function reportInsights(
  observation: RuleMinutes,
  engine: Engine,
  scope: Scope,
  record: TableRecord,
  nowMs: number,
  minutes: number,
): Promise<InsightsReport> {
  const { tableName } = record.description;
  const to = Math.floor(nowMs / 60_000) + 1;
  const rulesOf = async (setting: InsightSetting): Promise<ReportedRule[]> => {
    const rules: ReportedRule[] = [];
    for (const kind of ruleKinds(record, setting)) {
      const name = ruleName(kind, tableName, setting);
      const counted = await observation.ruleMinutes(ruleId(scope, name), to - minutes, to);
      if (counted.length > 0)
        rules.push({
          name,
          kind,
          ...rankKeys(ruleLabels(record, setting, kind), counted, contributorsShown),
        });
    }
    return rules;
  };
  const settings = [...(record.insights ?? [])].sort((a, b) =>
    (a.indexName ?? '') < (b.indexName ?? '') ? -1 : 1,
  );
  return {
    table: tableName,
    minutes,
    resources: await Promise.all(
      settings.map(async (setting) => ({
        index: setting.indexName ?? null,
        status: insightStatus(setting, nowMs),
        mode: setting.mode,
        rules: setting.isEnabled ? await rulesOf(setting) : [],
      })),
    ),
    busyKeys: busyKeys(engine, scope, tableName),
  };
}

/** The attributes that a rule ranks by. */
export function ruleLabels(
  { description }: TableRecord,
  { indexName }: InsightSetting,
  kind: RuleKind,
): readonly string[] {
  const found = indexName === undefined ? undefined : describedIndex(description, indexName);
  const { keySchema } = found?.index ?? description;
  return keySchema
    .filter(({ KeyType }) => KeyType === 'HASH' || kind.startsWith('SK'))
    .map(({ AttributeName }) => AttributeName);
}

function busyKeys({ capacity }: Engine, scope: Scope, tableName: string): InsightsReport['busyKeys'] {
  const found = capacity.find(scope, tableName);
  if (found === undefined) return [];
  return found.all().flatMap((resource) =>
    capacity.model.describe(resource, capacity.nowMs()).hotKeys.map((load) => ({
      index: resource.identity.indexName ?? null,
      key: load.name ?? null,
      readUnits: load.readUnits,
      writeUnits: load.writeUnits,
    })),
  );
}
