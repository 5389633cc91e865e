import { ageText } from '../check-freshness.ts';
import type { Design, Placement, Plan, TableDesign } from '../design.ts';
import { storedModel } from '../embed/stored-model.ts';
import { forecastCapacity, isTransaction } from '../emit/capacity-forecast.ts';
import { type SampleRow, sampleInstances, sampleRows } from '../emit/sample-items.ts';
import type { Entity, Frequency, Model, ReadPattern, WriteStep } from '../ir.ts';
import { templateText } from '../key-pieces.ts';
import { ModelFacts } from '../model-facts.ts';
import { canonical } from '../predicate-logic.ts';
import { listPrices } from '../prices.ts';
import { type ConditionalAction, conditionalWrites } from './conditional-writes.ts';
import { figure } from './figures.ts';

/** What Markdown and HTML both show of a read pattern. */
export interface ReadRow {
  readonly name: string;
  readonly does: string;
  readonly actor: string;
  readonly entities: readonly string[];
  readonly table: string;
  readonly slot: string;
  readonly operation: string;
  readonly partition: string;
  readonly sort: string;
  readonly page: string;
  readonly peak: number;
  readonly units: number;
  readonly monthly: number;
  readonly reason: string;
  /** `72 per hour`, if the pattern says so. */
  readonly often: string;
}

export interface WriteRow {
  readonly name: string;
  readonly does: string;
  readonly actor: string;
  readonly steps: readonly string[];
  readonly isTransaction: boolean;
  readonly peak: number;
  /** Write units. */
  readonly units: number;
  /** Units of reading what only the stored item tells, before it is written. */
  readonly readUnits: number;
  readonly monthly: number;
  readonly often: string;
}

export interface EntityRow {
  readonly name: string;
  readonly table: string;
  readonly items: number;
  readonly bytes: number;
  /** The attribute by which its items expire, and after how long; empty if they stay. */
  readonly expires: string;
  readonly keys: readonly KeyRow[];
}

export interface KeyRow {
  readonly slot: string;
  readonly partition: string;
  readonly sort: string;
  /** When the item is in the index; empty if always. */
  readonly when: string;
  readonly serves: readonly string[];
  readonly reason: string;
}

/** The items of one partition. */
export interface Collection {
  readonly partition: string;
  readonly rows: readonly SampleRow[];
}

export interface DocumentRows {
  readonly model: Model;
  readonly design: Design;
  readonly reads: readonly ReadRow[];
  readonly writes: readonly WriteRow[];
  readonly conditional: readonly ConditionalAction[];
  readonly entities: readonly EntityRow[];
  readonly samples: ReadonlyMap<string, readonly SampleRow[]>;
}

/** `asked` is the model before children were put inside their parents. */
export function documentRows(model: Model, design: Design, asked: Model = model): DocumentRows {
  const facts = new ModelFacts(model);
  const stored = new ModelFacts(storedModel(model, design));
  const forecast = forecastCapacity(model, design);
  const instances = sampleInstances(model, design);
  const { readUnit, writeUnit, secondsPerMonth } = listPrices;
  return {
    model,
    design,
    reads: model.reads.flatMap((pattern): ReadRow[] => {
      const table = design.tables.find(({ plans }) => plans.some((plan) => plan.pattern === pattern.name));
      const plan = table?.plans.find((one) => one.pattern === pattern.name);
      if (table === undefined || plan === undefined) return [];
      const units = forecast.unitsOf(pattern.name).read;
      return [
        {
          name: pattern.name,
          does: pattern.description ?? '',
          actor: pattern.actor ?? '',
          entities: plan.entities,
          table: table.name,
          slot: plan.slot,
          operation: plan.calls === 1 ? plan.operation : `${plan.calls} × ${plan.operation}`,
          partition: plan.partition,
          sort: sortText(plan),
          page: pageText(plan, pattern),
          peak: pattern.rate.peak,
          units,
          monthly: units * pattern.rate.mean * readUnit * secondsPerMonth,
          reason: plan.reason,
          often: oftenText(pattern.frequency),
        },
      ];
    }),
    writes: model.writes.map((write): WriteRow => {
      const { read, write: units } = forecast.unitsOf(write.name);
      return {
        name: write.name,
        does: write.description ?? '',
        actor: write.actor ?? '',
        steps: write.steps.map(stepText),
        isTransaction: isTransaction(
          stored,
          design,
          stored.model.writes.find(({ name }) => name === write.name)!,
        ),
        peak: write.rate.peak,
        units,
        readUnits: read,
        monthly: (units * writeUnit + read * readUnit) * write.rate.mean * secondsPerMonth,
        often: oftenText(write.frequency),
      };
    }),
    conditional: conditionalWrites(asked, design),
    entities: model.entities.map((entity): EntityRow => {
      const table = design.tables.find(({ entities }) => entities.includes(entity.name))!;
      return {
        name: entity.name,
        table: table.name,
        items: facts.total(entity),
        bytes: facts.itemBytes(entity),
        expires: expiryText(entity),
        keys: table.placements.filter((one) => one.entity === entity.name).map(keyRow),
      };
    }),
    samples: new Map(design.tables.map((table) => [table.name, sampleRows(model, table, instances)])),
  };
}

function keyRow(placement: Placement): KeyRow {
  const { slot, copy, partition, sort, when, serves, reason } = placement;
  return {
    slot: copy === undefined ? slot : `copy ${copy}`,
    partition: templateText(partition),
    sort: templateText(sort),
    when: when.map(canonical).join(' and '),
    serves,
    reason,
  };
}

function sortText({ sort }: Plan): string {
  switch (sort.kind) {
    case 'none':
      return '';
    case 'equals':
      return `= ${sort.text}`;
    case 'prefix':
      return `begins with ${sort.text}`;
    case 'between':
      return `${sort.from} to ${sort.to}`;
  }
}

function pageText(plan: Plan, pattern: ReadPattern): string {
  return [
    pattern.result === 'one' ? 'one item' : plan.limit === 'all' ? 'all' : `${plan.limit} a page`,
    ...(plan.forward || pattern.result === 'one' ? [] : ['backwards']),
    ...(pattern.consistency === 'strong' ? ['strong'] : []),
    ...(pattern.freshnessMs === undefined ? [] : [freshnessText(pattern.freshnessMs)]),
    ...(plan.filter.length === 0 ? [] : [`filter ${plan.filter.join(' and ')}`]),
    ...(plan.fetch ? ['then fetch'] : []),
  ].join(', ');
}

function freshnessText(ms: number): string {
  return ms === 0 ? 'as of the last write' : `at most ${ageText(ms)} old`;
}

function oftenText(frequency: Frequency | undefined): string {
  return frequency === undefined ? '' : `${frequency.calls.toLocaleString('en-US')} per ${frequency.per}`;
}

function expiryText({ ttl, keepDays }: Entity): string {
  if (ttl === undefined) return '';
  return keepDays === undefined ? `by ${ttl}` : `by ${ttl}, after ${ageText(keepDays * 86_400_000)}`;
}

function stepText(step: WriteStep): string {
  const times = step.count === 1 ? '' : ` × ${step.count}`;
  switch (step.kind) {
    case 'create':
      return `create ${step.entity}${times}${step.unique.length === 0 ? '' : `, unique ${step.unique.join(', ')}`}`;
    case 'change':
      return `change ${step.entity}${times}: ${step.sets.map(({ attribute }) => attribute).join(', ')}`;
    case 'remove':
      return `remove ${step.entity}${times}`;
    case 'count':
      return `add to ${step.attribute} of ${step.entity}${times}`;
    case 'require':
      return `require ${step.entity}${times}`;
  }
}

/** The fullest collections first, because they show most of the design; then in the order of their keys. */
export function collections(table: TableDesign, rows: readonly SampleRow[], most: number): Collection[] {
  const found = new Map<string, SampleRow[]>();
  for (const row of rows) {
    const partition = String(row.item[table.partitionKey]);
    found.set(partition, [...(found.get(partition) ?? []), row]);
  }
  const all = [...found].map(([partition, own]): Collection => ({ partition, rows: own }));
  // One collection of each combination of kinds is enough.
  const seen = new Set<string>();
  const different = [...all]
    .sort((a, b) => b.rows.length - a.rows.length)
    .filter(({ rows: own }) => {
      const kinds = [...new Set(own.map(({ entity }) => entity))].sort().join();
      if (seen.has(kinds)) return false;
      seen.add(kinds);
      return true;
    });
  return different.slice(0, most).sort((a, b) => (a.partition < b.partition ? -1 : 1));
}

/** Attributes of a row beside its keys. */
export function plainAttributes(table: TableDesign, row: SampleRow): [string, string][] {
  const keys = new Set(
    [table, ...table.indexes].flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey]),
  );
  return Object.entries(row.item)
    .filter(([name]) => !keys.has(name) && !name.startsWith('_'))
    .map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]);
}

/** The indexes that hold a row. */
export function indexesOf(table: TableDesign, row: SampleRow): string[] {
  return table.indexes
    .filter(
      ({ partitionKey, sortKey }) => row.item[partitionKey] !== undefined && row.item[sortKey] !== undefined,
    )
    .map(({ name }) => name);
}

/** The peak, and how often the pattern runs if the model says so. */
export function peakText({ peak, often }: { readonly peak: number; readonly often: string }): string {
  return often === '' ? figure(peak) : `${figure(peak)} (${often})`;
}

/** The units of one call: its write units, and its read units if it reads before it writes. */
export function writeUnitsText({ units, readUnits }: WriteRow): string {
  return readUnits === 0 ? figure(units) : `${figure(units)} + ${figure(readUnits)} read`;
}
