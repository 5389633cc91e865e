import { capacityLimits } from '../model/limits.ts';
import { partitionsNeeded } from './partition-map.ts';
import { initialPartitions } from './scan-partitions.ts';
import type { BillingModeName } from './throttling.ts';

/** The throughput settings of a table or global index. Local indexes have none: they use their table's. */
export interface ThroughputSettings {
  readonly mode: BillingModeName;
  /** Provisioned units a second; ignored on demand. */
  readonly read: number;
  readonly write: number;
  /** Maxima configured on demand. */
  readonly maxRead?: number | undefined;
  readonly maxWrite?: number | undefined;
  /** Warm throughput asked for. */
  readonly warmRead?: number | undefined;
  readonly warmWrite?: number | undefined;
}

/** The partitions of a new table or index: what its mode and its warm throughput need. */
export function firstPartitions(throughput: ThroughputSettings): number {
  const { mode, read, write, warmRead = 0, warmWrite = 0 } = throughput;
  const initial = initialPartitions({ mode, readUnitsPerSecond: read, writeUnitsPerSecond: write });
  return Math.max(initial, Math.ceil(partitionsNeeded(warmRead, warmWrite, false)));
}

/** Settings come from checked requests; anything else is a bug of the caller. */
export function checkThroughput(throughput: ThroughputSettings): void {
  const { mode, read, write, ...others } = throughput;
  const { provisionedUnitsMin: min, provisionedUnitsRequestMax: max } = capacityLimits;
  const figures = Object.entries(mode === 'PROVISIONED' ? { read, write, ...others } : others).filter(
    ([, value]) => value !== undefined,
  );
  for (const [name, value] of figures)
    if (typeof value !== 'number' || !(value >= min && value <= max))
      throw new RangeError(`The throughput of a table cannot have ${name} ${value}`);
}
