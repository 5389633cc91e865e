import type { Digest } from '../../src/kit/signature-v4.ts';
import { toHex } from '../../src/model/values/hex.ts';
import { hmacSha256, sha256 } from './sha256.ts';

const encoder = new TextEncoder();

/** SHA-256 in plain code: on plain HTTP, a page has no `crypto.subtle`. */
export const pageDigest: Digest = {
  sha256: (data, encoding) => toHex(sha256(typeof data === 'string' ? bytesOf(data, encoding) : data)),
  hmac: (key, text) => hmacSha256(key, encoder.encode(text)),
};

function bytesOf(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): Uint8Array {
  return encoding === 'utf8' ? encoder.encode(text) : Uint8Array.from(text, (one) => one.charCodeAt(0));
}
