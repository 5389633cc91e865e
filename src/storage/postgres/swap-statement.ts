import type { Isolation } from './dialect.ts';
import type { Statement } from './statement.ts';
import { shardCount, type Tables } from './tables.ts';

/** What a unit needs of the statement that commits it. What it does not need is left out and costs nothing. */
export interface SwapShape {
  /** Some of the expectations are about values (a guess), not about write ids. */
  readonly guesses: boolean;
  readonly sums: boolean;
  /** The unit was decided on settings: it shares the fence. */
  readonly fenced: boolean;
  /** The unit changes settings: it takes the fence for itself. */
  readonly changes: boolean;
  /** The unit was decided on rows: they are locked. */
  readonly locks: boolean;
  readonly writes: boolean;
  readonly deletes: boolean;
  readonly adds: boolean;
  readonly appends: boolean;
}

/** How an expected key is compared. The numbers travel to the server. */
export const comparison = { writeId: 0, value: 1, none: 2 } as const;

/** What the first column of the statement's rows says of the others. The numbers travel from the server. */
export const answer = { committed: 0, key: 1, sum: 2, horizon: 3 } as const;

/** The parameters by name, so that the text below and the caller cannot disagree about their order. */
export interface SwapParameters {
  readonly now: number;
  readonly writeId: string;
  readonly keys: Buffer;
  readonly comparisons: readonly number[];
  readonly writeIds: readonly (string | null)[];
  readonly values: Buffer;
  readonly lockedKeys: Buffer;
  readonly lockedShared: readonly boolean[];
  readonly counters: Buffer;
  readonly sums: readonly number[];
  readonly writtenKeys: Buffer;
  readonly writtenValues: Buffer;
  readonly addedKeys: Buffer;
  readonly addedDeltas: readonly number[];
  readonly addedMeasured: readonly boolean[];
  readonly shard: number;
  readonly buckets: Buffer;
  readonly subjects: Buffer;
  readonly records: Buffer;
}

/**
 * The compare-and-swap: one statement, one transaction, one round trip. It compares everything the unit was decided
 * on with what the database holds now, and only if all of it still holds (`verdict` has its one row) writes
 * everything the unit writes. All parts of the statement see the same state, the one before it.
 *
 * Whatever the unit depends on stays as it was compared until the unit has ended:
 *
 * - A row that the unit compares is locked, `FOR NO KEY UPDATE` if the unit writes it and `FOR SHARE` if not. If another
 *   transaction has changed or removed the row since the state that this statement sees, the server ends the statement
 *   with SQLSTATE 40001. (The writing alone would not do: it inserts a row anew that was removed.)
 * - A key without a row that the unit compares is written by it, as a tombstone if it writes nothing else there. The
 *   primary key lets only one of two insertions through, and the other ends with 40001.
 * - A settings key is guarded by the fence (`fence.ts`).
 * - A counter that the unit was decided on is written by every unit that reads it, always in the same shard.
 *
 * So when a unit commits, everything that it was decided on is still in place: the order of the commits is an order in
 * which the units could have run one after another, and a snapshot sees the units up to some place in that order.
 *
 * PostgreSQL needs REPEATABLE READ for this, and no more: one state for the whole statement, and 40001. Its SERIALIZABLE
 * is not used. It forgets what a transaction has read once some thousand others have committed since, and lets a
 * write skew through; and while one unit stands still it refuses others that have nothing to do with it
 * (docs/decisions/0019). Other engines run units SERIALIZABLE, which theirs keep by locks or by timestamps. A session
 * that lost its isolation level (a pooler that hands sessions around) gets no verdict.
 *
 * Locks are taken in one order, so that units seldom wait for each other in a circle: the fence first, then rows by their
 * keys, then new rows by their keys.
 *
 * A unit has one version, above that of everything it was decided on, above the horizon and not below the caller's
 * clock. The records of its log entries carry it too, and so stand in commit order for each key.
 *
 * Without a verdict the rows say what the keys hold, so that the unit can be decided again at once. Values come only
 * where they differ.
 */
export function swapStatement(
  t: Tables,
  isolation: Isolation,
  shape: SwapShape,
): { statement: Statement; parameters: (keyof SwapParameters)[] } {
  const parameters: (keyof SwapParameters)[] = [];
  const parameter = (name: keyof SwapParameters): string => {
    if (!parameters.includes(name)) parameters.push(name);
    return `$${parameters.indexOf(name) + 1}`;
  };
  const now = `${parameter('now')}::bigint`;

  const byWriteId = 'k.write_id IS NOT DISTINCT FROM e.write_id';
  // A value that left and came back must not pass for one that stayed, or a unit sent twice could be committed
  // twice: rows written since the unit's clock was read do not count as guessed right.
  const byValue = `k.value IS NOT DISTINCT FROM e.value AND (k.version IS NULL OR k.version < ${now})`;
  const holds = `CASE e.comparison WHEN ${comparison.writeId} THEN ${byWriteId}
    ${shape.guesses ? `WHEN ${comparison.value} THEN ${byValue}` : ''} ELSE true END`;
  const columns = ['keys::bytea[]', 'comparisons::int[]', 'writeIds::uuid[]'];
  if (shape.guesses) columns.push('values::bytea[]');
  const expected = columns.map((column) => {
    const [name, type] = column.split('::') as [keyof SwapParameters, string];
    return `${parameter(name)}::${type}`;
  });
  const parts = [
    `found AS (
      SELECT e.n, k.value, k.version, k.write_id, ${holds} AS holds
      FROM unnest(${expected.join(', ')}) WITH ORDINALITY
        AS e(key, comparison, write_id, ${shape.guesses ? 'value, ' : ''}n)
      LEFT JOIN ${t.kv} k ON k.key = e.key
    )`,
  ];
  if (shape.sums)
    parts.push(`summed AS (
      SELECT e.n, e.sum AS expected,
        coalesce((SELECT sum(c.value) FROM ${t.counter} c WHERE c.key = e.key), 0)::bigint AS sum
      FROM unnest(${parameter('counters')}::bytea[], ${parameter('sums')}::bigint[])
        WITH ORDINALITY AS e(key, sum, n)
    )`);
  if (shape.changes) parts.push(`fence AS (SELECT f.shard FROM ${t.fence} f ORDER BY f.shard FOR UPDATE)`);
  else if (shape.fenced)
    parts.push(
      `fence AS (SELECT f.shard FROM ${t.fence} f WHERE f.shard = ${parameter('shard')}::int FOR SHARE)`,
    );
  const fenceParts = shape.changes ? shardCount : shape.fenced ? 1 : 0;
  const behindFence = `(SELECT count(*) FROM fence) = ${fenceParts}`;
  if (shape.locks)
    parts.push(`locked AS (
      SELECT CASE WHEN l.shared
        THEN (SELECT k.key FROM ${t.kv} k WHERE k.key = l.key FOR SHARE)
        ELSE (SELECT k.key FROM ${t.kv} k WHERE k.key = l.key FOR NO KEY UPDATE) END AS key
      FROM unnest(${parameter('lockedKeys')}::bytea[], ${parameter('lockedShared')}::boolean[])
        AS l(key, shared)
      ${fenceParts > 0 ? `WHERE ${behindFence}` : ''}
    )`);
  parts.push(`verdict AS (
      SELECT greatest(${now}, (SELECT max(f.version) + 1 FROM found f)) AS version
      FROM ${t.horizon} h
      WHERE h.id = 0 AND h.version < ${now} AND current_setting('transaction_isolation') = '${isolation.toLowerCase()}'
        AND NOT EXISTS (SELECT 1 FROM found f WHERE NOT f.holds)
        ${shape.sums ? 'AND NOT EXISTS (SELECT 1 FROM summed s WHERE s.sum <> s.expected)' : ''}
        ${fenceParts > 0 ? `AND ${behindFence}` : ''}
        ${shape.locks ? 'AND (SELECT count(l.key) FROM locked l) >= 0' : ''}
    )`);
  if (shape.changes)
    parts.push(`changed AS (
      UPDATE ${t.fence} AS f SET changes = f.changes + 1 FROM verdict v WHERE f.shard >= 0
    )`);
  // A delete is the writing of a row without a value. Keys that were not compared may have any version.
  if (shape.writes)
    parts.push(`written AS (
      INSERT INTO ${t.kv} AS k (key, value, version, write_id)
      SELECT w.key, w.value, v.version, ${parameter('writeId')}::uuid
      FROM verdict v, unnest(${parameter('writtenKeys')}::bytea[], ${parameter('writtenValues')}::bytea[])
        AS w(key, value)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value,
        version = greatest(excluded.version, k.version + 1), write_id = excluded.write_id
      ${shape.deletes ? 'RETURNING k.key, k.version, k.value IS NULL AS dead' : ''}
    )`);
  if (shape.deletes)
    parts.push(`buried AS (
      INSERT INTO ${t.grave} (at, key, version) SELECT now(), w.key, w.version FROM written w WHERE w.dead
      ON CONFLICT (at, key) DO UPDATE SET version = excluded.version
    )`);
  if (shape.adds)
    parts.push(`added AS (
      INSERT INTO ${t.counter} AS c (key, shard, value)
      SELECT a.key, ${shape.sums ? `CASE WHEN a.measured THEN 0 ELSE ${parameter('shard')}::int END` : `${parameter('shard')}::int`}, a.delta
      FROM verdict v, unnest(${parameter('addedKeys')}::bytea[], ${parameter('addedDeltas')}::bigint[]${shape.sums ? `, ${parameter('addedMeasured')}::boolean[]` : ''})
        AS a(key, delta${shape.sums ? ', measured' : ''})
      ON CONFLICT (key, shard) DO UPDATE SET value = c.value + excluded.value
    )`);
  if (shape.appends)
    parts.push(`appended AS (
      INSERT INTO ${t.outbox} (bucket, version, ordinal, of_key, record)
      SELECT a.bucket, v.version, a.n::int, a.of_key, a.record
      FROM verdict v, unnest(${parameter('buckets')}::bytea[], ${parameter('subjects')}::bytea[],
        ${parameter('records')}::bytea[]) WITH ORDINALITY AS a(bucket, of_key, record, n)
    )`);

  const undecided = 'NOT EXISTS (SELECT 1 FROM verdict)';
  const rows = [
    `SELECT ${answer.committed} AS answer, 0 AS n, true AS holds, NULL::bytea AS value, v.version AS number,
       NULL::uuid AS write_id
     FROM verdict v`,
    `SELECT ${answer.key}, f.n::int, f.holds, CASE WHEN f.holds THEN NULL ELSE f.value END, f.version, f.write_id
     FROM found f WHERE ${undecided}`,
    `SELECT ${answer.horizon}, 0, h.version < ${now}, NULL, h.version, NULL
     FROM ${t.horizon} h WHERE h.id = 0 AND ${undecided}`,
  ];
  if (shape.sums)
    rows.push(`SELECT ${answer.sum}, s.n::int, s.sum = s.expected, NULL, s.sum, NULL
     FROM summed s WHERE ${undecided}`);

  const flags = Object.entries(shape).filter(([, needed]) => needed);
  return {
    statement: {
      name: ['swap', ...flags.map(([flag]) => flag)].join('-'),
      text: `WITH ${parts.join(',\n')}\n${rows.join('\nUNION ALL\n')}`,
    },
    parameters,
  };
}
