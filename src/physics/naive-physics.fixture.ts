import { capacityLimits } from '../model/limits.ts';
import { comparePositions, type Position } from './place.ts';
import { admitted, overKeyRange, overMaximum, overProvisioned, overQuota } from './resource.ts';
import type { ThroughputSettings } from './throughput-settings.ts';

/**
 * The model as one would write it first: every bucket keeps all its charges and computes its balance from the beginning
 * each time it is asked; partitions are a list. No splits, no minutes, no clocks that are set.
 */
export class NaivePhysics {
  readonly #throughput: ThroughputSettings;
  readonly #partitions: readonly Position[];
  readonly #startMs: number;
  readonly #charges: { readonly bucket: string; readonly atMs: number; readonly units: number }[] = [];

  constructor(throughput: ThroughputSettings, partitions: readonly Position[], startMs: number) {
    this.#throughput = throughput;
    this.#partitions = partitions;
    this.#startMs = startMs;
  }

  check(isWrite: boolean, position: Position, nowMs: number): number {
    const kind = isWrite ? 'write' : 'read';
    const isOnDemand = this.#throughput.mode === 'PAY_PER_REQUEST';
    if (this.balance(`table ${kind}`, nowMs) <= 0) return isOnDemand ? overMaximum : overProvisioned;
    if (isOnDemand && this.balance(`quota ${kind}`, nowMs) <= 0) return overQuota;
    if (this.balance(`partition ${kind} ${this.#indexOf(position)}`, nowMs) <= 0) return overKeyRange;
    return admitted;
  }

  charge(isWrite: boolean, position: Position, units: number, nowMs: number): void {
    const kind = isWrite ? 'write' : 'read';
    for (const bucket of [`table ${kind}`, `quota ${kind}`, `partition ${kind} ${this.#indexOf(position)}`])
      this.#charges.push({ bucket, atMs: nowMs, units });
  }

  balance(bucket: string, nowMs: number): number {
    const { rate, depth } = this.#limits(bucket);
    if (rate === Number.POSITIVE_INFINITY) return rate;
    let balance = depth;
    let lastMs = this.#startMs;
    for (const charge of this.#charges) {
      if (charge.bucket !== bucket) continue;
      balance = Math.min(depth, balance + (rate * (charge.atMs - lastMs)) / 1000);
      balance = Math.max(-900 * rate, balance - charge.units);
      lastMs = charge.atMs;
    }
    return Math.min(depth, balance + (rate * (nowMs - lastMs)) / 1000);
  }

  #limits(bucket: string): { readonly rate: number; readonly depth: number } {
    const isWrite = bucket.includes('write');
    const { mode, read, write, maxRead, maxWrite } = this.#throughput;
    if (bucket.startsWith('table')) {
      const configured = (isWrite ? maxWrite : maxRead) ?? Number.POSITIVE_INFINITY;
      const rate = mode === 'PROVISIONED' ? (isWrite ? write : read) : configured;
      return { rate, depth: rate * 300 };
    }
    if (bucket.startsWith('quota')) return { rate: 40_000, depth: 40_000 };
    const { partitionReadUnitsPerSecondMax, partitionWriteUnitsPerSecondMax } = capacityLimits;
    const rate = isWrite ? partitionWriteUnitsPerSecondMax : partitionReadUnitsPerSecondMax;
    return { rate, depth: rate };
  }

  #indexOf(position: Position): number {
    return this.#partitions.findLastIndex((start) => comparePositions(start, position) <= 0);
  }
}
