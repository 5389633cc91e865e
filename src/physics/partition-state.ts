import { capacityLimits } from '../model/limits.ts';
import { partitionDepthSeconds } from './constants.ts';
import type { LoadHistory } from './load-history.ts';
import type { PositionSample } from './position-sample.ts';
import { RecentRate } from './recent-rate.ts';
import { TokenBucket } from './token-bucket.ts';

/**
 * What a partition in use has spent: its two ceilings, the minute under way, and how long it has been hot. A partition
 * that rests has no state: its buckets would be full.
 */
export class PartitionState {
  readonly read = new TokenBucket(capacityLimits.partitionReadUnitsPerSecondMax, partitionDepthSeconds);
  readonly write = new TokenBucket(capacityLimits.partitionWriteUnitsPerSecondMax, partitionDepthSeconds);
  /** Asked for, whether granted or not. */
  readonly readAsked = new RecentRate();
  readonly writeAsked = new RecentRate();
  refilledMs: number;
  /** The minute that the four figures below belong to; -1 when nothing happened since the last one was closed. */
  minute = -1;
  readUnits = 0;
  writeUnits = 0;
  refusedReads = 0;
  refusedWrites = 0;
  /** Minutes in a row with heat, up to the one closed last, which was `lastHotMinute`. */
  hotMinutes = 0;
  lastHotMinute = -1;
  history: LoadHistory | undefined = undefined;
  sample: PositionSample | undefined = undefined;

  constructor(nowMs: number) {
    this.refilledMs = nowMs;
  }

  /** Brings both balances up to date. A clock that was set back gives nothing, and time goes on from there. */
  advance(nowMs: number): void {
    const elapsedMs = nowMs - this.refilledMs;
    if (elapsedMs === 0) return;
    this.refilledMs = nowMs;
    if (elapsedMs < 0) return;
    const seconds = elapsedMs / 1000;
    this.read.refill(seconds);
    this.write.refill(seconds);
  }
}
