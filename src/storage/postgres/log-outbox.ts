import type { Bytes, CallOptions, LogRecord } from '../store.ts';
import { buffer, plainBytes } from './byte-arrays.ts';
import type { Run, Statement } from './statement.ts';
import type { Tables } from './tables.ts';

/** How many records one statement moves, reads or deletes at most, and how many bytes it reads. */
const recordsMax = 1_000;
const bytesMax = 16 * 1024 * 1024;

/**
 * The change log. Writers put records into `outbox` without a position, in the statement that commits their unit, so
 * that no row is shared between them. Whoever reads a bucket first moves what lies in its outbox into `log`: only
 * records that are committed, in the order of their versions, behind everything that has a position already.
 *
 * A record that is committed later gets a higher position, whatever its version, so a reader never passes one by.
 * Records about one key are committed one after the other with growing versions, so they keep their order; records
 * of one unit share its version and are told apart by their ordinal.
 *
 * The move is one statement, so a process that stops in the middle holds nothing up. It runs on a snapshot
 * (REPEATABLE READ), and every move of a bucket that moves anything deletes the rows it moves and writes the
 * bucket's head: of two at the same time the second fails with SQLSTATE 40001 and is run again.
 */
export class ChangeLog {
  readonly #run: Run;
  readonly #move: Statement;
  readonly #read: Statement;
  readonly #trim: Statement;

  /** `run` must repeat a statement after a conflict, on sessions with snapshot isolation. */
  constructor(t: Tables, run: Run) {
    this.#run = run;
    this.#move = {
      name: 'log-move',
      text: `WITH head AS (
          SELECT coalesce((SELECT h.position FROM ${t.logHead} h WHERE h.bucket = $1), 0) AS position
        ),
        moved AS (
          DELETE FROM ${t.outbox} o WHERE (o.bucket, o.version, o.ordinal, o.of_key) IN (
            SELECT c.bucket, c.version, c.ordinal, c.of_key FROM ${t.outbox} c WHERE c.bucket = $1
            ORDER BY c.bucket, c.version, c.ordinal, c.of_key LIMIT $2
          )
          RETURNING o.version, o.ordinal, o.of_key, o.record
        ),
        numbered AS (
          SELECT m.record, row_number() OVER (ORDER BY m.version, m.ordinal, m.of_key) AS n FROM moved m
        ),
        logged AS (
          INSERT INTO ${t.log} (bucket, position, record)
          SELECT $1, h.position + n.n, n.record FROM head h, numbered n
        ),
        raised AS (
          INSERT INTO ${t.logHead} (bucket, position)
          SELECT $1, h.position + c.n FROM head h, (SELECT count(*) AS n FROM numbered) c WHERE c.n > 0
          ON CONFLICT (bucket) DO UPDATE SET position = excluded.position
        )
        SELECT h.position, (SELECT count(*) FROM numbered)::int FROM head h`,
    };
    this.#read = {
      name: 'log-read',
      text: `SELECT p.position, p.record FROM (
          SELECT r.position, r.record, sum(octet_length(r.record)) OVER (
            ORDER BY r.position ROWS UNBOUNDED PRECEDING
          ) - octet_length(r.record) AS before
          FROM (
            SELECT position, record FROM ${t.log} WHERE bucket = $1 AND position > $2 ORDER BY position LIMIT $3
          ) r
        ) p WHERE p.before < $4::bigint ORDER BY p.position`,
    };
    this.#trim = {
      name: 'log-trim',
      text: `WITH gone AS (
          DELETE FROM ${t.log} l WHERE (l.bucket, l.position) IN (
            SELECT c.bucket, c.position FROM ${t.log} c WHERE c.bucket = $1 AND c.position <= $2
            ORDER BY c.bucket, c.position LIMIT $3
          )
          RETURNING 1
        )
        SELECT count(*)::int FROM gone`,
    };
  }

  async read(bucket: Bytes, after: number, limit: number): Promise<LogRecord[]> {
    const count = Math.min(limit, recordsMax);
    await this.#sequence(bucket);
    const rows = await this.#run(this.#read, [buffer(bucket), after, count, bytesMax]);
    return (rows as [string, Buffer][]).map(([position, record]) => ({
      position: Number(position),
      record: plainBytes(record),
    }));
  }

  /** All that was committed before gets its position first. */
  async end(bucket: Bytes): Promise<number> {
    for (;;) {
      const { head, moved } = await this.#sequence(bucket);
      if (moved < recordsMax) return head + moved;
    }
  }

  async trim(bucket: Bytes, through: number, options: CallOptions): Promise<void> {
    // Records that have no position yet are within a bound that lies above the head.
    for (;;) {
      options.signal?.throwIfAborted();
      const { head, moved } = await this.#sequence(bucket);
      if (moved < recordsMax || head + moved >= through) break;
    }
    for (;;) {
      options.signal?.throwIfAborted();
      const rows = await this.#run(this.#trim, [buffer(bucket), through, recordsMax]);
      if ((rows[0] as [number])[0] < recordsMax) return;
    }
  }

  /** Gives positions to records that have none; `head` is the last position given before. */
  async #sequence(bucket: Bytes): Promise<{ head: number; moved: number }> {
    const rows = await this.#run(this.#move, [buffer(bucket), recordsMax]);
    const [head, moved] = rows[0] as [string, number];
    return { head: Number(head), moved };
  }
}
