import type { Bytes } from '../store.ts';

/**
 * A log key: the length of the bucket, the bucket, the position. The length comes first, so that the records of two
 * buckets never mix.
 */
export function logKey(bucket: Bytes, position: number): Bytes {
  const key = Buffer.allocUnsafe(1 + bucket.length + 8);
  key[0] = bucket.length;
  key.set(bucket, 1);
  key.writeBigUInt64BE(BigInt(position), 1 + bucket.length);
  return key;
}

export function logPosition(key: Bytes): number {
  return Number(Buffer.from(key.buffer, key.byteOffset + key.length - 8, 8).readBigUInt64BE());
}

/** Encodes a counter or a log head as a double, which is exact for all safe integers. */
export function writeNumber(value: number): Bytes {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeDoubleBE(value);
  return bytes;
}

export function readNumber(bytes: Bytes | undefined): number {
  return bytes === undefined ? 0 : Buffer.from(bytes.buffer, bytes.byteOffset, 8).readDoubleBE();
}
