import { utf8Length } from '../../model/values/utf8.ts';
import { partitionCeilings, partitionUse } from '../../physics/partition-use.ts';
import { itemWriteUnits, readUnits, transactionFactor } from '../../physics/units.ts';
import type { Design, IndexDesign, Placement, Plan, Satellite, TableDesign } from '../design.ts';
import type { Entity, Piece, ReadPattern, WritePattern, WriteStep } from '../ir.ts';
import { templateText } from '../key-pieces.ts';
import type { ModelFacts } from '../model-facts.ts';
import { guardWrites, writeFactor } from '../write-charges.ts';
import { entryWrites, keyNames, readsItem } from './entry-writes.ts';

/** What the declared rates come down to on finished key templates, whoever made them. */
export interface Forecast {
  readonly reads: readonly ReadForecast[];
  readonly writes: readonly WriteForecast[];
  /** The hottest partition of each table and index, hottest first. */
  readonly partitions: readonly PartitionForecast[];
}

/** What one call of a read costs. */
export interface ReadForecast {
  readonly pattern: ReadPattern;
  readonly plan: Plan;
  /** Items that one call reads, over all shards. */
  readonly items: number;
  /** Bytes that the largest of its parallel calls reads. */
  readonly bytes: number;
  /** Units of the calls themselves. */
  readonly units: number;
  /** Units of fetching the items whose keys were found. */
  readonly fetchUnits: number;
}

/** What one call of a write costs, in the table and in each index. */
export interface WriteForecast {
  readonly pattern: WritePattern;
  /** Items that one call writes, satellites and copies included. */
  readonly items: number;
  readonly bytes: number;
  /** Units of reading items whose copies, guards or index keys only they tell. */
  readonly readUnits: number;
  /** Units on tables, for one call. */
  readonly tableUnits: number;
  /** Units on each index, for one call. */
  readonly indexUnits: ReadonlyMap<string, number>;
}

/** The hottest value of a partition template at the peak. */
export interface PartitionForecast {
  readonly table: string;
  readonly slot: string;
  /** The template, such as `ORDER#{customerId}`. */
  readonly template: string;
  readonly entities: readonly string[];
  readonly shards: number;
  readonly writeUnits: number;
  readonly readUnits: number;
  /** The share of the ceilings that it uses; above 1 it throttles. */
  readonly use: number;
  /** The patterns that heat it, hottest first, with their share of the heat. */
  readonly from: readonly { readonly pattern: string; readonly share: number }[];
}

/** Computes what one call of every pattern costs in a design. */
export function forecast(facts: ModelFacts, design: Design): Forecast {
  const writes = facts.model.writes.map((pattern) => forecastWrite(facts, design, pattern));
  const reads = design.tables.flatMap((table) =>
    table.plans.flatMap((plan) => forecastRead(facts, table, plan)),
  );
  const partitions = design.tables.flatMap((table) => forecastPartitions(facts, table, reads));
  return { reads, writes, partitions: partitions.sort((a, b) => b.use - a.use) };
}

const indexKeyNameBytes = utf8Length('GSI1PKGSI1SK');

/** Bytes of an item in the table, or of its entry in an index. */
export function entryBytes(facts: ModelFacts, placement: Placement, index: IndexDesign | undefined): number {
  const entity = facts.entity(placement.entity);
  if (index === undefined) return facts.itemBytes(entity);
  const keys = keyNames(placement).reduce((sum, name) => sum + 1 + facts.keyBytes(entity, name).mean, 0);
  const head = utf8Length(entity.name) + 1;
  return (
    facts.shortKeyBytes(entity) +
    indexKeyNameBytes +
    head +
    keys +
    facts.attributesBytes(entity, projectedBy(index))
  );
}

/** The attributes that an index projects; undefined for all. */
function projectedBy({ projection }: IndexDesign): readonly string[] | undefined {
  if (projection.type === 'ALL') return undefined;
  return projection.type === 'INCLUDE' ? projection.names : [];
}

function indexOf(table: TableDesign, slot: string): IndexDesign | undefined {
  return table.indexes.find(({ name }) => name === slot);
}

// ---- reads

function forecastRead(facts: ModelFacts, table: TableDesign, plan: Plan): ReadForecast[] {
  const pattern = facts.model.reads.find(({ name }) => name === plan.pattern);
  if (pattern === undefined) return [];
  const index = indexOf(table, plan.slot);
  let items = 0;
  let bytes = 0;
  for (const name of plan.entities) {
    const placement = table.placements.find(
      (one) => one.entity === name && one.slot === plan.slot && one.copy === plan.copy,
    );
    if (placement === undefined) return [];
    const found = itemsRead(facts, facts.entity(name), pattern, plan);
    items += found;
    bytes += (found / plan.calls) * entryBytes(facts, placement, index);
  }
  if (pattern.page !== 'all' && items > pattern.page * plan.calls) {
    bytes *= (pattern.page * plan.calls) / items;
    items = pattern.page * plan.calls;
  }
  const found = plan.calls * readUnits(Math.ceil(bytes), pattern.consistency);
  const fetched = plan.fetch
    ? Math.max(1, items / plan.calls) *
      readUnits(facts.itemBytes(facts.entity(plan.entities[0]!)), 'eventual')
    : 0;
  return [{ pattern, plan, items, bytes, units: found, fetchUnits: fetched }];
}

/** Items of one entity that a call reads before filters: those of the page, from each shard. */
function itemsRead(facts: ModelFacts, entity: Entity, pattern: ReadPattern, plan: Plan): number {
  if (pattern.result === 'one') return 1;
  const all =
    pattern.returns !== undefined && pattern.entities.length === 1
      ? pattern.returns
      : facts.matching(
          entity,
          pattern.by.filter((name) => entity.attributes.some((one) => one.name === name)),
          pattern.where,
        );
  if (pattern.page === 'all') return all;
  return Math.min(pattern.page * plan.calls, all);
}

// ---- writes

function forecastWrite(facts: ModelFacts, design: Design, pattern: WritePattern): WriteForecast {
  const indexUnits = new Map<string, number>();
  let [items, bytes, tableUnits, read] = [0, 0, 0, 0];
  for (const step of pattern.steps) {
    const entity = facts.entity(step.entity);
    const table = design.tables.find(({ entities }) => entities.includes(step.entity));
    if (table === undefined) continue;
    if (readsItem(facts, table.placements, step))
      read += step.count * readUnits(facts.itemBytes(entity), 'strong');
    for (const placement of table.placements.filter((one) => one.entity === entity.name)) {
      const index = indexOf(table, placement.slot);
      const size = entryBytes(facts, placement, index);
      const units = unitsOfStep(facts, placement, index, size, pattern, step);
      if (index === undefined) {
        items += step.count;
        bytes += step.count * facts.itemBytesMax(entity);
        tableUnits += units;
      } else indexUnits.set(index.name, (indexUnits.get(index.name) ?? 0) + units);
    }
  }
  for (const { satellites } of design.tables) {
    for (const satellite of satellites.filter((one) => one.writes.includes(pattern.name))) {
      const beside = satelliteWrites(facts, satellite, pattern);
      items += beside.items;
      tableUnits += beside.units;
    }
  }
  return { pattern, items, bytes, readUnits: read, tableUnits, indexUnits };
}

/** What one call writes to guards, counters and remembered commands. */
function satelliteWrites(
  facts: ModelFacts,
  { kind, entity, attribute }: Satellite,
  pattern: WritePattern,
): { readonly items: number; readonly units: number } {
  const own = pattern.steps.filter((step) => step.entity === entity);
  switch (kind) {
    case 'unique': {
      const items = own.reduce((sum, step) => sum + guardWrites(facts, step, attribute), 0);
      return { items, units: items * transactionFactor };
    }
    case 'counter': {
      const step = own.find((one) => one.kind === 'count' && one.attribute === attribute);
      return step === undefined
        ? { items: 0, units: 0 }
        : { items: 1, units: writeFactor(facts, pattern, step) };
    }
    case 'idempotency': {
      const bytes = pattern.idempotency?.kind === 'record' ? pattern.idempotency.bytes : 0;
      return { items: 1, units: itemWriteUnits(0, bytes) * transactionFactor };
    }
  }
}

function unitsOfStep(
  facts: ModelFacts,
  placement: Placement,
  index: IndexDesign | undefined,
  size: number,
  pattern: WritePattern,
  step: WriteStep,
): number {
  const units = itemWriteUnits(size, size) * step.count;
  if (step.kind === 'count' && step.spread === 'shards') return 0;
  if (index !== undefined) return units * entryWrites(facts, placement, step, projectedBy(index));
  const each = writeFactor(facts, pattern, step);
  if (placement.copy === undefined) return units * each;
  // A copy is written with its item in one transaction, which makes the item's own write dearer as well.
  if (step.kind === 'require') return 0;
  return units * (transactionFactor + transactionFactor - each);
}

// ---- heat

interface Heat {
  readonly pattern: string;
  readonly write: number;
  readonly read: number;
}

/** Entities that share a partition template heat the same values. */
function forecastPartitions(
  facts: ModelFacts,
  table: TableDesign,
  reads: readonly ReadForecast[],
): PartitionForecast[] {
  const groups = new Map<string, Placement[]>();
  for (const placement of table.placements) {
    const local = indexOf(table, placement.slot)?.kind === 'local';
    const key = `${local ? 'table' : placement.slot} ${templateText(placement.partition.map(withoutOwner))}`;
    groups.set(key, [...(groups.get(key) ?? []), placement]);
  }
  return [...groups.values()].map((placements) => {
    const [first] = placements;
    const heat = placements.flatMap((placement) => [
      ...writeHeat(facts, table, placement),
      ...readHeat(facts, placement, reads),
    ]);
    const writeUnits = heat.reduce((sum, { write }) => sum + write, 0);
    const read = heat.reduce((sum, one) => sum + one.read, 0);
    const use = partitionUse({ read, write: writeUnits });
    return {
      table: table.name,
      slot: first!.slot,
      template: templateText(first!.partition),
      entities: [...new Set(placements.map(({ entity }) => entity))],
      shards: first!.shards,
      writeUnits,
      readUnits: read,
      use,
      from: causes(heat, writeUnits / partitionCeilings.write >= read / partitionCeilings.read),
    };
  });
}

function withoutOwner(piece: Piece): Piece {
  return piece.kind === 'shard' ? { ...piece, of: [] } : piece;
}

/** The patterns behind the ceiling that comes first. */
function causes(heat: readonly Heat[], byWrites: boolean) {
  const byPattern = new Map<string, number>();
  for (const { pattern, write, read } of heat)
    byPattern.set(pattern, (byPattern.get(pattern) ?? 0) + (byWrites ? write : read));
  const all = [...byPattern.values()].reduce((sum, own) => sum + own, 0);
  return [...byPattern]
    .map(([pattern, own]) => ({ pattern, share: all === 0 ? 0 : own / all }))
    .filter(({ share }) => share > 0.005)
    .sort((a, b) => b.share - a.share);
}

/** Time buckets relieve no peak: everybody writes and reads today's. */
function spreadNames({ partition }: Placement): string[] {
  return partition.flatMap((piece) => (piece.kind === 'attribute' ? [piece.attribute] : []));
}

function writeHeat(facts: ModelFacts, table: TableDesign, placement: Placement): Heat[] {
  const entity = facts.entity(placement.entity);
  const index = indexOf(table, placement.slot);
  const size = entryBytes(facts, placement, index);
  return facts.model.writes.flatMap((pattern) =>
    pattern.steps
      .filter((step) => step.entity === entity.name)
      .map((step): Heat => {
        const units = unitsOfStep(facts, placement, index, size, pattern, step);
        const pinned = facts.settledBy(pattern, step);
        const hottest = hottestPart(placement, true, (names) =>
          facts.hottestShare(entity, names, pattern.skew, pinned, true),
        );
        return { pattern: pattern.name, write: units * pattern.rate.peak * hottest, read: 0 };
      }),
  );
}

function readHeat(facts: ModelFacts, placement: Placement, reads: readonly ReadForecast[]): Heat[] {
  const entity = facts.entity(placement.entity);
  const own = reads.filter(
    ({ plan }) =>
      plan.slot === placement.slot && plan.copy === placement.copy && plan.entities[0] === placement.entity,
  );
  return own.map(({ pattern, plan, units }) => {
    const pinned = new Set(pattern.where.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : [])));
    const hottest = hottestPart(placement, plan.calls === 1, (names) =>
      facts.hottestShare(entity, names, pattern.skew, pinned, false),
    );
    return { pattern: pattern.name, write: 0, read: units * pattern.rate.peak * hottest };
  });
}

/** The share of the hottest shard. Calls that go to one shard each cannot be divided further than by what chooses it. */
function hottestPart(
  placement: Placement,
  choosesShard: boolean,
  shareBy: (names: readonly string[]) => number,
): number {
  const names = spreadNames(placement);
  const even = shareBy(names) / placement.shards;
  if (placement.shards === 1 || !choosesShard) return even;
  const by = placement.partition.flatMap((piece) => (piece.kind === 'shard' ? piece.of : []));
  return Math.max(even, shareBy([...names, ...by]));
}
