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

/** A frame of blocks of four bytes, each of which stands for 128 KB of one letter. */
function bomb(blocks: number, windowDescriptor = 0x38): Buffer {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, windowDescriptor]);
  const block = Buffer.alloc(4, 'x');
  const all = [head];
  for (let i = 0; i < blocks; i++) {
    block.writeUIntLE(((2 ** 17) << 3) | 2 | (i === blocks - 1 ? 1 : 0), 0, 3);
    all.push(Buffer.from(block));
  }
  return Buffer.concat(all);
}

it('unpacks no more than its reader asks for', async () => {
  const packed = bomb(8_000);
  expect(packed.length).toBeLessThan(33_000);
  const before = process.memoryUsage().arrayBuffers;
  let bytes = 0;
  for await (const chunk of unpack('ZSTD', inChunks(packed, packed.length))) {
    expect(chunk.length).toBeLessThanOrEqual(2 ** 17);
    bytes += chunk.length;
    if (bytes >= 2 ** 20) break;
  }
  // The whole is 1 GB; the window of this frame is 128 KB, and the rest is the decompressor's.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 2 ** 20);
});

it('refuses a window of more than 128 MB before anything is unpacked', async () => {
  const refused = 'The object is ZSTD with a window of more than 128 MB';
  await expect(text(inChunks(bomb(1, 0x90), 3))).rejects.toThrow(refused);
  // A frame of one segment has no window of its own: its content is one. 200 MB.
  const single = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0x80, 0x0c, 1, 0, 0]);
  await expect(text(inChunks(single, 12))).rejects.toThrow(refused);
  expect(await text(inChunks(bomb(2, 0x88), 3))).toBe('x'.repeat(2 ** 18));
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
