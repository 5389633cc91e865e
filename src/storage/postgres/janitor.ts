import type { Run, Statement } from './statement.ts';
import type { Tables } from './tables.ts';

const rowsMax = 500;

/**
 * Removes the rows of deleted keys once they are old by the server's clock, raising the horizon over their versions
 * in the same statement. Nobody can tell a removed row from a deleted key, so this may run at any time, in any
 * number of processes; one that meets another simply fails and leaves the work.
 */
export class Janitor {
  readonly #run: Run;
  readonly #sweep: Statement;
  readonly #ageMs: number;

  constructor(t: Tables, run: Run, ageMs: number) {
    this.#run = run;
    this.#ageMs = ageMs;
    this.#sweep = {
      name: 'janitor',
      text: `WITH due AS (
          SELECT g.at, g.key, g.version FROM ${t.grave} g
          WHERE g.at < now() - $1::float8 * interval '1 millisecond' ORDER BY g.at, g.key LIMIT $2
        ),
        removed AS (
          DELETE FROM ${t.kv} k USING due d
          WHERE k.key = d.key AND k.value IS NULL AND k.version = d.version RETURNING k.version
        ),
        closed AS (
          DELETE FROM ${t.grave} g USING due d WHERE g.at = d.at AND g.key = d.key RETURNING 1
        ),
        raised AS (
          UPDATE ${t.horizon} SET version = (SELECT max(r.version) FROM removed r)
          WHERE id = 0 AND version < (SELECT max(r.version) FROM removed r)
        )
        SELECT count(*)::int FROM closed`,
    };
  }

  async sweep(): Promise<void> {
    for (;;) {
      const rows = await this.#run(this.#sweep, [this.#ageMs, rowsMax]);
      if ((rows[0] as [number])[0] < rowsMax) return;
    }
  }
}
