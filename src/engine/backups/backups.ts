import { DynamoError } from '../../model/errors.ts';
import { prefixEnd } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import { type Clock, nowMs } from '../../runtime/clock.ts';
import { type Randomness, randomBytes } from '../../runtime/randomness.ts';
import type { Mutation, Store } from '../../storage/store.ts';
import type { Background } from '../background/background-worker.ts';
import { pagesOf } from '../check/range-pages.ts';
import type { EraWatch } from '../history/era-watch.ts';
import { beginEra, momentBefore, withoutReader } from '../history/eras.ts';
import { behindEverything, type Cut, firstEra } from '../history/stamp.ts';
import {
  backupKey,
  backupsOfScope,
  backupsOfTable,
  entryPrefix,
  jobKey,
  type Scope,
  slotCounters,
  storageIdBytes,
} from '../store-keys.ts';
import type { Catalogue } from '../tables/catalogue.ts';
import type { PastReaderNote } from '../tables/parts/recovery.ts';
import type { TableRecord } from '../tables/table-record.ts';
import { type BackupRecord, decodeBackup, encodeBackup, isExpired } from './backup-record.ts';
import { firstDigest } from './chunks.ts';
import { type BackupJob, encodeJob, newProgress, type PastTable, type RestoreJob } from './job.ts';
import type { StepDeps } from './job-steps.ts';
import { Jobs } from './jobs.ts';

interface BackupsDeps extends Omit<StepDeps, 'nowMs' | 'signal' | 'turn'> {
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly random: Randomness;
  readonly clock: Clock;
  readonly eras: EraWatch;
}

/** Refuses to begin, or undefined. */
type Refusal = (record: TableRecord | undefined) => DynamoError | undefined;

/** Backups of tables, and the jobs that make them and restore from them. */
export class Backups {
  readonly jobs: Jobs;
  readonly #deps: BackupsDeps;
  readonly #background: Background;

  constructor(deps: BackupsDeps, background: Background) {
    this.#deps = deps;
    this.#background = background;
    this.jobs = new Jobs({ ...deps, expired: (key) => this.#discard(key) }, background);
  }

  /** Begins a backup of a table as it is at this moment. A small one is done when this returns. */
  async create(
    scope: Scope,
    tableName: string,
    name: string,
    refusal: Refusal,
  ): Promise<BackupRecord | DynamoError> {
    const { catalogue, eras, clock } = this.#deps;
    const found = await catalogue.record(scope, tableName);
    const counts = found && (await this.#counts((await eras.settled(scope, found)).storageId));
    const drawn = this.#drawn('USER');
    let backup: BackupRecord | undefined;
    // One change: it begins an era, so that the moment is everything before it, and the job that reads that moment.
    const held = await catalogue.change(scope, tableName, (current) => {
      const refused = refusal(current);
      if (refused !== undefined) return refused;
      const nowMicros = clock.nowMicros();
      const { put, also } = beginEra(current!, scope, nowMicros);
      const cut = momentBefore(put);
      const ms = Math.floor(nowMicros / 1000);
      backup = newBackup(scope, put, drawn, counts ?? noCounts, {
        ...{ name, type: 'USER', createdAt: ms },
        era: cut.era + 1,
      });
      const reader = this.#reader(drawn.jobId, cut);
      return {
        put: { ...put, readers: [...(put.readers ?? []), reader] },
        also: [...also, ...beginning(drawn.jobId, backup, pastTable(scope, put, cut))],
      };
    });
    if (held instanceof DynamoError) return held;
    await this.jobs.begin(drawn.jobId);
    return backup!;
  }

  /**
   * What is committed with the end of a table whose recovery is on: a system backup of its last state. The entries stay
   * until the backup is done.
   */
  async systemBackup(scope: Scope, record: TableRecord, keptMs: number): Promise<SystemBackup> {
    const createdAt = nowMs(this.#background.clock);
    const source = pastTable(scope, record, behindEverything);
    const name = `${record.description.tableName}$DeletedTableBackup`;
    const drawn = this.#drawn('SYSTEM');
    const counts = await this.#counts(record.storageId);
    const { jobId } = drawn;
    return {
      jobId,
      reader: this.#reader(jobId, source.cut),
      mutations({ order }) {
        const era = (order?.era ?? firstEra) + 1;
        const given = { name, type: 'SYSTEM', createdAt, era, expiresAt: createdAt + keptMs } as const;
        return beginning(jobId, newBackup(scope, record, drawn, counts, given), source);
      },
    };
  }

  /**
   * Keeps the past of a table for a job that begins soon, from the earlier of its cuts on. The table begins an era, so
   * that no write comes up before a cut while the job reads. `beginning` is committed too.
   */
  async hold(
    scope: Scope,
    tableName: string,
    jobId: string,
    cutsOf: (record: TableRecord) => Promise<HeldCuts>,
    refusal: Refusal,
    beginning: (past: HeldPast) => readonly Mutation[] = () => [],
  ): Promise<HeldPast | DynamoError> {
    const { catalogue, eras, clock } = this.#deps;
    for (;;) {
      const found = await catalogue.record(scope, tableName);
      const refused = refusal(found);
      if (refused !== undefined) return refused;
      const record = await eras.settled(scope, found!);
      const cuts = await cutsOf(record);
      let source: PastTable | undefined;
      const held = await catalogue.change(scope, tableName, (current) => {
        source = undefined;
        const wrong = refusal(current);
        if (wrong !== undefined) return wrong;
        if (!hasSameEras(current!, record)) return { put: current! };
        const { put, also } = beginEra(current!, scope, clock.nowMicros());
        source = pastTable(scope, put, cuts.at === 'now' ? momentBefore(put) : cuts.at);
        const reader = this.#reader(jobId, cuts.since ?? source.cut);
        const begun = beginning({ source, since: cuts.since });
        return { put: { ...put, readers: [...(put.readers ?? []), reader] }, also: [...also, ...begun] };
      });
      if (held instanceof DynamoError) return held;
      if (source !== undefined) return { source, since: cuts.since };
    }
  }

  /** Lets a table go whose job did not begin. */
  async letGo({ scope, tableName, storageId }: PastTable, jobId: string): Promise<void> {
    await this.#deps.catalogue.change(scope, tableName, (current) =>
      current?.storageId === storageId ? withoutReader(current, jobId) : undefined,
    );
  }

  /** The mutation that begins a restore; it is committed with the record of the new table. */
  restoreJob(
    jobId: string,
    target: { readonly scope: Scope; readonly tableName: string; readonly storageId: string },
    from: RestoreJob['from'],
    itemsExpected: number,
    activeAt: number | undefined,
  ): Mutation {
    const job: RestoreJob = {
      kind: 'restore',
      ...newProgress(jobId, target.scope, target.tableName, nowMs(this.#background.clock), itemsExpected),
      storageId: target.storageId,
      from,
      chunks: 0,
      digest: firstDigest,
      ...(activeAt !== undefined && { activeAt }),
    };
    return { kind: 'put', key: jobKey(jobId), value: encodeJob(job) };
  }

  /** Finds a backup. One that has expired is gone. */
  async find(scope: Scope, tableName: string, id: string): Promise<BackupRecord | undefined> {
    const key = backupKey(scope, tableName, id);
    const bytes = await this.#deps.store.get(key);
    const backup = bytes && decodeBackup(bytes, key);
    return backup === undefined || isExpired(backup, nowMs(this.#background.clock)) ? undefined : backup;
  }

  /** Lists the backups of a table, or of all tables, in no particular order. */
  async list(scope: Scope, tableName: string | undefined): Promise<BackupRecord[]> {
    const prefix = tableName === undefined ? backupsOfScope(scope) : backupsOfTable(scope, tableName);
    const now = nowMs(this.#background.clock);
    const backups: BackupRecord[] = [];
    for await (const page of pagesOf(this.#deps.store, prefix, prefixEnd(prefix)!))
      for (const { key, value } of page) {
        const backup = decodeBackup(value, key);
        if (!isExpired(backup, now)) backups.push(backup);
      }
    return backups;
  }

  /** Whether a restore from the backup is under way. */
  async isInUse({ restore }: BackupRecord): Promise<boolean> {
    if (restore === undefined) return false;
    if (restore.untilMs !== undefined) return nowMs(this.#background.clock) < restore.untilMs;
    return this.jobs.isRunning(restore.jobId);
  }

  /** Notes that a job reads a backup. `busy` if another one does. */
  async holdBackup(backup: BackupRecord, jobId: string): Promise<'held' | 'busy' | 'gone'> {
    const { store } = this.#deps;
    const key = backupKey(backup, backup.table.tableName, backup.id);
    const isStale = backup.restore !== undefined && !(await this.isInUse(backup));
    const { restore: expected } = backup;
    return store.transact<'held' | 'busy' | 'gone'>({
      reads: [key],
      decide: ({ values: [bytes] }) => {
        if (bytes === undefined) return { result: 'gone', mutations: [] };
        const found = decodeBackup(bytes, key);
        const isFree = found.restore === undefined || (isStale && found.restore.jobId === expected?.jobId);
        if (!isFree) return { result: 'busy', mutations: [] };
        const value = encodeBackup({ ...found, restore: { jobId } });
        return { result: 'held', mutations: [{ kind: 'put', key, value }] };
      },
    });
  }

  /** Deletes a backup. Its chunks are removed in the background. */
  async delete(backup: BackupRecord): Promise<void> {
    await this.#discard(backupKey(backup, backup.table.tableName, backup.id));
    this.#deps.begun();
  }

  newJobId(): string {
    return toHex(randomBytes(this.#deps.random, storageIdBytes));
  }

  async #discard(key: Uint8Array): Promise<void> {
    const jobId = this.newJobId();
    const now = nowMs(this.#background.clock);
    await this.#deps.store.transact({
      reads: [key],
      decide: ({ values: [bytes] }) => {
        if (bytes === undefined) return { result: undefined, mutations: [] };
        const { account, region, table, storageId } = decodeBackup(bytes, key);
        const value = encodeJob({
          kind: 'discard',
          ...newProgress(jobId, { account, region }, table.tableName, now, 0),
          backupStorageId: storageId,
        });
        return {
          result: undefined,
          mutations: [
            { kind: 'delete', key },
            { kind: 'put', key: jobKey(jobId), value },
          ],
        };
      },
    });
  }

  #reader(jobId: string, { period }: Cut): PastReaderNote {
    return { jobId, period };
  }

  #drawn(type: BackupRecord['type']): Drawn {
    const { random } = this.#deps;
    return {
      jobId: this.newJobId(),
      tail: type === 'SYSTEM' ? '00000000' : toHex(randomBytes(random, 4)),
      storageId: toHex(randomBytes(random, storageIdBytes)),
    };
  }

  /** The counts of now. When the backup is done, it has its own. */
  async #counts(storageId: string): Promise<Counts> {
    const { count, bytes } = slotCounters(entryPrefix(storageId, 0));
    const [items, size] = await this.#deps.store.counters([count, bytes]);
    return { items: items!, bytes: size! };
  }
}

export interface SystemBackup {
  readonly jobId: string;
  readonly reader: PastReaderNote;
  /** What is committed with the end of the table, whose record may have changed meanwhile. */
  mutations(record: TableRecord): Mutation[];
}

/** The cuts that a job reads at, and an earlier one whose state it compares with. */
export interface HeldCuts {
  readonly at: Cut | 'now';
  readonly since?: Cut | undefined;
}

export interface HeldPast {
  readonly source: PastTable;
  readonly since: Cut | undefined;
}

interface Counts {
  readonly items: number;
  readonly bytes: number;
}

const noCounts: Counts = { items: 0, bytes: 0 };

/** What is drawn at random for a backup. */
interface Drawn {
  readonly jobId: string;
  readonly tail: string;
  readonly storageId: string;
}

/** Whether a cut of one record means the same in the other one, and its images are still kept. */
function hasSameEras(a: TableRecord, b: TableRecord): boolean {
  return a.storageId === b.storageId && a.order?.era === b.order?.era && a.recovery?.era === b.recovery?.era;
}

function pastTable(scope: Scope, { description, storageId, history }: TableRecord, cut: Cut): PastTable {
  const { tableName } = description;
  return { scope, tableName, storageId, cut, ...(history && { historySlot: history.slot }) };
}

function newBackup(
  scope: Scope,
  { description }: TableRecord,
  { tail, storageId }: Drawn,
  counts: Counts,
  given: Pick<BackupRecord, 'name' | 'type' | 'expiresAt' | 'createdAt' | 'era'>,
): BackupRecord {
  return {
    ...scope,
    ...given,
    id: `${String(given.createdAt).padStart(14, '0')}-${tail}`,
    status: 'CREATING',
    table: description,
    storageId,
    ...counts,
    chunks: 0,
    digest: firstDigest,
  };
}

function beginning(jobId: string, backup: BackupRecord, source: PastTable): Mutation[] {
  const { account, region, table, items, createdAt } = backup;
  const job: BackupJob = {
    kind: 'backup',
    ...newProgress(jobId, { account, region }, table.tableName, createdAt, items),
    source,
    backupId: backup.id,
    backupStorageId: backup.storageId,
    chunks: 0,
    digest: firstDigest,
  };
  return [
    { kind: 'put', key: backupKey(backup, table.tableName, backup.id), value: encodeBackup(backup) },
    { kind: 'put', key: jobKey(jobId), value: encodeJob(job) },
  ];
}
