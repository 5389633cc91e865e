import type { Bytes, RangePage, RangeRequest, Reader } from '../store.ts';
import { buffer, byteaArray, plainBytes } from './byte-arrays.ts';
import { rangeStatement, readRange } from './range.ts';
import type { Run, Statement } from './statement.ts';
import type { Tables } from './tables.ts';

/** The reading calls, each one statement and hence one committed state, over any way to run a statement. */
export class StatementReader implements Reader {
  readonly #tables: Tables;
  readonly #run: Run;
  readonly #get: Statement;
  readonly #getMany: Statement;
  readonly #counters: Statement;

  constructor(tables: Tables, run: Run) {
    this.#tables = tables;
    this.#run = run;
    this.#get = {
      name: 'get',
      text: `SELECT value FROM ${tables.kv} WHERE key = $1 AND value IS NOT NULL`,
    };
    this.#getMany = {
      name: 'get-many',
      text: `SELECT a.n::int, k.value
        FROM unnest($1::bytea[]) WITH ORDINALITY AS a(key, n) JOIN ${tables.kv} k ON k.key = a.key
        WHERE k.value IS NOT NULL`,
    };
    this.#counters = {
      name: 'counters',
      text: `SELECT a.n::int, coalesce((SELECT sum(c.value) FROM ${tables.counter} c WHERE c.key = a.key), 0)::bigint
        FROM unnest($1::bytea[]) WITH ORDINALITY AS a(key, n)`,
    };
  }

  async get(key: Bytes): Promise<Bytes | undefined> {
    const rows = await this.#run(this.#get, [buffer(key)]);
    const row = rows[0] as [Buffer] | undefined;
    return row && plainBytes(row[0]);
  }

  async getMany(keys: readonly Bytes[]): Promise<(Bytes | undefined)[]> {
    const values = new Array<Bytes | undefined>(keys.length).fill(undefined);
    if (keys.length === 0) return values;
    const rows = await this.#run(this.#getMany, [byteaArray(keys)]);
    for (const [n, value] of rows as [number, Buffer][]) values[n - 1] = plainBytes(value);
    return values;
  }

  async counters(keys: readonly Bytes[]): Promise<number[]> {
    const sums = new Array<number>(keys.length).fill(0);
    if (keys.length === 0) return sums;
    const rows = await this.#run(this.#counters, [byteaArray(keys)]);
    for (const [n, sum] of rows as [number, string][]) sums[n - 1] = Number(sum);
    return sums;
  }

  async range(request: RangeRequest): Promise<RangePage> {
    return await readRange(request, (shape, values) =>
      this.#run(rangeStatement(this.#tables, shape), values),
    );
  }
}
