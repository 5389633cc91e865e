import { hash } from 'node:crypto';
import type { Hash16 } from './model/keys/keys.ts';
import { KnownHashes } from './model/keys/known-hashes.ts';
import { SharedBuffer } from './model/stored/shared-buffer.ts';

/**
 * SHA-256 cut to 128 bits. Every key contains one, and the hashed keys are mostly short. Computing a single block of
 * SHA-256 here costs half as much as a call into native code.
 */
export function newHash16(): Hash16 {
  const words = new Int32Array(64);
  const hash = (bytes: Uint8Array) =>
    bytes.length <= oneBlockBytesMax ? hashBlock(bytes, words) : hashAny(bytes);
  return Object.assign(hash, { known: new KnownHashes(), room: new SharedBuffer() });
}

/** The room in a block of 64 bytes beside the end mark and the length. */
const oneBlockBytesMax = 55;

function hashAny(bytes: Uint8Array): Uint8Array {
  // Copies the part: a view of the digest's buffer would keep the whole alive.
  return new Uint8Array(hash('sha256', bytes, 'buffer').subarray(0, 16));
}

/** The round constants and the initial state, from the roots of the first primes (FIPS 180-4). */
const roundConstants = Int32Array.from(fractionsOfRoots(64, Math.cbrt));
const initialState = Int32Array.from(fractionsOfRoots(8, Math.sqrt));

function hashBlock(bytes: Uint8Array, words: Int32Array): Uint8Array {
  const { length } = bytes;
  for (let i = 0; i < 16; i++) words[i] = 0;
  for (let i = 0; i < length; i++) words[i >> 2]! |= bytes[i]! << (24 - 8 * (i & 3));
  words[length >> 2]! |= 0x80 << (24 - 8 * (length & 3));
  words[15] = length * 8;
  for (let i = 16; i < 64; i++) {
    const a = words[i - 15]!;
    const b = words[i - 2]!;
    const s0 = ((a >>> 7) | (a << 25)) ^ ((a >>> 18) | (a << 14)) ^ (a >>> 3);
    const s1 = ((b >>> 17) | (b << 15)) ^ ((b >>> 19) | (b << 13)) ^ (b >>> 10);
    words[i] = (words[i - 16]! + s0 + words[i - 7]! + s1) | 0;
  }
  let a = initialState[0]!;
  let b = initialState[1]!;
  let c = initialState[2]!;
  let d = initialState[3]!;
  let e = initialState[4]!;
  let f = initialState[5]!;
  let g = initialState[6]!;
  let h = initialState[7]!;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + roundConstants[i]! + words[i]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  const digest = new Uint8Array(16);
  writeWord(digest, 0, a + initialState[0]!);
  writeWord(digest, 4, b + initialState[1]!);
  writeWord(digest, 8, c + initialState[2]!);
  writeWord(digest, 12, d + initialState[3]!);
  return digest;
}

function writeWord(bytes: Uint8Array, at: number, word: number): void {
  bytes[at] = word >>> 24;
  bytes[at + 1] = word >>> 16;
  bytes[at + 2] = word >>> 8;
  bytes[at + 3] = word;
}

/** The first 32 bits of the fractional parts of the roots of the first primes. A double is precise enough. */
function fractionsOfRoots(count: number, root: (prime: number) => number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return primes.map((prime) => ((root(prime) % 1) * 2 ** 32) | 0);
}
