import {
  breakEvenUse,
  type CostBasis,
  copiedBytes,
  describeBasis,
  monthlyCost,
  provisionedHourCost,
  requestCost,
  reservedHourCost,
  type TableCopies,
} from '../../physics/cost.ts';
import type { ReservedTerm } from '../../physics/prices.ts';
import { billedBytes } from '../../physics/units.ts';
import { streamReadsPerSecond } from '../capacity-plan.ts';
import { entryBytes, forecast } from '../check/forecast.ts';
import type { Design } from '../design.ts';
import { storedModel } from '../embed/stored-model.ts';
import type { Model, Rate } from '../ir.ts';
import { ModelFacts } from '../model-facts.ts';
import { dayOf, targetUse } from './day-curve.ts';

export interface CostOptions {
  readonly basis: CostBasis;
  /** Multiplies all declared rates. */
  readonly traffic?: number;
  /** Further Regions that hold a replica. */
  readonly replicas?: number;
  readonly pointInTimeRecovery?: boolean;
  /** Copies of all tables: backups that are kept, and what is restored, exported and imported in a month. */
  readonly copies?: TableCopies;
}

/** What a design costs in a month: plain data for every report. */
export interface DesignCost {
  readonly format: 'stator-cost/1';
  readonly model: string;
  readonly basis: string;
  readonly currency: string;
  readonly arms: readonly ArmCost[];
  readonly patterns: readonly PatternCost[];
  readonly modes: readonly ModeCost[];
  /** What is paid in any mode. */
  readonly always: readonly { readonly what: string; readonly cost: number }[];
  readonly cheapest: string;
  readonly tipping: Tipping;
}

/** A table or one of its indexes. */
export interface ArmCost {
  /** `orders` or `orders/GSI1`. */
  readonly arm: string;
  readonly storedBytes: number;
  readonly storage: number;
  /** Units a second. */
  readonly mean: Units;
  readonly peak: Units;
  readonly onDemand: number;
  readonly provisioned: number;
}

export interface Units {
  readonly read: number;
  readonly write: number;
}

export interface PatternCost {
  readonly pattern: string;
  readonly unitsPerCall: Units;
  /** Of the write units, those on indexes. */
  readonly indexUnits: number;
  readonly onDemand: number;
}

export interface ModeCost {
  readonly mode:
    | 'on demand'
    | 'provisioned'
    | 'provisioned, one year reserved'
    | 'provisioned, three years reserved';
  /** Requests or capacity. */
  readonly requests: number;
  readonly total: number;
}

export interface Tipping {
  /** The traffic, as a factor of the declared rates, at which the cheaper of the two plain modes changes. */
  readonly traffic: number | undefined;
  readonly below: string;
  readonly above: string;
  /** The share of provisioned units that must be used for provisioned to be cheaper. */
  readonly use: Units;
  /** The share that the declared day uses, at seven tenths of each hour's peak. */
  readonly declaredUse: Units;
}

interface Arm {
  readonly arm: string;
  readonly table: string;
  readonly kind: 'table' | 'local' | 'global';
  /** Units a second on the mean and at the peak. */
  read: { mean: number; peak: number };
  write: { mean: number; peak: number };
  storedBytes: number;
}

/** Prices a design by the units of the static forecast and the one price table. */
export function costOf(asked: Model, design: Design, options: CostOptions): DesignCost {
  const model = storedModel(asked, design);
  const { basis, traffic = 1, replicas = 0, pointInTimeRecovery = true, copies = {} } = options;
  const facts = new ModelFacts(model);
  const arms = armsOf(facts, design);
  const patterns = patternsOf(facts, design, basis, traffic, arms);
  const stored = arms.reduce((sum, one) => sum + one.storedBytes, 0);
  const bytesOf = (kinds: readonly Arm['kind'][]) =>
    arms.filter(({ kind }) => kinds.includes(kind)).reduce((sum, one) => sum + one.storedBytes, 0);
  const withLocalIndexes = bytesOf(['table', 'local']);
  const seconds = basis.prices.hoursPerMonth * 3_600;
  const use = {
    storedBytes: stored * (1 + replicas),
    ...(pointInTimeRecovery ? { recoveryBytes: withLocalIndexes } : {}),
    ...copiedBytes(copies, { items: bytesOf(['table']), withLocalIndexes, withAllIndexes: stored }),
  };
  const streams = streamReads(model, seconds);
  const bill = monthlyCost(basis, {
    ...use,
    ...(streams > 0 ? { streamReads: streams } : {}),
  });
  const always = bill.lines.map(({ what, cost }) => ({ what, cost }));
  const fixed = bill.total;
  const modes = modesOf(arms, basis, traffic, replicas).map((one) => ({
    ...one,
    total: one.requests + fixed,
  }));
  const cheapest = modes.reduce((a, b) => (b.total < a.total ? b : a)).mode;
  return {
    format: 'stator-cost/1',
    model: model.name,
    basis: describeBasis(basis),
    currency: basis.prices.currency,
    arms: arms.map((one) => ({
      arm: one.arm,
      storedBytes: one.storedBytes,
      storage: monthlyCost(basis, { storedBytes: one.storedBytes }).total,
      mean: { read: one.read.mean * traffic, write: one.write.mean * traffic },
      peak: { read: one.read.peak * traffic, write: one.write.peak * traffic },
      onDemand: onDemandOf([one], basis, traffic, replicas),
      provisioned: provisionedOf([one], basis, traffic, replicas),
    })),
    patterns,
    modes,
    always,
    cheapest,
    tipping: tippingOf(arms, basis, traffic, replicas),
  };
}

/** One reader for each consumer. */
function streamReads({ environment }: Model, seconds: number): number {
  return environment.streams.length * streamReadsPerSecond * seconds;
}

function armsOf(facts: ModelFacts, design: Design): Arm[] {
  return design.tables.flatMap((table) => {
    const slots = [undefined, ...table.indexes];
    return slots.map((index): Arm => {
      const placements = table.placements.filter(({ slot }) => slot === (index?.name ?? 'table'));
      let bytes = 0;
      for (const placement of placements) {
        const entity = facts.entity(placement.entity);
        const share = placement.when.reduce((product, one) => product * facts.holds(entity, one), 1);
        const entries = facts.total(entity) * share;
        bytes += billedBytes(entries * entryBytes(facts, placement, index), entries);
      }
      return {
        arm: index === undefined ? table.name : `${table.name}/${index.name}`,
        table: table.name,
        kind: index?.kind ?? 'table',
        read: { mean: 0, peak: 0 },
        write: { mean: 0, peak: 0 },
        storedBytes: bytes,
      };
    });
  });
}

/** Adds what each pattern takes to the arms, and prices the patterns. */
function patternsOf(
  facts: ModelFacts,
  design: Design,
  basis: CostBasis,
  traffic: number,
  arms: readonly Arm[],
): PatternCost[] {
  const seconds = basis.prices.hoursPerMonth * 3_600;
  const armNamed = (name: string) => arms.find(({ arm }) => arm === name)!;
  const add = (arm: Arm, kind: 'read' | 'write', units: number, rate: Rate) => {
    arm[kind].mean += units * rate.mean;
    arm[kind].peak += units * rate.peak;
  };
  const calls = new Map<string, { readonly rate: Rate; read: number; table: number; indexes: number }>();
  const callOf = ({ name, rate }: { readonly name: string; readonly rate: Rate }) => {
    const known = calls.get(name) ?? { rate, read: 0, table: 0, indexes: 0 };
    calls.set(name, known);
    return known;
  };
  for (const table of design.tables) {
    const armOf = (slot: string) => armNamed(slot === 'table' ? table.name : `${table.name}/${slot}`);
    // A write may touch several tables, each of which takes its own part.
    const { reads, writes } = forecast(facts, { ...design, tables: [table] });
    for (const { pattern, plan, units, fetchUnits } of reads) {
      add(armOf(plan.slot), 'read', units, pattern.rate);
      add(armOf('table'), 'read', fetchUnits, pattern.rate);
      callOf(pattern).read += units + fetchUnits;
    }
    for (const { pattern, readUnits, tableUnits, indexUnits } of writes) {
      const call = callOf(pattern);
      add(armOf('table'), 'read', readUnits, pattern.rate);
      add(armOf('table'), 'write', tableUnits, pattern.rate);
      call.read += readUnits;
      call.table += tableUnits;
      for (const [name, units] of indexUnits) {
        add(armOf(name), 'write', units, pattern.rate);
        call.indexes += units;
      }
    }
  }
  const priced = [...calls].map(([pattern, { rate, read, table, indexes }]): PatternCost => {
    const perMonth = rate.mean * traffic * seconds;
    const write = table + indexes;
    const onDemand = requestCost(basis, { read: read * perMonth, write: write * perMonth });
    return { pattern, unitsPerCall: { read, write }, indexUnits: indexes, onDemand };
  });
  return priced.sort((a, b) => b.onDemand - a.onDemand);
}

/** Every write is made again in each replica, at the price of the mode. */
function onDemandOf(arms: readonly Arm[], basis: CostBasis, traffic: number, replicas: number): number {
  const seconds = basis.prices.hoursPerMonth * 3_600 * traffic;
  const read = arms.reduce((sum, one) => sum + one.read.mean, 0) * seconds;
  const write = arms.reduce((sum, one) => sum + one.write.mean, 0) * seconds;
  return requestCost(basis, { read, write, replicatedWrite: write * replicas });
}

/** Capacity hour by hour, as auto scaling would set it: whole units, at least one. */
function hoursOf(arms: readonly Arm[], traffic: number): { readonly read: number; readonly write: number }[] {
  const units = arms.flatMap((arm) =>
    (['read', 'write'] as const).map((kind) => {
      const { mean, peak } = arm[kind];
      return {
        kind,
        hours: dayOf({ mean: mean * traffic, peak: peak * traffic }).capacity.map((one) =>
          Math.max(1, Math.ceil(one)),
        ),
      };
    }),
  );
  return Array.from({ length: 24 }, (_, hour) => ({
    read: units.filter(({ kind }) => kind === 'read').reduce((sum, { hours }) => sum + hours[hour]!, 0),
    write: units.filter(({ kind }) => kind === 'write').reduce((sum, { hours }) => sum + hours[hour]!, 0),
  }));
}

function provisionedOf(arms: readonly Arm[], basis: CostBasis, traffic: number, replicas: number): number {
  const hours = hoursOf(arms, traffic);
  const day = hours.reduce(
    (sum, units) => sum + provisionedHourCost(basis, { ...units, replicatedWrite: units.write * replicas }),
    0,
  );
  return (day / 24) * basis.prices.hoursPerMonth;
}

/**
 * What is provisioned even in the quietest hour is reserved, in whole blocks of 100; the rest follows the day. Replicated
 * writes cannot be reserved.
 */
function reservedOf(
  arms: readonly Arm[],
  basis: CostBasis,
  traffic: number,
  replicas: number,
  term: ReservedTerm,
): number {
  const hours = hoursOf(arms, traffic);
  const block = (units: number) => Math.floor(units / 100) * 100;
  const read = block(Math.min(...hours.map((one) => one.read)));
  const write = block(Math.min(...hours.map((one) => one.write)));
  const day = hours.reduce(
    (sum, units) =>
      sum +
      provisionedHourCost(basis, {
        read: units.read - read,
        write: units.write - write,
        replicatedWrite: units.write * replicas,
      }),
    0,
  );
  return (day / 24 + reservedHourCost(basis, term, { read, write })) * basis.prices.hoursPerMonth;
}

function modesOf(
  arms: readonly Arm[],
  basis: CostBasis,
  traffic: number,
  replicas: number,
): Omit<ModeCost, 'total'>[] {
  return [
    { mode: 'on demand', requests: onDemandOf(arms, basis, traffic, replicas) },
    { mode: 'provisioned', requests: provisionedOf(arms, basis, traffic, replicas) },
    {
      mode: 'provisioned, one year reserved',
      requests: reservedOf(arms, basis, traffic, replicas, 'oneYear'),
    },
    {
      mode: 'provisioned, three years reserved',
      requests: reservedOf(arms, basis, traffic, replicas, 'threeYears'),
    },
  ];
}

/** Looks for the traffic at which on-demand and provisioned capacity cost the same. */
function tippingOf(arms: readonly Arm[], basis: CostBasis, traffic: number, replicas: number): Tipping {
  const isProvisionedCheaper = (factor: number) =>
    provisionedOf(arms, basis, factor, replicas) < onDemandOf(arms, basis, factor, replicas);
  const [least, most] = [traffic / 1e6, traffic * 1e4];
  const [low, high] = [isProvisionedCheaper(least), isProvisionedCheaper(most)];
  const modeOf = (isProvisioned: boolean) => (isProvisioned ? 'provisioned' : 'on demand');
  let found: number | undefined;
  if (low !== high) {
    let [from, to] = [least, most];
    for (let step = 0; step < 60; step++) {
      const middle = Math.sqrt(from * to);
      if (isProvisionedCheaper(middle) === low) from = middle;
      else to = middle;
    }
    found = to;
  }
  const useOf = (kind: 'read' | 'write') => {
    const mean = arms.reduce((sum, one) => sum + one[kind].mean, 0);
    const capacity = arms.reduce((sum, one) => sum + dayOf(one[kind]).averageCapacity, 0);
    return capacity === 0 ? targetUse : mean / capacity;
  };
  return {
    traffic: found,
    below: modeOf(low),
    above: modeOf(high),
    use: breakEvenUse(basis),
    declaredUse: { read: useOf('read'), write: useOf('write') },
  };
}
