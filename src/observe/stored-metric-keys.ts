import { metricKind } from '../engine/store-keys.ts';
import { concatBytes, readUint32, writeUint32 } from '../model/values/bytes.ts';
import { toHex } from '../model/values/hex.ts';

/** The keys of stored metrics, which `engine/store-keys.ts` lists. */

const names = 0x6e;
const minutes = 0x6d;

export const namesPrefix = Uint8Array.of(metricKind, names);

export function nameKey(hash: Uint8Array): Uint8Array {
  return concatBytes(namesPrefix, hash);
}

export function minutesKey(hash: Uint8Array, chunk: number, process: Uint8Array): Uint8Array {
  const number = new Uint8Array(4);
  writeUint32(number, 0, Math.max(0, chunk));
  return concatBytes(Uint8Array.of(metricKind, minutes), hash, number, process);
}

/** The chunk and the process in the key of minutes. */
export function placeOf(key: Uint8Array): { readonly chunk: number; readonly process: string } {
  return { chunk: readUint32(key, 18), process: toHex(key.subarray(22)) };
}
