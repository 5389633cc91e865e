import type { Observer, RequestEvent, ThrottleEvent } from '../../engine/events.ts';
import { indexBehaviours } from '../../engine/indexes/index-behaviour.ts';
import type { Scope } from '../../engine/store-keys.ts';
import {
  type InsightSetting,
  type RuleKind,
  ruleKinds,
  ruleName,
} from '../../engine/tables/parts/contributor-insights.ts';
import type { Table, TableIndex } from '../../engine/tables/table-record.ts';
import type { AttributeValue, Item } from '../../model/values/attribute-value.ts';
import { equalBytes } from '../../model/values/bytes.ts';
import { insightUnits } from '../../physics/units.ts';
import { InsightRule, type RuleMinute } from './insight-rule.ts';

/** The rules of one table or index. */
interface RuleSet {
  readonly setting: InsightSetting;
  readonly rules: ReadonlyMap<RuleKind, InsightRule>;
}

/** A table has one set of rules for itself and one for each index with the setting. */
type TableRules = ReadonlyMap<string, RuleSet>;

/** CloudWatch has this many rules in a Region; Stator holds as many in all, which bounds the memory. */
const rulesMax = 400;

/** The service does not attribute statements. */
const untracked: ReadonlySet<string> = new Set([
  'ExecuteStatement',
  'BatchExecuteStatement',
  'ExecuteTransaction',
]);

/** Names a rule among those of all accounts and Regions. */
export function ruleId({ account, region }: Scope, name: string): string {
  return `${account}/${region}/${name}`;
}

/** The most accessed and most throttled keys of tables and indexes that have Contributor Insights. */
export class KeyInsights implements Observer {
  readonly #nowMs: () => number;
  readonly #byTable = new WeakMap<Table, TableRules>();
  readonly #rules = new Map<string, InsightRule>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** The rule of an id, if it has met a key in this process. */
  rule(id: string): InsightRule | undefined {
    return this.#rules.get(id);
  }

  /** The minutes of all rules that have changed since this was last asked. */
  takeUnwritten(): {
    readonly id: string;
    readonly rule: InsightRule;
    readonly minute: number;
    readonly counted: RuleMinute;
  }[] {
    return [...this.#rules].flatMap(([id, rule]) =>
      rule.takeUnwritten().map(([minute, counted]) => ({ id, rule, minute, counted })),
    );
  }

  request(event: RequestEvent): void {
    const { touches, charges } = event;
    // Nearly always nobody has switched insights on.
    let isWanted = false;
    for (let i = 0; i < touches.length && !isWanted; i++)
      isWanted = touches[i]!.table?.record.insights !== undefined;
    if (!isWanted || untracked.has(event.operation)) return;
    const minute = Math.floor(this.#nowMs() / 60_000);
    for (const { table, access, consumed } of charges) {
      const rules = this.#of(table);
      if (rules === undefined) continue;
      const weighted = (each: number) => (access === 'write' ? insightUnits(0, each) : insightUnits(each, 0));
      const ofTable = rules.get('');
      let units = consumed.table;
      for (const arm of consumed.indexes) {
        if (indexBehaviours[arm.kind].capacity !== 'own') units += arm.units;
        else this.#chargeIndex(event, table, rules.get(arm.name), arm, weighted(arm.units), minute);
      }
      if (ofTable === undefined || units === 0) continue;
      const own = touches.filter((touch) => touch.table === table && touch.key !== undefined);
      const exact = own.find(({ key }) => consumed.first !== undefined && equalBytes(key!, consumed.first));
      const charged = own.length > 1 && exact !== undefined && charges.length > 1 ? [exact] : own;
      // A batch tells what it consumed in a table, and not for which key: its keys share it.
      for (const touch of charged) {
        const { attributes } = touch;
        if (attributes !== undefined)
          accessed(ofTable, table, undefined, attributes, weighted(units) / charged.length, minute);
      }
    }
  }

  throttled(event: ThrottleEvent): void {
    const { table, index, verdict } = event;
    if (!verdict.enforced || table.record.insights === undefined) return;
    const { attributes } = event;
    if (attributes === undefined) return;
    const minute = Math.floor(this.#nowMs() / 60_000);
    const own = index?.traits.capacity === 'own' ? index : undefined;
    const rules = this.#of(table)?.get(own?.schema.name ?? '');
    if (rules === undefined) return;
    const { partition, full } = keysOf(table, own, attributes);
    if (partition !== undefined) rules.rules.get('PKT')?.add(partition, 1, minute);
    if (full !== undefined) rules.rules.get('SKT')?.add(full, 1, minute);
  }

  #chargeIndex(
    { touches }: RequestEvent,
    table: Table,
    rules: RuleSet | undefined,
    arm: { readonly name: string; readonly entry?: Item },
    weight: number,
    minute: number,
  ): void {
    if (rules === undefined) return;
    const index = table.indexes.find(({ schema }) => schema.name === arm.name);
    const attributes = arm.entry ?? touches.find((touch) => touch.index === index)?.attributes;
    if (attributes !== undefined) accessed(rules, table, index, attributes, weight, minute);
  }

  #of(table: Table): TableRules | undefined {
    const { insights } = table.record;
    if (insights === undefined) return undefined;
    let rules = this.#byTable.get(table);
    if (rules === undefined) {
      rules = new Map(
        insights
          .filter(({ isEnabled, isFailed }) => isEnabled && isFailed !== true)
          .map((setting) => [setting.indexName ?? '', { setting, rules: this.#rulesOf(table, setting) }]),
      );
      this.#byTable.set(table, rules);
    }
    return rules;
  }

  #rulesOf(table: Table, setting: InsightSetting): ReadonlyMap<RuleKind, InsightRule> {
    return new Map(
      ruleKinds(table.record, setting).map((kind) => {
        const name = ruleName(kind, table.name, setting);
        const id = ruleId(table.scope, name);
        let rule = this.#rules.get(id);
        if (rule === undefined) {
          rule = new InsightRule();
          // The oldest rule gives way; its table has most likely been deleted.
          if (this.#rules.size >= rulesMax) this.#rules.delete(this.#rules.keys().next().value!);
          this.#rules.set(id, rule);
        }
        return [kind, rule];
      }),
    );
  }
}

function accessed(
  { rules }: RuleSet,
  table: Table,
  index: TableIndex | undefined,
  attributes: Item,
  weight: number,
  minute: number,
): void {
  const { partition, full } = keysOf(table, index, attributes);
  if (partition !== undefined) rules.get('PKC')?.add(partition, weight, minute);
  if (full !== undefined) rules.get('SKC')?.add(full, weight, minute);
}

function schemaOf(table: Table, index: TableIndex | undefined) {
  const { schema } = table;
  const hash = index === undefined ? [schema.hash] : index.schema.hash;
  const range = index === undefined ? (schema.range === undefined ? [] : [schema.range]) : index.schema.range;
  return { hash: hash.map(({ name }) => name), range: range.map(({ name }) => name) };
}

/** The keys of an item as texts of their own: JSON lists of values. The full key is known of single items only. */
function keysOf(
  table: Table,
  index: TableIndex | undefined,
  attributes: Item,
): { readonly partition: string | undefined; readonly full: string | undefined } {
  const { hash, range } = schemaOf(table, index);
  const values = (names: readonly string[]): string[] | undefined => {
    const found: string[] = [];
    for (const name of names) {
      const value = attributes.get(name);
      if (value === undefined) return undefined;
      found.push(shown(value));
    }
    return found;
  };
  const partition = values(hash);
  const sort = range.length === 0 ? undefined : values(range);
  return {
    partition: partition && JSON.stringify(partition),
    full: partition && sort && JSON.stringify([...partition, ...sort]),
  };
}

function shown(value: AttributeValue): string {
  const text =
    'S' in value ? value.S : 'N' in value ? value.N : 'B' in value ? `base64:${String(value.B)}` : '?';
  return text.length > 256 ? `${text.slice(0, 255)}…` : text;
}
