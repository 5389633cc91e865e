import { keyAfter } from '../../model/values/bytes.ts';
import type { Bytes, CallOptions } from '../store.ts';
import { buffer, plainBytes } from './byte-arrays.ts';
import type { Run, Statement } from './statement.ts';
import type { Tables } from './tables.ts';

/**
 * How many rows one step deletes. Few enough that PostgreSQL remembers what a step has read page by page: past some
 * thirty pages it would remember the whole table, and other writers would meet the step everywhere.
 */
const rowsMax = 250;

/**
 * Deletes a range for good, rows and not only values. Each step first raises the horizon over the versions of the
 * rows it is about to delete, in a transaction of its own, and then deletes those that still have such a version.
 * The horizon is read by every unit: raised in the serializable transaction that deletes, it would make each of them
 * a conflict.
 */
export class RangeDeleter {
  readonly #plain: Run;
  readonly #serializable: Run;
  readonly #announce: Statement;
  readonly #delete: Statement;
  readonly #deleteCounters: Statement;

  /** Both must repeat a statement after a conflict. */
  constructor(t: Tables, plain: Run, serializable: Run) {
    this.#plain = plain;
    this.#serializable = serializable;
    this.#announce = {
      name: 'delete-announce',
      text: `WITH batch AS (
          SELECT key, version FROM ${t.kv} WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3
        ),
        top AS (SELECT max(b.version) AS version, count(*)::int AS n FROM batch b),
        raised AS (
          UPDATE ${t.horizon} SET version = (SELECT t.version FROM top t)
          WHERE id = 0 AND version < (SELECT t.version FROM top t)
        )
        SELECT t.n, t.version, (SELECT b.key FROM batch b ORDER BY b.key DESC LIMIT 1) FROM top t`,
    };
    this.#delete = {
      name: 'delete-range',
      text: `WITH gone AS (
          DELETE FROM ${t.kv} WHERE key >= $1 AND key <= $2 AND version <= $3 RETURNING value IS NOT NULL AS live
        )
        SELECT count(*)::int, count(CASE WHEN g.live THEN 1 END)::int FROM gone g`,
    };
    this.#deleteCounters = {
      name: 'delete-counters',
      text: `WITH gone AS (
          DELETE FROM ${t.counter} WHERE (key, shard) IN (
            SELECT c.key, c.shard FROM ${t.counter} c WHERE c.key >= $1 AND c.key < $2
            ORDER BY c.key, c.shard LIMIT $3
          )
          RETURNING 1
        )
        SELECT count(*)::int FROM gone`,
    };
  }

  async run(from: Bytes, to: Bytes, options: CallOptions): Promise<number> {
    let values = 0;
    for (let next = from; ; ) {
      options.signal?.throwIfAborted();
      const announced = await this.#plain(this.#announce, [buffer(next), buffer(to), rowsMax]);
      const [count, version, last] = announced[0] as [number, string | null, Buffer | null];
      if (last === null) break;
      const deleted = await this.#serializable(this.#delete, [buffer(next), last, version]);
      const [rows, live] = deleted[0] as [number, number];
      values += live;
      // A row that was written in between has a higher version, and stays for another step.
      if (rows >= count) next = keyAfter(plainBytes(last));
    }
    for (;;) {
      options.signal?.throwIfAborted();
      const deleted = await this.#serializable(this.#deleteCounters, [buffer(from), buffer(to), rowsMax]);
      if ((deleted[0] as [number])[0] < rowsMax) return values;
    }
  }
}
