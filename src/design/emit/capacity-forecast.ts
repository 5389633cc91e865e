import { forecast } from '../check/forecast.ts';
import type { Design } from '../design.ts';
import { storedModel } from '../embed/stored-model.ts';
import type { Entity, Model, ReadPattern, WritePattern, WriteStep } from '../ir.ts';
import { ModelFacts } from '../model-facts.ts';
import { writeFactor } from '../write-charges.ts';

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

interface MutableUnits {
  read: number;
  write: number;
}

export interface CapacityForecast {
  peak(table: string, slot: string): Units;
  mean(table: string, slot: string): Units;
  range(table: string, slot: string): CapacityRange;
  /** Units that one call of a pattern uses on tables and on their indexes together. */
  unitsOf(pattern: string): Units;
}

/** The share of provisioned units that auto scaling aims at, in percent. */
export const targetUtilization = 70;
const leastUnits = 5;

/** The units that a model's rates use in each slot of its design, by the arithmetic of the static forecast. */
export function forecastCapacity(asked: Model, design: Design): CapacityForecast {
  const facts = new ModelFacts(storedModel(asked, design));
  const sums = new Map<string, { readonly peak: MutableUnits; readonly mean: MutableUnits }>();
  const calls = new Map<string, MutableUnits>();
  const sumOf = (table: string, slot: string) => {
    const key = `${table}/${slot}`;
    const known = sums.get(key) ?? { peak: { read: 0, write: 0 }, mean: { read: 0, write: 0 } };
    sums.set(key, known);
    return known;
  };
  for (const table of design.tables) {
    const add = (
      { name, rate }: ReadPattern | WritePattern,
      slot: string,
      kind: 'read' | 'write',
      units: number,
    ) => {
      // Local indexes use the capacity of their table.
      const isGlobal = table.indexes.some((one) => one.name === slot && one.kind === 'global');
      const sum = sumOf(table.name, isGlobal ? slot : 'table');
      sum.peak[kind] += units * rate.peak;
      sum.mean[kind] += units * rate.mean;
      const call = calls.get(name) ?? { read: 0, write: 0 };
      calls.set(name, call);
      call[kind] += units;
    };
    // A write may touch several tables, each of which takes its own part.
    const { reads, writes } = forecast(facts, { ...design, tables: [table] });
    for (const { pattern, plan, units, fetchUnits } of reads) {
      add(pattern, plan.slot, 'read', units);
      add(pattern, 'table', 'read', fetchUnits);
    }
    for (const { pattern, readUnits, tableUnits, indexUnits } of writes) {
      add(pattern, 'table', 'read', readUnits);
      add(pattern, 'table', 'write', tableUnits);
      for (const [name, units] of indexUnits) add(pattern, name, 'write', units);
    }
  }
  return {
    peak: (table, slot) => sumOf(table, slot).peak,
    mean: (table, slot) => sumOf(table, slot).mean,
    range: (table, slot) => rangeOf(sumOf(table, slot).mean, sumOf(table, slot).peak),
    unitsOf: (pattern) => calls.get(pattern) ?? { read: 0, write: 0 },
  };
}

/** From what the mean needs at the target to twice what the peak needs. */
function rangeOf(mean: Units, peak: Units): CapacityRange {
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

/** Whether the client sends the write, or a step of it, as a transaction. */
export function isTransaction(facts: ModelFacts, { tables }: Design, write: WritePattern): boolean {
  const hasCopies = (step: WriteStep) =>
    step.kind !== 'require' &&
    !(step.kind === 'count' && step.spread === 'shards') &&
    tables.some(({ placements }) =>
      placements.some(({ entity, copy }) => entity === step.entity && copy !== undefined),
    );
  return write.steps.some((step) => writeFactor(facts, write, step) > 1 || hasCopies(step));
}

/** Items that one ordinary call finds. */
export function itemsPerCall(facts: ModelFacts, pattern: ReadPattern, entity: Entity): number {
  if (pattern.result === 'one') return 1;
  const page = pattern.page === 'all' ? Number.POSITIVE_INFINITY : pattern.page;
  return Math.min(page, pattern.returns ?? facts.matching(entity, pattern.by, pattern.where));
}
