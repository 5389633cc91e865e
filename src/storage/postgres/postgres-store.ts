import { machine, secrets } from '../../runtime/machine/machine.ts';
import type { Cancel } from '../../runtime/virtual-timers.ts';
import type {
  Bytes,
  CallOptions,
  LogRecord,
  Outcome,
  RangePage,
  RangeRequest,
  Snapshot,
  Store,
  Unit,
} from '../store.ts';
import { StoreError } from '../store-error.ts';
import { AnswerWatch } from './answer-watch.ts';
import { type ClusterUrl, parseClusterUrl } from './cluster-url.ts';
import { Connector } from './connector.ts';
import { RangeDeleter } from './delete-range.ts';
import { type Dialect, type Isolation, settingsQuery } from './dialect.ts';
import { loadDriver } from './driver.ts';
import { Fence } from './fence.ts';
import { HybridClock } from './hybrid-clock.ts';
import { Janitor } from './janitor.ts';
import { jobOf } from './job.ts';
import { ChangeLog } from './log-outbox.ts';
import { StatementReader } from './reader.ts';
import { rerun } from './rerun.ts';
import { readStatements, runJob, type Workshop } from './run-job.ts';
import { prepareSchema } from './schema.ts';
import { type RoundTripObserver, SessionPool, type SessionPoolOptions } from './sessions.ts';
import { TransactionSnapshot } from './snapshot.ts';
import { troubleOf } from './sql-failure.ts';
import type { Run } from './statement.ts';
import { SwapPlanner } from './swap.ts';
import { shardCount, type Tables, tablesIn } from './tables.ts';
import { transactMany } from './transact-many.ts';
import { WaitingLines } from './waiting-lines.ts';

export interface PostgresStoreOptions {
  /**
   * Where the server is: `postgres://user:password@host:port/database`. Several hosts may stand there, with a comma
   * between them (`cluster-url.ts`). Times that the URL sets win over those of the options.
   */
  readonly url: string;
  /** The schema that holds the tables; created when missing. */
  readonly schema?: string;
  /** Connections for units, for other calls, and for open snapshots; each made when first needed. */
  readonly writersMax?: number;
  readonly readersMax?: number;
  readonly snapshotsMax?: number;
  /** How long a call waits for a free connection. */
  readonly connectMsMax?: number;
  /** How long one host has to accept a new connection and to say that it is the primary. */
  readonly hostMsMax?: number;
  /** How long a connection is silent before TCP asks whether the other side is there. */
  readonly keepAliveMs?: number;
  /**
   * After how long without an answer a new connection is made to see whether the server lives. Statements of a server
   * that does not are abandoned, slow ones of a server that does are not.
   */
  readonly answerMsMax?: number;
  /** How long one statement may take. */
  readonly statementMsMax?: number;
  /**
   * How often a unit is tried before it ends with trouble `contention`. Writers of one process wait in line for a key,
   * but of so many processes each wins one try in as many.
   */
  readonly triesMax?: number;
  /**
   * How long a unit waits in line for others of this process that write the same; a line of a thousand takes about a
   * second.
   */
  readonly lineMsMax?: number;
  /**
   * For how long, from its first sending, a unit whose answer was lost is sent again to learn what became of it. The
   * default outlasts the fail-over of a Patroni cluster with its own defaults (30 s until a primary that is gone loses
   * its lease, 10 s until the others look, and the promotion) and ends before the 60 s that SDKs wait for an answer.
   */
  readonly resolveMsMax?: number;
  /** How long a change of settings waits for units that were decided on older ones (`fence.ts`). */
  readonly settingsMsMax?: number;
  /** How long the row of a deleted key stays, and how often old ones are removed; 0: never by this process. */
  readonly tombstoneAgeMs?: number;
  readonly janitorMs?: number;
  readonly nowMicros?: () => number;
  /** A number in [0, 1), for jitter and for spreading counters. */
  readonly random?: () => number;
  /** A new UUID. No two units of any process may ever get the same. */
  readonly newWriteId?: () => string;
  readonly onRoundTrip?: RoundTripObserver;
}

type Settings = Required<Omit<PostgresStoreOptions, 'onRoundTrip'>>;

/** How much longer than the server this side waits for a statement that a living server should have ended. */
const answerMsMargin = 5_000;
const idleMsMax = 30_000;

export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const cluster = parseClusterUrl(options.url);
  const settings: Settings = {
    schema: 'stator',
    writersMax: 16,
    readersMax: 8,
    snapshotsMax: 4,
    connectMsMax: 10_000,
    hostMsMax: 5_000,
    keepAliveMs: 5_000,
    answerMsMax: 2_000,
    statementMsMax: 30_000,
    triesMax: 1_000,
    lineMsMax: 1_000,
    resolveMsMax: 50_000,
    // As long as a statement may take, and as long as its end may take.
    settingsMsMax: 35_000,
    tombstoneAgeMs: 10 * 60_000,
    janitorMs: 60_000,
    nowMicros: () => machine.nowMs() * 1_000,
    random: machine.random,
    newWriteId: secrets.uuid,
    ...options,
    ...timesOf(cluster),
  };
  const connector = new Connector(await loadDriver(), {
    hosts: cluster.hosts,
    target: cluster.target,
    hostMsMax: settings.hostMsMax,
    keepAliveMs: settings.keepAliveMs,
  });
  const watch = new AnswerWatch({
    answerMsMax: settings.answerMsMax,
    statementMsMax: settings.statementMsMax + answerMsMargin,
    signOfLife: () => connector.signOfLife(),
  });
  const firstShard = Math.floor(settings.random() * shardCount);
  let connections = 0;
  const pool = (sessionsMax: number, prologue: readonly string[]) =>
    new SessionPool({
      connector,
      watch,
      sessionsMax,
      connectMsMax: settings.connectMsMax,
      idleMsMax,
      prologue: prologue.join('; '),
      nextShard: () => (firstShard + connections++) % shardCount,
      onRoundTrip: options.onRoundTrip,
    } satisfies SessionPoolOptions);

  const tables = tablesIn(settings.schema);
  const first = pool(1, [isolation('READ COMMITTED')]);
  try {
    await first.use((session) => prepareSchema(session, tables, connector.dialect, settings.random));
  } catch (error) {
    throw troubleOf(error);
  } finally {
    await first.end();
  }
  const { dialect } = connector;
  const tuning = settingsQuery(dialect);
  const prologue = [
    `SET statement_timeout = ${settings.statementMsMax}`,
    ...(tuning === undefined ? [] : [tuning]),
  ];
  return new PostgresStore(settings, tables, dialect, {
    writers: pool(settings.writersMax, [isolation(dialect.unitIsolation), ...prologue]),
    readers: pool(settings.readersMax, [isolation('REPEATABLE READ'), ...prologue]),
    snapshots: pool(settings.snapshotsMax, [isolation('REPEATABLE READ'), ...prologue]),
  });
}

/** The times that a URL sets. */
function timesOf({ hostMsMax, keepAliveMs, answerMsMax, resolveMsMax }: ClusterUrl): Partial<Settings> {
  const times = { hostMsMax, keepAliveMs, answerMsMax, resolveMsMax };
  return Object.fromEntries(Object.entries(times).filter(([, ms]) => ms !== undefined));
}

function isolation(level: 'READ COMMITTED' | Isolation): string {
  return `SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL ${level}`;
}

interface Pools {
  readonly writers: SessionPool;
  readonly readers: SessionPool;
  readonly snapshots: SessionPool;
}

class PostgresStore implements Store {
  readonly exclusive = false;
  readonly immediate = false;
  readonly #tables: Tables;
  readonly #pools: Pools;
  readonly #shop: Workshop;
  readonly #reader: StatementReader;
  readonly #log: ChangeLog;
  readonly #deleter: RangeDeleter;
  readonly #stopJanitor: Cancel | undefined;
  readonly #calls = new Set<Promise<unknown>>();
  readonly #snapshots = new Set<TransactionSnapshot>();
  #closed: Promise<void> | undefined;

  constructor(settings: Settings, tables: Tables, dialect: Dialect, pools: Pools) {
    this.#tables = tables;
    this.#pools = pools;
    const { random, triesMax } = settings;
    this.#shop = {
      writers: pools.writers,
      planner: new SwapPlanner(tables, dialect.unitIsolation),
      statements: readStatements(tables),
      lines: new WaitingLines(settings.lineMsMax),
      fence: new Fence(tables, pools.writers, settings.settingsMsMax),
      clock: new HybridClock(settings.nowMicros),
      random,
      newWriteId: settings.newWriteId,
      triesMax,
      resolveMsMax: settings.resolveMsMax,
    };
    const once =
      (sessions: SessionPool): Run =>
      (statement, values) =>
        sessions.use((session) => session.run(statement, values));
    const repeated =
      (run: Run): Run =>
      (statement, values) =>
        rerun(triesMax, random, () => run(statement, values));
    const read = repeated(once(pools.readers));
    this.#reader = new StatementReader(tables, read);
    this.#log = new ChangeLog(tables, read);
    this.#deleter = new RangeDeleter(tables, read, repeated(once(pools.writers)));
    if (settings.janitorMs > 0) {
      const janitor = new Janitor(tables, once(pools.readers), settings.tombstoneAgeMs);
      // What fails now is done the next time.
      const sweep = () => void this.#call(() => janitor.sweep()).catch(() => {});
      this.#stopJanitor = machine.every(settings.janitorMs, sweep);
    }
  }

  get(key: Bytes): Promise<Bytes | undefined> {
    return this.#call(() => this.#reader.get(key));
  }

  getMany(keys: readonly Bytes[]): Promise<(Bytes | undefined)[]> {
    return this.#call(() => this.#reader.getMany(keys));
  }

  counters(keys: readonly Bytes[]): Promise<number[]> {
    return this.#call(() => this.#reader.counters(keys));
  }

  range(request: RangeRequest): Promise<RangePage> {
    return this.#call(() => this.#reader.range(request));
  }

  transact<R>(unit: Unit<R>, options: CallOptions = {}): Promise<R> {
    return this.#call(() => runJob(this.#shop, jobOf(unit), options));
  }

  transactMany<R>(units: readonly Unit<R>[], options: CallOptions = {}): Promise<Outcome<R>[]> {
    return this.#call(() => transactMany(this.#shop, units, options));
  }

  deleteRange(from: Bytes, to: Bytes, options: CallOptions = {}): Promise<number> {
    return this.#call(() => this.#deleter.run(from, to, options));
  }

  readLog(bucket: Bytes, after: number, limit: number): Promise<LogRecord[]> {
    return this.#call(() => this.#log.read(bucket, after, limit));
  }

  logEnd(bucket: Bytes): Promise<number> {
    return this.#call(() => this.#log.end(bucket));
  }

  trimLog(bucket: Bytes, through: number, options: CallOptions = {}): Promise<void> {
    return this.#call(() => this.#log.trim(bucket, through, options));
  }

  snapshot(): Promise<Snapshot> {
    return this.#call(async () => {
      const snapshot = await TransactionSnapshot.open(this.#pools.snapshots, this.#tables, (closed) =>
        this.#snapshots.delete(closed),
      );
      this.#snapshots.add(snapshot);
      return snapshot;
    });
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #call<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) throw new StoreError('closed', 'The store is closed');
    const call = work();
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  async #end(): Promise<void> {
    this.#stopJanitor?.();
    await Promise.allSettled(this.#calls);
    await Promise.all([...this.#snapshots].map((snapshot) => snapshot.close()));
    const { writers, readers, snapshots } = this.#pools;
    await Promise.all([writers.end(), readers.end(), snapshots.end()]);
  }
}
