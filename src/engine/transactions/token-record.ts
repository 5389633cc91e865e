import { copyBytes, writeUint32 } from '../../model/values/bytes.ts';

/**
 * What is kept of a transaction with a token. Every transaction of an SDK leaves one, somewhere among all others, so
 * that it is worth being short. Numbers are big-endian. A change of this layout needs a new format byte.
 *
 * | bytes | what |
 * |---|---|
 * | 0 | format: 2 |
 * | 1–8 | fingerprint of the request |
 * | 9–16 | when it expires, in milliseconds since 1970, as a double |
 * | 17– | for each action, in two bytes, what it costs when the transaction is sent again |
 */
export interface TokenRecord {
  readonly fingerprint: Uint8Array;
  readonly expiresMs: number;
  /** A transaction that is sent again is charged as if its items were read. */
  readonly readUnits: readonly number[];
}

const format = 2;
const fingerprintBytes = 8;
const expiryAt = 1 + fingerprintBytes;
const unitsAt = expiryAt + 8;

export function encodeToken({ fingerprint, expiresMs, readUnits }: TokenRecord): Uint8Array {
  if (fingerprint.length !== fingerprintBytes) throw new Error('a fingerprint of another length');
  const bytes = new Uint8Array(unitsAt + 2 * readUnits.length);
  bytes[0] = format;
  copyBytes(fingerprint, bytes, 1);
  writeWholeDouble(bytes, expiryAt, expiresMs);
  for (let i = 0; i < readUnits.length; i++) {
    bytes[unitsAt + 2 * i] = readUnits[i]! >> 8;
    bytes[unitsAt + 2 * i + 1] = readUnits[i]!;
  }
  return bytes;
}

/** A whole number as a double: its sign, its exponent, and the 52 digits behind the first one. */
function writeWholeDouble(bytes: Uint8Array, at: number, value: number): void {
  // Zero has no first digit; its bytes are zeros.
  if (value === 0) return;
  const size = Math.abs(value);
  let exponent = Math.floor(Math.log2(size));
  // The logarithm is rounded.
  if (2 ** exponent > size) exponent--;
  else if (2 ** (exponent + 1) <= size) exponent++;
  const digits = (size / 2 ** exponent - 1) * 2 ** 20;
  const sign = value < 0 ? 0x80000000 : 0;
  writeUint32(bytes, at, sign | ((exponent + 1023) << 20) | Math.floor(digits));
  writeUint32(bytes, at + 4, (digits % 1) * 2 ** 32);
}

export function decodeToken(bytes: Uint8Array): TokenRecord {
  if (bytes[0] !== format || bytes.length < unitsAt || (bytes.length - unitsAt) % 2 !== 0)
    throw new Error('a request token of an unknown format');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const readUnits: number[] = [];
  for (let at = unitsAt; at < bytes.length; at += 2) readUnits.push(view.getUint16(at));
  return {
    fingerprint: bytes.slice(1, expiryAt),
    expiresMs: view.getFloat64(expiryAt),
    readUnits,
  };
}
