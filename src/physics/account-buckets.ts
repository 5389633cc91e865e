import { quotaDepthSeconds } from './constants.ts';
import type { Throughput } from './partition-record.ts';
import { TokenBucket } from './token-bucket.ts';

/** What all tables of an account may consume together. */
export class AccountBuckets {
  readonly read: TokenBucket;
  readonly write: TokenBucket;
  #nowMs: number;

  constructor(quota: Throughput, nowMs: number) {
    this.read = new TokenBucket(quota.read, quotaDepthSeconds);
    this.write = new TokenBucket(quota.write, quotaDepthSeconds);
    this.#nowMs = nowMs;
  }

  advance(nowMs: number): void {
    const elapsedMs = nowMs - this.#nowMs;
    if (elapsedMs === 0) return;
    this.#nowMs = nowMs;
    if (!(elapsedMs > 0)) return;
    this.read.refill(elapsedMs / 1000);
    this.write.refill(elapsedMs / 1000);
  }
}
