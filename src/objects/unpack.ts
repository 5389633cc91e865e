import { Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import type { Compression } from '../engine/transfers/objects.ts';
import { isMissingPackage } from '../model/missing-package.ts';
import { DamagedData } from '../rows/damaged-data.ts';
import { nextTurn } from '../runtime/machine/machine.ts';
import { type FramePiece, zstdFrames } from './zstd-frames.ts';

/** Undoes the compression of an object, chunk by chunk. */
export async function* unpack(
  compression: Compression,
  packed: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  if (compression === 'NONE') yield* packed;
  else if (compression === 'GZIP') yield* through(zlib.createGunzip(), packed, 'GZIP');
  else if ('createZstdDecompress' in zlib)
    yield* throughZstd(zlib.createZstdDecompress as () => NodeJS.ReadWriteStream, packed);
  else yield* throughFzstd(packed);
}

async function* throughZstd(
  newUnpacker: () => NodeJS.ReadWriteStream,
  packed: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const pieces = zstdFrames(packed);
  try {
    for (let piece = await pieces.next(); piece.done !== true; piece = await pieces.next())
      yield* through(newUnpacker(), wholeFrame(piece.value, pieces), 'ZSTD');
  } finally {
    await pieces.return();
  }
}

async function* wholeFrame(
  first: FramePiece,
  others: AsyncIterator<FramePiece, void>,
): AsyncIterable<Uint8Array> {
  for (let piece = first; ; ) {
    yield piece.bytes;
    if (piece.isEnd) return;
    const next = await others.next();
    if (next.done === true) return;
    piece = next.value;
  }
}

async function* through(
  unpacker: NodeJS.ReadWriteStream,
  packed: AsyncIterable<Uint8Array>,
  compression: string,
): AsyncIterable<Uint8Array> {
  const source = Readable.from(packed, { objectMode: false });
  let trouble: unknown;
  source.once('error', (error) => {
    trouble = error;
    (unpacker as unknown as { destroy(error: Error): void }).destroy(error);
  });
  try {
    yield* source.pipe(unpacker) as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (trouble !== undefined) throw trouble;
    throw damaged(compression, error);
  } finally {
    source.destroy();
  }
}

/** Node before 22.15 does not know Zstandard; the package `fzstd` does. */
async function* throughFzstd(packed: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const { Decompress } = await import('fzstd').catch((error: unknown) => {
    if (!isMissingPackage(error)) throw error;
    throw new DamagedData('ZSTD needs Node 22.15 or later, or the package fzstd: npm install fzstd');
  });
  let ready: Uint8Array[] = [];
  let bytes = 0;
  let sinceTurn = 0;
  const stream = new Decompress((chunk) => void ready.push(chunk));
  const take = (chunk: Uint8Array, isLast: boolean): Uint8Array[] => {
    try {
      stream.push(chunk, isLast);
    } catch (error) {
      throw damaged('ZSTD', error);
    }
    const taken = ready;
    ready = [];
    return taken;
  };
  // Block by block: what the package unpacks of a chunk, it unpacks at once, and 32 KB may be 1 GB.
  for await (const piece of zstdFrames(packed)) {
    bytes += piece.bytes.length;
    for (const unpacked of take(piece.bytes, false)) {
      sinceTurn += unpacked.length;
      yield unpacked;
    }
    if (sinceTurn < turnBytes) continue;
    sinceTurn = 0;
    await nextTurn();
  }
  if (bytes > 0) yield* take(new Uint8Array(0), true);
}

/** After so much, other requests have a turn of the event loop. */
const turnBytes = 1024 * 1024;

function damaged(compression: string, error: unknown): DamagedData {
  const reason = error instanceof Error ? error.message : String(error);
  return new DamagedData(`The object is not valid ${compression}: ${reason}`, { cause: error });
}
