import { StoredList } from '../model/stored/stored-list.ts';
import { encodeUtf8 } from '../model/values/utf8.ts';
import type { JsonPiece } from '../operations/operation.ts';
import type { ReplyBody } from './reply.ts';

/** An upper bound of a body's length. Short texts are not measured: a UTF-16 unit has at most three bytes. */
export function bodyBytesAtMost(pieces: readonly JsonPiece[]): number {
  let bytes = 0;
  for (const piece of pieces) {
    if (typeof piece !== 'string') bytes += piece.length;
    else bytes += piece.length > shortUnits ? Buffer.byteLength(piece) : piece.length * 3;
  }
  return bytes;
}

/** Writes a body into a buffer with room for it. Returns the position behind it. */
export function writeBody(pieces: readonly JsonPiece[], bytes: Buffer, at: number): number {
  for (const piece of pieces) {
    if (typeof piece === 'string') at = writeText(piece, bytes, at);
    else if (piece instanceof StoredList) at = piece.write(bytes, at);
    else {
      bytes.set(piece, at);
      at += piece.length;
    }
  }
  return at;
}

export function bodyBytes(body: ReplyBody): Uint8Array {
  if (typeof body === 'string') return encodeUtf8(body);
  if (body instanceof Uint8Array) return body;
  const bytes = Buffer.allocUnsafe(bodyBytesAtMost(body));
  return bytes.subarray(0, writeBody(body, bytes, 0));
}

/** Writes a text. Most texts are punctuation between items, which is faster to copy than to pass to the encoder. */
function writeText(text: string, bytes: Buffer, at: number): number {
  if (text.length > shortUnits) return at + bytes.write(text, at);
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) return at + bytes.write(text, at);
    bytes[at + i] = unit;
  }
  return at + text.length;
}

const shortUnits = 32;
