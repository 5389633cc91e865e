import { itemWriteUnits, pageReadUnits, transactionFactor, writeUnits } from '../../physics/units.ts';
import type { Design, Placement, Plan, TableDesign } from '../design.ts';
import { storedModel } from '../embed/stored-model.ts';
import type { Entity, Model, ReadPattern, WritePattern, WriteStep } from '../ir.ts';
import { ModelFacts } from '../model-facts.ts';

/** Units between which auto scaling moves. */
export interface CapacityRange {
  readonly readMin: number;
  readonly readMax: number;
  readonly writeMin: number;
  readonly writeMax: number;
}

export interface Units {
  readonly read: number;
  readonly write: number;
}

export interface CapacityForecast {
  peak(table: string, slot: string): Units;
  mean(table: string, slot: string): Units;
  range(table: string, slot: string): CapacityRange;
  /** Units that one call of a read pattern uses. */
  readUnits(pattern: string): number;
  /** Units that one call of a write pattern uses on the table and on its indexes together. */
  writeUnits(pattern: string): number;
}

/** The share of provisioned units that auto scaling aims at, in percent. */
export const targetUtilization = 70;
const leastUnits = 5;

/** The units that a model's rates use in each slot of its design, from the engine's own arithmetic. */
export function forecastCapacity(asked: Model, design: Design): CapacityForecast {
  const model = storedModel(asked, design);
  const facts = new ModelFacts(model);
  const sums = new Map<
    string,
    { peak: { read: number; write: number }; mean: { read: number; write: number } }
  >();
  const perCall = new Map<string, number>();
  const sumOf = (table: string, slot: string) => {
    const key = `${table}/${slot}`;
    const known = sums.get(key) ?? { peak: { read: 0, write: 0 }, mean: { read: 0, write: 0 } };
    sums.set(key, known);
    return known;
  };
  const add = (
    { name, rate }: ReadPattern | WritePattern,
    table: string,
    slot: string,
    kind: 'read' | 'write',
    units: number,
  ) => {
    const sum = sumOf(table, slot);
    sum.peak[kind] += units * rate.peak;
    sum.mean[kind] += units * rate.mean;
    perCall.set(name, (perCall.get(name) ?? 0) + units);
  };
  for (const table of design.tables) {
    const armOf = (slot: string) =>
      table.indexes.find(({ name }) => name === slot)?.kind === 'global' ? slot : 'table';
    for (const plan of table.plans) {
      const pattern = model.reads.find(({ name }) => name === plan.pattern)!;
      const { slot, fetched } = readUnitsOf(facts, table, plan, pattern);
      add(pattern, table.name, armOf(plan.slot), 'read', slot);
      if (fetched > 0) add(pattern, table.name, 'table', 'read', fetched);
    }
    for (const write of model.writes) {
      const factor = isTransaction(write) ? transactionFactor : 1;
      for (const step of write.steps) {
        if (!table.entities.includes(step.entity)) continue;
        const entity = facts.entity(step.entity);
        const own = itemWriteUnits(0, facts.itemBytes(entity)) * step.count * factor;
        add(write, table.name, 'table', 'write', own);
        for (const placement of table.placements) {
          if (placement.entity !== entity.name) continue;
          if (placement.slot === 'table' && placement.copy === undefined) continue;
          const units = indexUnits(facts, entity, table, placement, step) * step.count;
          if (units > 0) add(write, table.name, armOf(placement.slot), 'write', units);
        }
      }
      for (const satellite of table.satellites) {
        if (satellite.writes.includes(write.name)) add(write, table.name, 'table', 'write', factor);
      }
    }
  }
  return {
    peak: (table, slot) => sumOf(table, slot).peak,
    mean: (table, slot) => sumOf(table, slot).mean,
    range: (table, slot) => rangeOf(sumOf(table, slot).mean, sumOf(table, slot).peak),
    readUnits: (pattern) => perCall.get(pattern) ?? 0,
    writeUnits: (pattern) => perCall.get(pattern) ?? 0,
  };
}

/** From what the mean needs at the target to twice what the peak needs. */
export function rangeOf(mean: Units, peak: Units): CapacityRange {
  const least = (units: number) => Math.max(leastUnits, roundUp((units * 100) / targetUtilization));
  const most = (min: number, units: number) =>
    Math.max(4 * min, roundUp((2 * units * 100) / targetUtilization));
  const [readMin, writeMin] = [least(mean.read), least(mean.write)];
  return { readMin, readMax: most(readMin, peak.read), writeMin, writeMax: most(writeMin, peak.write) };
}

/** Two significant digits are all that a forecast has. */
function roundUp(units: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, units))) - 1);
  return Math.ceil(units / step) * step;
}

/** Whether the client sends the write as one transaction. */
export function isTransaction({ atomic, steps, idempotency }: WritePattern): boolean {
  return (
    (atomic && steps.length > 1) ||
    idempotency !== undefined ||
    steps.some((step) => step.kind === 'create' && step.unique.length > 0)
  );
}

/** Items that one ordinary call finds. */
export function itemsPerCall(facts: ModelFacts, pattern: ReadPattern, entity: Entity): number {
  if (pattern.result === 'one') return 1;
  const page = pattern.page === 'all' ? Number.POSITIVE_INFINITY : pattern.page;
  return Math.min(page, pattern.returns ?? facts.matching(entity, pattern.by, pattern.where));
}

function readUnitsOf(facts: ModelFacts, table: TableDesign, plan: Plan, pattern: ReadPattern) {
  let bytes = 0;
  let fetched = 0;
  for (const name of plan.entities) {
    const entity = facts.entity(name);
    const count = itemsPerCall(facts, pattern, entity);
    bytes += count * slotBytes(facts, entity, table, plan.slot);
    if (plan.fetch) fetched += count * pageReadUnits(facts.itemBytes(entity), pattern.consistency);
  }
  // Every shard answers a page; the caller keeps the best of them.
  const each = pageReadUnits(plan.calls > 1 ? bytes / plan.calls : bytes, pattern.consistency);
  return { slot: each * plan.calls, fetched };
}

function slotBytes(facts: ModelFacts, entity: Entity, table: TableDesign, slot: string): number {
  const index = table.indexes.find(({ name }) => name === slot);
  if (index === undefined || index.projection.type === 'ALL') return facts.itemBytes(entity);
  const names = index.projection.type === 'INCLUDE' ? index.projection.names : [];
  return facts.attributesBytes(entity, names) + 2 * facts.shortKeyBytes(entity);
}

function indexUnits(
  facts: ModelFacts,
  entity: Entity,
  table: TableDesign,
  placement: Placement,
  step: WriteStep,
): number {
  if (step.kind === 'require') return 0;
  const share = placement.when.reduce((product, one) => product * facts.holds(entity, one), 1);
  const each = writeUnits(slotBytes(facts, entity, table, placement.slot)) * share;
  if (step.kind === 'create' || step.kind === 'remove') return each;
  const touched = new Set(
    step.kind === 'count' ? [step.attribute] : step.sets.map(({ attribute }) => attribute),
  );
  if (keyNames(placement).some((name) => touched.has(name))) return 2 * each;
  const index = table.indexes.find(({ name }) => name === placement.slot);
  if (index === undefined || index.projection.type === 'ALL') return each;
  const included = index.projection.type === 'INCLUDE' ? index.projection.names : [];
  return included.some((name) => touched.has(name)) ? each : 0;
}

/** Attributes that decide where a placement puts an item, and whether it does. */
export function keyNames({ partition, sort, when }: Placement): string[] {
  const pieces = [...partition, ...sort].flatMap((piece) => {
    if (piece.kind === 'constant') return [];
    return piece.kind === 'shard' ? piece.of : [piece.attribute];
  });
  const predicates = when.flatMap((one) => {
    if (one.kind !== 'compare') return [one.attribute];
    return 'attribute' in one.right ? [one.left, one.right.attribute] : [one.left];
  });
  return [...new Set([...pieces, ...predicates])];
}
