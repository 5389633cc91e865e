import { hashBytes } from './keys.ts';

/**
 * The space of partition hashes cut into equal parts: the segments of a parallel Scan, and the partitions that a
 * table is pictured to have. Part `i` of `n` holds the hashes `h` with `floor(h × n / 2^128) = i`, in exact integers,
 * so that the parts never overlap and none is missing, whatever `n` is.
 */
const hashSpace = 1n << BigInt(8 * hashBytes);

/** The lowest hash of a part; undefined for the part after the last, which begins behind all hashes. */
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

/** The part that a hash lies in. */
export function partOf(hash: Uint8Array, parts: number): number {
  let value = 0n;
  for (let i = 0; i < hashBytes; i++) value = (value << 8n) | BigInt(hash[i]!);
  return Number((value * BigInt(parts)) / hashSpace);
}
