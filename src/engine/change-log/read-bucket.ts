import type { Store } from '../../storage/store.ts';
import { type ChangeRecord, decodeChange } from './change-record.ts';

export interface LoggedChange {
  readonly position: number;
  readonly change: ChangeRecord;
}

/**
 * The changes of a bucket after a position, in order, until there are `limit` of them or `accepts` refuses one; it sees
 * each before it is taken. They are read in portions that fit what the changes so far were like: one may be a few bytes
 * or a megabyte long.
 */
export async function readBucket(
  store: Store,
  bucket: Uint8Array,
  after: number,
  limit: number,
  accepts: (logged: LoggedChange) => boolean = () => true,
): Promise<LoggedChange[]> {
  const taken: LoggedChange[] = [];
  let bytes = 0;
  for (let at = after; taken.length < limit; ) {
    const page = await store.readLog(
      bucket,
      at,
      Math.min(limit - taken.length, portion(taken.length, bytes)),
    );
    if (page.length === 0) return taken;
    for (const { position, record } of page) {
      const logged = { position, change: decodeChange(record) };
      if (!accepts(logged)) return taken;
      taken.push(logged);
      bytes += record.length;
    }
    at = page[page.length - 1]!.position;
  }
  return taken;
}

const firstPortion = 32;
const portionBytes = 4 * 1024 * 1024;

function portion(records: number, bytes: number): number {
  return records === 0 ? firstPortion : Math.max(1, Math.floor(portionBytes / (bytes / records)));
}
