import {
  breakEvenUse,
  type CostBasis,
  copiedBytes,
  describeBasis,
  type MonthlyUse,
  monthlyCost,
  type TableCopies,
} from '../physics/cost.ts';
import { awsPrices, type PriceTable, type TableClassName } from '../physics/prices.ts';
import {
  billedBytes,
  type ReadConsistency,
  readUnits,
  transactionFactor,
  writeUnits,
} from '../physics/units.ts';

export { PriceFileError, readPrices } from '../physics/read-prices.ts';

/** Calls of GetRecords that a program makes which polls a stream. Functions of AWS Lambda read for free. */
export const streamReadsPerSecond = 4;

/** A workload of one table, as a person estimates it. */
export interface Workload {
  readonly itemBytes: number;
  /** Calls a second, each for one item. */
  readonly reads: number;
  readonly writes: number;
  /** Transactional also doubles the writes. */
  readonly consistency: ReadConsistency;
  /** Global indexes that every write reaches. */
  readonly globalIndexes: number;
  /** Bytes of an index entry; those of the item if absent. */
  readonly indexBytes?: number;
  /** Items in the table, for storage. */
  readonly items?: number;
  /** The share of the rates above that is used on average over a month; 1 if they never rest. */
  readonly meanLoad: number;
  /** The share of provisioned units that auto scaling aims at. */
  readonly target: number;
}

/** Options of a capacity plan: prices, Region, table class, copies. */
export interface CapacityPlanOptions {
  readonly prices?: PriceTable;
  readonly region?: string;
  readonly tableClass?: TableClassName;
  readonly withFreeTier?: boolean;
  readonly pointInTimeRecovery?: boolean;
  /** Programs that read the table's stream four times a second. */
  readonly streamReaders?: number;
  readonly copies?: TableCopies;
}

/** One way to pay for a workload, line by line. */
export interface PlanCost {
  readonly name: 'on demand' | 'provisioned' | 'reserved, one year' | 'reserved, three years';
  readonly lines: readonly {
    readonly what: string;
    readonly quantity: number;
    readonly unit: string;
    readonly cost: number;
  }[];
  readonly total: number;
}

/** Units, throughput and prices of one table. */
export interface CapacityPlan {
  readonly perRead: number;
  readonly perWrite: number;
  readonly perIndexWrite: number;
  /** Units a second at the given rates. */
  readonly table: { readonly read: number; readonly write: number };
  readonly indexes: { readonly count: number; readonly write: number };
  /** Units to provision for the rates at the target. */
  readonly provisioned: { readonly read: number; readonly write: number };
  readonly costs: readonly PlanCost[];
  readonly cheapest: PlanCost['name'];
  /** The share of provisioned units above which they are cheaper than requests on demand. */
  readonly breakEven: { readonly read: number; readonly write: number };
  readonly currency: string;
  readonly basis: string;
}

/** Units and monthly prices of a workload, on demand against provisioned. */
export function capacityPlan(workload: Workload, options: CapacityPlanOptions = {}): CapacityPlan {
  const { itemBytes, reads, writes, consistency, globalIndexes, items = 0, meanLoad, target } = workload;
  const { prices = awsPrices, region = 'us-east-1', tableClass = 'STANDARD', withFreeTier = false } = options;
  const { pointInTimeRecovery = false, streamReaders = 0, copies = {} } = options;
  const basis: CostBasis = { prices, region, tableClass };
  const indexBytes = workload.indexBytes ?? itemBytes;
  const perRead = readUnits(itemBytes, consistency);
  const perWrite = writeUnits(itemBytes) * (consistency === 'transactional' ? transactionFactor : 1);
  // Indexes are written once, transaction or not.
  const perIndexWrite = globalIndexes === 0 ? 0 : writeUnits(indexBytes);
  const table = { read: perRead * reads, write: perWrite * writes };
  const indexes = { count: globalIndexes, write: perIndexWrite * globalIndexes * writes };
  const write = table.write + indexes.write;
  const provision = (units: number) => Math.ceil(units / target);
  const provisioned = {
    read: provision(table.read),
    // Each index has units of its own, so that each is rounded alone.
    write: provision(table.write) + globalIndexes * provision(perIndexWrite * writes),
  };
  const seconds = prices.hoursPerMonth * 3_600;
  const storedBytes = items * (billedBytes(itemBytes, 1) + globalIndexes * billedBytes(indexBytes, 1));
  const itemsBytes = items * billedBytes(itemBytes, 1);
  const common: MonthlyUse = {
    ...(storedBytes > 0 ? { storedBytes } : {}),
    ...(pointInTimeRecovery ? { recoveryBytes: itemsBytes } : {}),
    ...copiedBytes(copies, { items: itemsBytes, withLocalIndexes: itemsBytes, withAllIndexes: storedBytes }),
    streamReads: streamReaders * streamReadsPerSecond * seconds,
    withFreeTier,
  };
  const cost = (name: PlanCost['name'], use: MonthlyUse): PlanCost => {
    const { lines, total } = monthlyCost(basis, { ...common, ...use });
    return { name, lines, total };
  };
  const isReservable = tableClass === 'STANDARD';
  const costs = [
    cost('on demand', {
      requests: { read: table.read * meanLoad * seconds, write: write * meanLoad * seconds },
    }),
    cost('provisioned', { provisioned }),
    ...(isReservable
      ? [
          cost('reserved, one year', { provisioned, reserved: { term: 'oneYear', ...provisioned } }),
          cost('reserved, three years', { provisioned, reserved: { term: 'threeYears', ...provisioned } }),
        ]
      : []),
  ];
  const cheapest = costs.slice(0, 2).reduce((best, one) => (one.total < best.total ? one : best));
  return {
    perRead,
    perWrite,
    perIndexWrite,
    table,
    indexes,
    provisioned,
    costs,
    cheapest: cheapest.name,
    breakEven: breakEvenUse(basis),
    currency: prices.currency,
    basis: describeBasis(basis),
  };
}
