import { hash } from 'node:crypto';
import type { Hash16 } from './model/keys.ts';

/**
 * SHA-256 cut to 128 bits, remembering the latest answers: one write hashes the same few keys several times, for the
 * item and for each index before and after, and a hash costs more than all the rest of making a key.
 */
export function newHash16(): Hash16 {
  const remembered = new Map<string, Uint8Array>();
  return (bytes) => {
    if (bytes.length > rememberedBytesMax) return hash16(bytes);
    const name = Buffer.prototype.latin1Slice.call(bytes, 0, bytes.length);
    const known = remembered.get(name);
    if (known !== undefined) return known;
    if (remembered.size >= rememberedMax) remembered.clear();
    const fresh = hash16(bytes);
    remembered.set(name, fresh);
    return fresh;
  };
}

/** A few hundred kilobytes at the most. */
const rememberedMax = 2_048;
const rememberedBytesMax = 100;

function hash16(bytes: Uint8Array): Uint8Array {
  // A plain array of its own: a part of the digest's buffer would keep the whole alive, and Buffers are slow to use.
  return new Uint8Array(hash('sha256', bytes, 'buffer').subarray(0, 16));
}
