import type { FollowedChange } from '../change-log/follow.ts';
import type { OutgoingRecord } from './deliverer.ts';

/** A change on its way, with its record. */
export interface Parcel {
  readonly change: FollowedChange;
  readonly record: OutgoingRecord;
}

/**
 * What can be sent at once: of each item the first change that waits, up to what one request takes. PutRecords keeps no
 * order and may take any part of what it is given, so that two changes of an item must not go together.
 */
export function nextWave(
  waiting: readonly Parcel[],
  { recordsMax, bytesMax }: { readonly recordsMax: number; readonly bytesMax: number },
): Parcel[] {
  const wave: Parcel[] = [];
  const items = new Set<string>();
  let bytes = 0;
  for (const parcel of waiting) {
    const { partitionKey, data } = parcel.record;
    if (items.has(partitionKey)) continue;
    items.add(partitionKey);
    bytes += data.length + partitionKey.length;
    // One that is too large by itself is for the deliverer to refuse.
    if (wave.length > 0 && bytes > bytesMax) break;
    wave.push(parcel);
    if (wave.length === recordsMax) break;
  }
  return wave;
}

/** How far a reader has come when some of what it read still waits: in each bucket to just before the first of them. */
export function reached(
  readThrough: readonly number[],
  waiting: readonly Pick<Parcel, 'change'>[],
): number[] {
  const positions = [...readThrough];
  for (const { change } of waiting)
    positions[change.bucket] = Math.min(positions[change.bucket]!, change.position - 1);
  return positions;
}
