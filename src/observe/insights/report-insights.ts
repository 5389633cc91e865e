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
} from '../../engine/tables/insight-settings.ts';
import type { TableRecord } from '../../engine/tables/table-record.ts';
import type { RuleReport } from './insight-rule.ts';
import type { KeyInsights } from './key-insights.ts';

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

/** What Contributor Insights know of a table and its indexes, over the last minutes. */
export function reportInsights(
  insights: KeyInsights,
  engine: Engine,
  scope: Scope,
  record: TableRecord,
  nowMs: number,
  minutes: number,
): InsightsReport {
  const { tableName } = record.description;
  const to = Math.floor(nowMs / 60_000) + 1;
  const rulesOf = (setting: InsightSetting): ReportedRule[] =>
    ruleKinds(record, setting).flatMap((kind) => {
      const name = ruleName(kind, tableName, setting);
      const report = insights.rule(scope, name)?.report(to - minutes, to, contributorsShown);
      return report === undefined ? [] : [{ name, kind, ...report }];
    });
  const settings = [...(record.insights ?? [])].sort((a, b) =>
    (a.indexName ?? '') < (b.indexName ?? '') ? -1 : 1,
  );
  return {
    table: tableName,
    minutes,
    resources: settings.map((setting) => ({
      index: setting.indexName ?? null,
      status: insightStatus(setting, nowMs),
      mode: setting.mode,
      rules: setting.isEnabled ? rulesOf(setting) : [],
    })),
    busyKeys: busyKeys(engine, scope, tableName),
  };
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
