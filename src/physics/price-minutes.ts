import { type CostBasis, describeBasis, minuteCost } from './cost.ts';
import type { MinuteLoad } from './load-history.ts';
import type { ThroughputSettings } from './throughput-settings.ts';

/** The load of a table or index that shall be priced. */
export interface PricedLoad {
  readonly throughput: ThroughputSettings;
  readonly lastHour: readonly MinuteLoad[];
}

/** What a minute cost, over a table and its indexes. */
export interface MinutePrice {
  /** The minute, as in `2026-11-18T12:34Z`. */
  readonly minute: string;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly refused: number;
  readonly cost: number;
}

export interface PricedHour {
  /** Which prices, gigabytes and months the figures stand on. */
  readonly basis: string;
  readonly currency: string;
  /** Minutes with load, oldest first. */
  readonly minutes: readonly MinutePrice[];
  readonly total: number;
}

/** Prices each minute of the last hour in which a table or one of its indexes was used. */
export function priceMinutes(basis: CostBasis, loads: readonly PricedLoad[]): PricedHour {
  const minutes = new Map<number, { readUnits: number; writeUnits: number; refused: number }>();
  for (const { lastHour } of loads)
    for (const load of lastHour) {
      const sum = minutes.get(load.minute) ?? { readUnits: 0, writeUnits: 0, refused: 0 };
      sum.readUnits += load.readUnits;
      sum.writeUnits += load.writeUnits;
      sum.refused += load.refusedReads + load.refusedWrites;
      minutes.set(load.minute, sum);
    }
  const priced = [...minutes]
    .sort(([a], [b]) => a - b)
    .map(([minute, sum]): MinutePrice => {
      const cost = loads.reduce(
        (total, { throughput, lastHour }) =>
          total +
          minuteCost(basis, throughput, lastHour.find((load) => load.minute === minute) ?? idle(minute)),
        0,
      );
      return { minute: `${new Date(minute * 60_000).toISOString().slice(0, 16)}Z`, ...sum, cost };
    });
  return {
    basis: describeBasis(basis),
    currency: basis.prices.currency,
    minutes: priced,
    total: priced.reduce((sum, { cost }) => sum + cost, 0),
  };
}

/** Provisioned units cost the same when nobody uses them. */
function idle(minute: number): MinuteLoad {
  return { minute, readUnits: 0, writeUnits: 0, refusedReads: 0, refusedWrites: 0 };
}
