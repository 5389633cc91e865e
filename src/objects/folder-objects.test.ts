import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderObjects } from './folder-objects.ts';
import { unpack } from './unpack.ts';

let root: string;
let objects: FolderObjects;
const { signal } = new AbortController();
const bytes = (text: string) => new TextEncoder().encode(text);

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'stator-objects-'));
  await mkdir(join(root, 'bucket'));
  objects = new FolderObjects(root);
});
afterEach(() => rm(root, { recursive: true }));

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

async function keysOf(prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of objects.list('bucket', prefix, signal)) keys.push(key);
  return keys;
}

describe('folders as buckets', () => {
  it('keep objects under their keys, listed by prefix in the order of keys', async () => {
    for (const key of ['a/b', 'a-b', 'a/c/d', 'b', 'a0'])
      await objects.write('bucket', key, bytes(key), signal);
    expect(await keysOf('')).toEqual(['a-b', 'a/b', 'a/c/d', 'a0', 'b']);
    expect(await keysOf('a')).toEqual(['a-b', 'a/b', 'a/c/d', 'a0']);
    expect(await keysOf('a/')).toEqual(['a/b', 'a/c/d']);
    expect(await keysOf('a/c')).toEqual(['a/c/d']);
    expect(await keysOf('none/')).toEqual([]);
    expect(await textOf(objects.read('bucket', 'a/c/d', signal))).toBe('a/c/d');
  });

  it('replace an object whole and leave nothing else behind', async () => {
    await objects.write('bucket', 'k', bytes('one'), signal);
    const { etag } = await objects.write('bucket', 'k', bytes('two'), signal);
    expect(etag).toBe('b8a9f715dbb64fd5c56e7783c6820a61');
    expect(await readdir(join(root, 'bucket'))).toEqual(['k']);
  });

  it.each([
    ...['../x', 'a/../../x', '..'].map((key) => ({
      key,
      code: 'S3AccessDenied',
      message: /out of its bucket/,
    })),
    ...['/x', 'a//b', './x', 'a\\b', 'a\0b'].map((key) => ({
      key,
      code: 'S3Error',
      message: /no path of a file/,
    })),
  ])('let no key out: $key', async ({ key, code, message }) => {
    const refused = { code, message: expect.stringMatching(message) };
    await expect(objects.write('bucket', key, bytes('x'), signal)).rejects.toMatchObject(refused);
    await expect(textOf(objects.read('bucket', key, signal))).rejects.toMatchObject(refused);
    expect(await readdir(root)).toEqual(['bucket']);
    expect(await readdir(join(root, 'bucket'))).toEqual([]);
  });

  it.each(['none', '..', '.', '', 'bucket/..', '../bucket'])('know no bucket %j', async (bucket) => {
    const missing = { code: 'S3NoSuchBucket' };
    await expect(objects.write(bucket, 'k', bytes('x'), signal)).rejects.toMatchObject(missing);
    await expect(textOf(objects.read(bucket, 'k', signal))).rejects.toMatchObject(missing);
  });

  it('follow no links', async () => {
    await writeFile(join(root, 'secret'), 'secret');
    await mkdir(join(root, 'elsewhere'));
    await symlink(join(root, 'secret'), join(root, 'bucket', 'link'));
    await symlink(join(root, 'elsewhere'), join(root, 'bucket', 'folder'));
    await symlink(join(root, 'elsewhere'), join(root, 'linked'));
    expect(await keysOf('')).toEqual([]);
    await expect(textOf(objects.read('bucket', 'link', signal))).rejects.toMatchObject({
      code: 'S3AccessDenied',
    });
    await expect(objects.write('bucket', 'folder/x', bytes('x'), signal)).rejects.toMatchObject({
      code: 'S3NoSuchKey',
    });
    await expect(objects.write('linked', 'x', bytes('x'), signal)).rejects.toMatchObject({
      code: 'S3NoSuchBucket',
    });
    expect(await readdir(join(root, 'elsewhere'))).toEqual([]);
  });

  it('tell a missing key', async () => {
    await expect(textOf(objects.read('bucket', 'none', signal))).rejects.toMatchObject({
      code: 'S3NoSuchKey',
    });
  });
});

describe('unpacking', () => {
  async function* inChunks(all: Uint8Array): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < all.length; i += 5) yield all.subarray(i, i + 5);
  }

  it('undoes GZIP, also of several members, and refuses what is damaged', async () => {
    const packed = Buffer.concat([gzipSync('one\n'), gzipSync('two\n')]);
    expect(await textOf(unpack('GZIP', inChunks(packed)))).toBe('one\ntwo\n');
    await expect(textOf(unpack('GZIP', inChunks(packed.subarray(0, -9))))).rejects.toThrow(/not valid GZIP/);
    await expect(textOf(unpack('GZIP', inChunks(bytes('plain'))))).rejects.toThrow(/not valid GZIP/);
  });

  it('undoes ZSTD, and refuses what is damaged', async () => {
    // Made by zstd 1.5 of the text below.
    const packed = Buffer.from('KLUv/QRYbQAAOGhlbGxvIAoBAJlLEah8Lqg=', 'base64');
    const text = await textOf(unpack('ZSTD', inChunks(packed)));
    expect(text).toBe('hello hello hello hello\n');
    await expect(textOf(unpack('ZSTD', inChunks(packed.subarray(0, 12))))).rejects.toThrow(/not valid ZSTD/);
    await expect(textOf(unpack('ZSTD', inChunks(bytes('plain text'))))).rejects.toThrow(/not valid ZSTD/);
  });
});
