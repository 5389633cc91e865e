import { hashBytes } from './keys.ts';

/**
 * The number of partition hashes. The space of hashes is cut into equal parts: the segments of a parallel Scan, and
 * the partitions that the model assumes for a table. Part `i` of `n` holds the hashes `h` with `floor(h × n / 2^128)
 * = i`. The arithmetic is exact, so for every `n` the parts cover the space without overlap.
 */
const hashSpace = 1n << BigInt(8 * hashBytes);

/** The lowest hash of a part; undefined for the part after the last. */
export function partStart(part: number, parts: number): Uint8Array | undefined {
  const total = BigInt(parts);
  let start = (BigInt(part) * hashSpace + total - 1n) / total;
  if (start >= hashSpace) return undefined;
  const bytes = new Uint8Array(hashBytes);
  for (let i = hashBytes - 1; i >= 0; i--) {
    bytes[i] = Number(start & 0xffn);
    start >>= 8n;
  }
  return bytes;
}

/** The part that contains a hash. */
export function partOf(hash: Uint8Array, parts: number): number {
  let value = 0n;
  for (let i = 0; i < hashBytes; i++) value = (value << 8n) | BigInt(hash[i]!);
  return Number((value * BigInt(parts)) / hashSpace);
}
