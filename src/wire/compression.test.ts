import { deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { type Inflated, inflateBody } from './compression.ts';

function inflated(coding: string, bytes: Uint8Array, bytesMax = 1_000): Promise<Inflated> {
  return new Promise((resolve) => inflateBody(coding, bytes, bytesMax, resolve));
}
const text = (found: Inflated) => (typeof found === 'string' ? found : Buffer.from(found).toString());
const bytes = (...parts: readonly (Uint8Array | string)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));

// As Java's GZIPInputStream, which the service was seen to behave like.
it.each([
  ['one member', bytes(gzipSync('abc')), 'abc'],
  ['two members', bytes(gzipSync('ab'), gzipSync('c')), 'abc'],
  ['junk behind a member', bytes(gzipSync('abc'), 'junk'), 'abc'],
  ['junk behind two members', bytes(gzipSync('ab'), gzipSync('c'), 'junk'), 'abc'],
  ['junk that begins like a member', bytes(gzipSync('abc'), '\x1f\x8bxx'), 'abc'],
  ['zeroes behind a member', bytes(gzipSync('abc'), '\0\0\0'), 'abc'],
  ['an empty member and junk', bytes(gzipSync(''), 'junk'), ''],
])('reads %s', async (_, body, expected) => {
  expect(text(await inflated('gzip', body))).toBe(expected);
});

const whole = gzipSync('some text that is long enough');
it.each([
  ['no gzip at all', bytes('{"TableName":"a"}')],
  ['a member without its last byte', whole.subarray(0, -1)],
  ['a member with a wrong checksum', bytes(whole.subarray(0, -8), '12345678')],
  ['a damaged member behind a sound one', bytes(gzipSync('abc'), whole.subarray(0, -1))],
  ['nothing', bytes()],
])('refuses %s', async (_, body) => {
  expect(await inflated('gzip', body)).toBe('invalid');
});

it('ignores junk behind deflated bytes, and stops at the limit', async () => {
  expect(text(await inflated('deflate', bytes(deflateSync('abc'), 'junk')))).toBe('abc');
  expect(await inflated('gzip', gzipSync('x'.repeat(2_000)))).toBe('too large');
  expect(await inflated('gzip', bytes(gzipSync('x'.repeat(2_000)), 'junk'))).not.toBe('x'.repeat(2_000));
});
