import { hashBytes } from '../../model/keys/keys.ts';
import { concatBytes } from '../../model/values/bytes.ts';
import { fromHex } from '../../model/values/hex.ts';

/**
 * The change log of a table has a few buckets, so that its writers do not all queue for one. A bucket is named by the
 * table's storage id and a number; the number comes from the hash of the partition key, so that all changes of an
 * item, and of all items with its partition key, stand in one bucket, in their order. Bucket names and the number of
 * buckets are on disk and must not change.
 */
export const bucketsPerTable = 4;

const bucketShift = 6;

export function logBucket(storageId: string, number: number): Uint8Array {
  return concatBytes(fromHex(storageId), Uint8Array.of(number));
}

export function logBuckets(storageId: string): readonly Uint8Array[] {
  return Array.from({ length: bucketsPerTable }, (_, number) => logBucket(storageId, number));
}

/** The number of the bucket for an item, by the key under which the item is stored. */
export function bucketNumberOf(key: Uint8Array, prefixBytes: number): number {
  if (key.length < prefixBytes + hashBytes) throw new Error('the key of an item is too short');
  return key[prefixBytes]! >> bucketShift;
}
