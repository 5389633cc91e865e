import { concatBytes, writeUint32 } from '../../model/values/bytes.ts';

/** A key that sorts by time; the number tells apart what happens in one millisecond. */
export function momentKey(prefix: Uint8Array, ms: number, number: number): Uint8Array {
  const bytes = new Uint8Array(12);
  const whole = Math.floor(ms);
  writeUint32(bytes, 0, Math.floor(whole / 2 ** 32));
  writeUint32(bytes, 4, whole % 2 ** 32);
  writeUint32(bytes, 8, number);
  return concatBytes(prefix, bytes);
}
