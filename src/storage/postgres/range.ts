import { compareBytes } from '../../model/values/bytes.ts';
import type { Bytes, Entry, RangePage, RangeRequest } from '../store.ts';
import { buffer, byteaArray, plainBytes } from './byte-arrays.ts';
import type { Row, Statement } from './statement.ts';
import type { Tables } from './tables.ts';

/** What one statement returns at most, whatever was asked for: it all stands in memory at once, on both sides. */
const entriesMax = 10_000;
const bytesMax = 16 * 1024 * 1024;

/** What of a request changes the text of its statement. An absent bound is left out: the planner sees through it. */
export interface RangeShape {
  readonly from: boolean;
  readonly to: boolean;
  readonly reverse: boolean;
  readonly also: boolean;
}

/**
 * The running sum stops a page at its bytes on the server: lengths are known without fetching large values, which
 * lie outside their rows, so what the page does not hold is never read. `also` rides in the same statement, and so
 * sees the same state.
 */
export function rangeStatement(t: Tables, shape: RangeShape): Statement {
  const order = shape.reverse ? 'DESC' : 'ASC';
  const conditions = ['value IS NOT NULL'];
  let parameters = 2;
  if (shape.from) conditions.push(`key >= $${++parameters}::bytea`);
  if (shape.to) conditions.push(`key < $${++parameters}::bytea`);
  const page = `SELECT 0 AS n, p.key, p.value FROM (
      SELECT r.key, r.value, sum(octet_length(r.key) + octet_length(r.value)) OVER (
        ORDER BY r.key ${order} ROWS UNBOUNDED PRECEDING
      ) - octet_length(r.key) - octet_length(r.value) AS before
      FROM (
        SELECT key, value FROM ${t.kv} WHERE ${conditions.join(' AND ')} ORDER BY key ${order} LIMIT $1
      ) r
    ) p WHERE p.before < $2::bigint`;
  const also = `UNION ALL SELECT a.n::int, a.key, k.value
    FROM unnest($${parameters + 1}::bytea[]) WITH ORDINALITY AS a(key, n) JOIN ${t.kv} k ON k.key = a.key
    WHERE k.value IS NOT NULL`;
  const flags = [shape.from && 'from', shape.to && 'to', shape.reverse && 'reverse', shape.also && 'also'];
  return {
    name: ['range', ...flags.filter((flag) => flag !== false)].join('-'),
    text: shape.also ? `${page} ${also}` : page,
  };
}

export async function readRange(
  request: RangeRequest,
  run: (shape: RangeShape, values: readonly unknown[]) => Promise<readonly Row[]>,
): Promise<RangePage> {
  const { from, to, reverse = false } = request;
  const wanted = request.also ?? [];
  const shape = { from: from !== undefined, to: to !== undefined, reverse, also: wanted.length > 0 };
  const limit = Math.min(request.limit, entriesMax);
  // One entry more than asked for tells whether the range goes on.
  const values: unknown[] = [limit + 1, Math.max(1, Math.min(request.maxBytes ?? bytesMax, bytesMax))];
  if (from !== undefined) values.push(buffer(from));
  if (to !== undefined) values.push(buffer(to));
  if (shape.also) values.push(byteaArray(wanted));

  const entries: Entry[] = [];
  const also = new Array<Bytes | undefined>(wanted.length).fill(undefined);
  let bytes = 0;
  for (const [n, key, value] of (await run(shape, values)) as [number, Buffer, Buffer][]) {
    if (n > 0) {
      also[n - 1] = plainBytes(value);
    } else {
      entries.push({ key: plainBytes(key), value: plainBytes(value) });
      bytes += key.length + value.length;
    }
  }
  // No server promises the order of a union, though all keep it; sorting what is sorted costs next to nothing.
  entries.sort((a, b) => (reverse ? compareBytes(b.key, a.key) : compareBytes(a.key, b.key)));
  const more = entries.length > limit || bytes >= (values[1] as number);
  if (entries.length > limit) entries.pop();
  return { entries, more, also };
}
