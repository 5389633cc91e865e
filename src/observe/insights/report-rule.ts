import type { Engine } from '../../engine/engine.ts';
import type { Scope } from '../../engine/store-keys.ts';
import {
  type InsightSetting,
  type RuleKind,
  ruleKinds,
  ruleName,
} from '../../engine/tables/parts/contributor-insights.ts';
import type { TableRecord } from '../../engine/tables/table-record.ts';
import { type RuleReport, rankKeys } from './insight-rule.ts';
import { ruleId } from './key-insights.ts';
import { type RuleMinutes, ruleLabels } from './report-insights.ts';

const tablesMax = 10_000;

/** All contributors of the rule with a name in CloudWatch; undefined if no table has it. */
export async function reportRule(
  observation: RuleMinutes,
  engine: Engine,
  scope: Scope,
  name: string,
  fromMinute: number,
  toMinute: number,
): Promise<RuleReport | undefined> {
  const rule = await findRule(engine, scope, name);
  if (rule === undefined) return undefined;
  const counted = await observation.ruleMinutes(ruleId(scope, name), fromMinute, toMinute);
  return rankKeys(ruleLabels(rule.record, rule.setting, rule.kind), counted, Number.POSITIVE_INFINITY);
}

async function findRule(
  { catalogue }: Engine,
  scope: Scope,
  name: string,
): Promise<{ record: TableRecord; setting: InsightSetting; kind: RuleKind } | undefined> {
  for (const tableName of await catalogue.names(scope, undefined, tablesMax)) {
    const record = await catalogue.record(scope, tableName);
    for (const setting of record?.insights ?? [])
      for (const kind of setting.isEnabled ? ruleKinds(record!, setting) : [])
        if (ruleName(kind, tableName, setting) === name) return { record: record!, setting, kind };
  }
  return undefined;
}
