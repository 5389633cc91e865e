import { toHex } from '../../model/values/hex.ts';
import { type Clock, nowMs } from '../../runtime/clock.ts';
import type { Store } from '../../storage/store.ts';
import { decodeChange } from '../change-log/change-record.ts';
import { bucketName, layoutOf } from '../change-log/log-layout.ts';
import { decodeReader, type ReaderNote } from '../change-log/reader-note.ts';
import { pagesOf } from '../check/range-pages.ts';
import { readerRange, storageIdBytes } from '../store-keys.ts';
import type { Catalogue } from '../tables/catalogue.ts';
import { destinationStatusAt } from './destination.ts';
import type { Destinations } from './destinations.ts';

interface FollowersDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly catalogue: Catalogue;
  readonly destinations: Destinations;
}

/** Somebody with a place of its own in the log of a table, and how far it is behind. */
export interface FollowerReport {
  readonly account: string;
  readonly region: string;
  readonly table: string;
  readonly name: string;
  /** How many records of the log it is not done with. */
  readonly recordsBehind: number;
  /** How old the oldest of them is. */
  readonly behindMs: number;
  /** When it last told how far it is. */
  readonly seenAt: number;
  readonly kinesis?: {
    readonly streamArn: string;
    readonly status: string;
    /** Whether the process that answers does the delivery; only then it can tell the rest. */
    readonly deliversHere: boolean;
    readonly trouble?: string;
    readonly delivered?: number;
    readonly refused?: number;
    readonly throttled?: number;
  };
}

/** All readers of logs, Kinesis destinations among them. */
export async function followerReports(deps: FollowersDeps): Promise<FollowerReport[]> {
  const reports: FollowerReport[] = [];
  for await (const entries of pagesOf(deps.store, readerRange.from, readerRange.to))
    for (const { key, value } of entries) {
      const storageId = toHex(key.subarray(1, 1 + storageIdBytes));
      const report = await reportOf(deps, storageId, decodeReader(value, key));
      if (report !== undefined) reports.push(report);
    }
  return reports;
}

/** Undefined for a note that the keeper of the log has not removed yet. */
async function reportOf(
  { store, clock, catalogue, destinations }: FollowersDeps,
  storageId: string,
  note: ReaderNote,
): Promise<FollowerReport | undefined> {
  const { account, region, tableName, name, positions, seenAt } = note;
  const record = await catalogue.record({ account, region }, tableName);
  const isKnown = record?.followers?.some((each) => each.kind === 'reader' && each.name === name);
  if (record?.storageId !== storageId || isKnown !== true) return undefined;
  const now = nowMs(clock);
  let recordsBehind = 0;
  let oldestMs = now;
  for (const { number } of layoutOf(record)) {
    const bucket = bucketName(storageId, number);
    const position = positions[number] ?? 0;
    const [first] = await store.readLog(bucket, position, 1);
    if (first === undefined) continue;
    recordsBehind += (await store.logEnd(bucket)) - position;
    oldestMs = Math.min(oldestMs, decodeChange(first.record).writtenMicros / 1000);
  }
  const destination = record.destinations?.find(({ reader }) => reader === name);
  const delivery = destinations.find(name);
  return {
    ...{ account, region, table: tableName, name },
    recordsBehind,
    behindMs: Math.floor(now - oldestMs),
    seenAt,
    ...(destination && {
      kinesis: {
        streamArn: destination.streamArn,
        status: destinationStatusAt(destination, now),
        deliversHere: delivery?.isDelivering === true,
        ...(delivery?.isDelivering === true && {
          ...(delivery.trouble !== undefined && { trouble: delivery.trouble }),
          delivered: delivery.delivered,
          refused: delivery.refused,
          throttled: delivery.throttled,
        }),
      },
    }),
  };
}
