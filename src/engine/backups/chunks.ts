import type { Hash16 } from '../../model/keys/keys.ts';
import { hashBytes } from '../../model/keys/keys.ts';
import { concatBytes, equalBytes, readUint32, writeUint32 } from '../../model/values/bytes.ts';
import { fromHex, toHex } from '../../model/values/hex.ts';
import { JobFailure } from '../background/job-runner.ts';

/**
 * A chunk of a backup. Numbers are big-endian and unsigned. This layout is on disk: a change needs a new format byte.
 *
 *     format: 1 (u8) | number of items (u32) | for each item: length of the key (u32) | key | length (u32) | stored item
 *     | checksum of the chunk's store key and of all bytes before it (16 bytes)
 *
 * A key is the item's store key without the prefix of its table, which another table gives it back.
 */
export interface ChunkItem {
  readonly key: Uint8Array;
  readonly stored: Uint8Array;
}

const format = 1;
const headBytes = 5;

/** A stored backup is not what was written. */
export class DamagedBackup extends JobFailure {
  override readonly name = 'DamagedBackup';
}

/** The table that a restore reads no longer keeps the past that it needs. */
export class ForgottenPast extends JobFailure {
  override readonly name = 'ForgottenPast';
}

export function encodeChunk(storeKey: Uint8Array, items: readonly ChunkItem[], h16: Hash16): Uint8Array {
  let length = headBytes;
  for (const { key, stored } of items) length += 8 + key.length + stored.length;
  const bytes = new Uint8Array(length + hashBytes);
  bytes[0] = format;
  writeUint32(bytes, 1, items.length);
  let at = headBytes;
  for (const part of items.flatMap(({ key, stored }) => [key, stored])) {
    writeUint32(bytes, at, part.length);
    bytes.set(part, at + 4);
    at += 4 + part.length;
  }
  bytes.set(checksum(storeKey, bytes.subarray(0, length), h16), length);
  return bytes;
}

export function decodeChunk(storeKey: Uint8Array, bytes: Uint8Array, h16: Hash16): ChunkItem[] {
  const end = bytes.length - hashBytes;
  if (
    end < headBytes ||
    bytes[0] !== format ||
    !equalBytes(bytes.subarray(end), checksum(storeKey, bytes.subarray(0, end), h16))
  )
    throw new DamagedBackup('its bytes do not have the checksum that they were written with');
  const items: ChunkItem[] = [];
  let at = headBytes;
  const next = () => {
    const from = at + 4;
    at = from + readUint32(bytes, at);
    return bytes.subarray(from, at);
  };
  for (let left = readUint32(bytes, 1); left > 0; left--) items.push({ key: next(), stored: next() });
  return items;
}

/** The checksum of a sequence of chunks, from that of the chunks before and the next one. */
export function nextDigest(digest: string, chunk: Uint8Array, h16: Hash16): string {
  return toHex(h16(concatBytes(fromHex(digest), chunk.subarray(chunk.length - hashBytes))));
}

export const firstDigest = '';

function checksum(storeKey: Uint8Array, bytes: Uint8Array, h16: Hash16): Uint8Array {
  return h16(concatBytes(storeKey, bytes));
}
