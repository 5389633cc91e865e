import type { Deliverer, OutgoingRecord, RecordOutcome } from '../engine/destinations/deliverer.ts';
import { kinesisLimits } from '../model/limits.ts';
import { decodeUtf8 } from '../model/values/utf8.ts';

/** A record as it is kept. */
export interface KinesisRecord {
  readonly partitionKey: string;
  /** The service's JSON. */
  readonly data: string;
}

/** Keeps the latest records of each stream in memory, for a database that is there itself. Every stream exists. */
export class MemoryDeliverer implements Deliverer {
  readonly recordsMax = kinesisLimits.recordsPerRequestMax;
  readonly bytesMax = kinesisLimits.requestBytesMax;
  readonly #streams = new Map<string, KinesisRecord[]>();

  async check(): Promise<undefined> {}

  async deliver(streamArn: string, records: readonly OutgoingRecord[]): Promise<readonly RecordOutcome[]> {
    const kept = this.#streams.get(streamArn) ?? [];
    this.#streams.set(streamArn, kept);
    for (const { partitionKey, data } of records) kept.push({ partitionKey, data: decodeUtf8(data) });
    if (kept.length > keptMax) kept.splice(0, kept.length - keptMax);
    return records.map(() => 'delivered');
  }

  records(streamArn: string): readonly KinesisRecord[] {
    return [...(this.#streams.get(streamArn) ?? [])];
  }
}

/** More than a test looks at, and no more than a process can spare. */
const keptMax = 10_000;
