import { deflate, gunzip, gzip, inflate } from 'node:zlib';
import type { ContentCoding } from './accept-encoding.ts';

/** Answers of up to this many bytes are sent as they are, whatever the client accepts. */
export const compressedAboveBytes = 4096;

export type Inflated = Uint8Array | 'too large' | 'invalid';

/**
 * Undoes Content-Encoding on one of zlib's own threads. Inflating stops at `bytesMax`, so that a small body that
 * would unfold to gigabytes costs no more memory than an honest one. Several gzip members in a row are one body.
 * An unknown coding, like data that is not what its coding says, is `invalid`, which the service answers with a
 * 500 (Scylla's test_compressed_request.py, 2025). There the service was also seen to ignore junk after the last
 * member, which zlib does not, and nobody can want.
 */
export function inflateBody(
  coding: string,
  bytes: Uint8Array,
  bytesMax: number,
  done: (inflated: Inflated) => void,
): void {
  const finish = (error: Error | null, inflated: Buffer) => {
    if (error === null) done(inflated);
    else done('code' in error && error.code === 'ERR_BUFFER_TOO_LARGE' ? 'too large' : 'invalid');
  };
  const options = { maxOutputLength: bytesMax };
  if (bytes.length === 0) done('invalid');
  else if (coding === 'gzip') gunzip(bytes, options, finish);
  else if (coding === 'deflate') inflate(bytes, options, finish);
  else done('invalid');
}

export function compressBody(
  coding: ContentCoding,
  body: string | Uint8Array,
  done: (error: Error | null, compressed: Uint8Array) => void,
): void {
  if (coding === 'gzip') gzip(body, done);
  else deflate(body, done);
}
