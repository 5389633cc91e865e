import { expect, it } from 'vitest';
import { unpack } from './unpack.ts';
import { zstdFrames } from './zstd-frames.ts';

// Packed by zstd 1.5: with a checksum, without one, and a block of one repeated letter.
const first = Buffer.from('KLUv/QRYWQAAZmlyc3QgbGluZQqdllk2', 'base64');
const second = Buffer.from('KLUv/QBYYQAAc2Vjb25kIGxpbmUK', 'base64');
const letters = Buffer.from('KLUv/QBYTQAAEHh4AQCz8wEW', 'base64');
/** pzstd writes one before every frame. */
const skippable = Buffer.from('502a4d180400000012000000', 'hex');

const object = Buffer.concat([skippable, first, second, skippable, letters, first]);

it('cuts a stream into its frames, wherever its chunks end, and leaves skippable ones out', async () => {
  for (let size = 1; size <= object.length; size++) {
    const frames: Buffer[] = [];
    let pieces: Uint8Array[] = [];
    for await (const { bytes, isEnd } of zstdFrames(inChunks(object, size))) {
      pieces.push(bytes);
      if (!isEnd) continue;
      frames.push(Buffer.concat(pieces));
      pieces = [];
    }
    expect(frames).toEqual([first, second, letters, first]);
    expect(pieces).toEqual([]);
  }
});

it('unpacks every frame of an object', async () => {
  for (const size of [1, 7, object.length])
    expect(await text(inChunks(object, size))).toBe(
      `first line\nsecond line\n${'x'.repeat(3000)}first line\n`,
    );
  expect(await text(inChunks(Buffer.alloc(0), 1))).toBe('');
});

it('finds damage between frames', async () => {
  const cut = Buffer.concat([first, second.subarray(0, 2)]);
  const followed = Buffer.concat([first, Buffer.from('no frame')]);
  for (const damaged of [cut, followed, Buffer.concat([first, skippable.subarray(0, 9)])]) {
    await expect(text(inChunks(damaged, 5))).rejects.toThrow('The object is not valid ZSTD');
    await expect(drained(zstdFrames(inChunks(damaged, 5)))).rejects.toThrow('The object is not valid ZSTD');
  }
});

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function text(packed: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of unpack('ZSTD', packed)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

async function drained(pieces: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of pieces);
}
