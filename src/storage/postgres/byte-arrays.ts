import type { Bytes } from '../store.ts';

/** The object id of `bytea` in every PostgreSQL. */
const byteaOid = 17;

/** A view, not a copy: `pg` sends a Buffer in binary, twice as short as the text form of bytes. */
export function buffer(bytes: Bytes): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * A `bytea[]` in PostgreSQL's binary array format. `pg` itself would write each element as hexadecimal text inside
 * a quoted list: for large values twice the bytes on the wire and several passes over them on both sides.
 *
 * The format: dimensions (int32), whether any element is null (int32), the element's type (int32), then for the
 * one dimension its length and lower bound (int32 each), then per element its length (int32, -1 for null) and its
 * bytes. An empty array has no dimension.
 */
export function byteaArray(items: readonly (Bytes | null)[]): Buffer {
  const dimensions = items.length === 0 ? 0 : 1;
  let size = 12 + dimensions * 8;
  for (const item of items) size += 4 + (item?.length ?? 0);
  const array = Buffer.allocUnsafe(size);
  array.writeInt32BE(dimensions, 0);
  array.writeInt32BE(items.includes(null) ? 1 : 0, 4);
  array.writeInt32BE(byteaOid, 8);
  if (dimensions === 0) return array;
  array.writeInt32BE(items.length, 12);
  array.writeInt32BE(1, 16);
  let at = 20;
  for (const item of items) {
    array.writeInt32BE(item?.length ?? -1, at);
    at += 4;
    if (item === null) continue;
    array.set(item, at);
    at += item.length;
  }
  return array;
}

/** What `pg` made of a `bytea` column, as the plain bytes that the contract hands out. */
export function plainBytes(column: Buffer): Bytes {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

/** A string that is the same for the same bytes only, to find keys in a Map or a Set. */
export function keyText(key: Bytes): string {
  return buffer(key).toString('latin1');
}
