import type { Bytes, LogRecord, Store } from '../../src/storage/store.ts';

/**
 * Reads a bucket of the log as a follower does, from the beginning and concurrently with its writers, until it
 * has so many records. Throws when a position is repeated or goes back.
 */
export async function followUntil(store: Store, bucket: Bytes, count: number): Promise<LogRecord[]> {
  const seen: LogRecord[] = [];
  while (seen.length < count) {
    const position = seen.at(-1)?.position ?? 0;
    for (const record of await store.readLog(bucket, position, 7)) {
      if (record.position <= (seen.at(-1)?.position ?? 0))
        throw new Error(`position ${record.position} after ${seen.at(-1)?.position}`);
      seen.push(record);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  return seen;
}
