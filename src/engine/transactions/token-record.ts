import { copyBytes, writeUint32 } from '../../model/values/bytes.ts';

/**
 * The stored form of a request token. The SDKs send a token with every transaction, and each record is stored at a
 * random place, so it is kept short. Numbers are big-endian. A change of this layout needs a new format byte.
 *
 * | bytes | content |
 * |---|---|
 * | 0 | format: 2 |
 * | 1–8 | fingerprint of the request |
 * | 9–16 | time of expiry, in milliseconds since 1970, as a double |
 * | 17– | the read units of each action, two bytes each |
 */
export interface TokenRecord {
  readonly fingerprint: Uint8Array;
  readonly expiresMs: number;
  /** The read units of each action. A replayed transaction is charged as if its items were read. */
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

/** Writes a whole number as a double: sign, exponent, and the 52 binary digits after the leading one. */
function writeWholeDouble(bytes: Uint8Array, at: number, value: number): void {
  // Zero has no leading digit; its bytes are zeros.
  if (value === 0) return;
  const size = Math.abs(value);
  let exponent = Math.floor(Math.log2(size));
  // Math.log2 rounds, so the exponent may be off by one.
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
