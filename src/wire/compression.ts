import { deflate, gunzip, gzip, inflate } from 'node:zlib';
import type { ContentCoding } from './accept-encoding.ts';
import { gunzipMembers } from './gzip-members.ts';

/** Answers up to this length are not compressed, whatever the client accepts. */
export const compressedAboveBytes = 4096;

export type Inflated = Uint8Array | 'too large' | 'invalid';

/**
 * Decodes Content-Encoding on one of zlib's own threads. Inflating stops at `bytesMax`, so a small body that would
 * inflate to gigabytes costs no more memory than an honest one. Several gzip members in a row are one body.
 *
 * An unknown coding, or data that does not match its coding, is `invalid`; the service answers it with a 500 (observed:
 * Alternator's tests, test_compressed_request.py, 2025). According to the same test the service ignores junk after the
 * last member. zlib does not, so that what it refuses is read once more, member by member.
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
  else if (coding === 'gzip')
    gunzip(bytes, options, (error, inflated) => {
      if (error === null || ('code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'))
        return finish(error, inflated);
      gunzipMembers(bytes, bytesMax).then(
        (members) => done(members ?? 'invalid'),
        () => done('invalid'),
      );
    });
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
