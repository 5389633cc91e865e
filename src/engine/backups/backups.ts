import { DynamoError } from '../../model/errors.ts';
import { prefixEnd } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import type { Mutation, Store } from '../../storage/store.ts';
import type { Background } from '../background/background-worker.ts';
import { pagesOf } from '../check/range-pages.ts';
import { nowMs } from '../clock.ts';
import { beginHistory, holdMoment, withoutReader } from '../history/history-life.ts';
import { type Randomness, randomBytes } from '../randomness.ts';
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
import type { PastReaderNote, TableRecord } from '../tables/table-record.ts';
import { type BackupRecord, decodeBackup, encodeBackup, isExpired } from './backup-record.ts';
import { firstDigest } from './chunks.ts';
import { type BackupJob, encodeJob, newProgress, type PastTable, type RestoreJob } from './job.ts';
import type { StepDeps } from './job-steps.ts';
import { Jobs } from './jobs.ts';

interface BackupsDeps extends Omit<StepDeps, 'nowMs' | 'signal' | 'turn'> {
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly random: Randomness;
  /** A moment that no later write of this process belongs to, in microseconds. */
  readonly moment: () => number;
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
    const { store, catalogue, moment } = this.#deps;
    const jobId = this.newJobId();
    const held = await catalogue.change(scope, tableName, (current) => {
      const refused = refusal(current);
      if (refused !== undefined) return refused;
      const { put, also } = beginHistory(current!, scope);
      const reader = this.#reader(jobId, nowMs(this.#background.clock) * 1000);
      return { put: { ...put, readers: [...(put.readers ?? []), reader] }, also };
    });
    if (held instanceof DynamoError) return held;
    const atMicros = moment();
    // After the table keeps old images: a write in between has left its own.
    await catalogue.change(scope, tableName, (current) =>
      current?.storageId === held.storageId ? { put: holdMoment(current, atMicros) } : undefined,
    );
    const source = this.#pastTable(scope, held, atMicros);
    const backup = await this.#newBackup(scope, held, {
      name,
      type: 'USER',
      ms: Math.floor(atMicros / 1000),
    });
    const mutations = this.#beginning(jobId, backup, source);
    await store.transact({ reads: [], decide: () => ({ result: undefined, mutations }) });
    await this.jobs.begin(jobId);
    return backup;
  }

  /**
   * What is committed with the end of a table whose recovery is on: a system backup of its last state. The entries stay
   * until the backup is done.
   */
  async systemBackup(
    scope: Scope,
    record: TableRecord,
    keptMs: number,
  ): Promise<{ readonly jobId: string; readonly reader: PastReaderNote; readonly mutations: Mutation[] }> {
    const jobId = this.newJobId();
    const ms = nowMs(this.#background.clock);
    const source = this.#pastTable(scope, record, Number.MAX_SAFE_INTEGER);
    const name = `${record.description.tableName}$DeletedTableBackup`;
    const backup = await this.#newBackup(scope, record, { name, type: 'SYSTEM', ms, expiresAt: ms + keptMs });
    return {
      jobId,
      reader: this.#reader(jobId, source.atMicros),
      mutations: this.#beginning(jobId, backup, source),
    };
  }

  /** Keeps the past of a table since a time, and what it is at a moment, for a job that begins soon. */
  async hold(
    scope: Scope,
    tableName: string,
    jobId: string,
    {
      atMicros,
      sinceMicros = atMicros,
    }: { readonly atMicros: number; readonly sinceMicros?: number | undefined },
    refusal: Refusal,
  ): Promise<PastTable | DynamoError> {
    const held = await this.#deps.catalogue.change(scope, tableName, (current) => {
      const refused = refusal(current);
      if (refused !== undefined) return refused;
      const record = holdMoment(current!, atMicros);
      return { put: { ...record, readers: [...(record.readers ?? []), this.#reader(jobId, sinceMicros)] } };
    });
    return held instanceof DynamoError ? held : this.#pastTable(scope, held, atMicros);
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
    const bytes = await this.#deps.store.get(backupKey(scope, tableName, id));
    const backup = bytes && decodeBackup(bytes);
    return backup === undefined || isExpired(backup, nowMs(this.#background.clock)) ? undefined : backup;
  }

  /** Lists the backups of a table, or of all tables, in no particular order. */
  async list(scope: Scope, tableName: string | undefined): Promise<BackupRecord[]> {
    const prefix = tableName === undefined ? backupsOfScope(scope) : backupsOfTable(scope, tableName);
    const now = nowMs(this.#background.clock);
    const backups: BackupRecord[] = [];
    for await (const page of pagesOf(this.#deps.store, prefix, prefixEnd(prefix)!))
      for (const { value } of page) {
        const backup = decodeBackup(value);
        if (!isExpired(backup, now)) backups.push(backup);
      }
    return backups;
  }

  /** Whether a restore from the backup is under way. */
  async isInUse({ restore }: BackupRecord): Promise<boolean> {
    if (restore === undefined) return false;
    if (restore.untilMs !== undefined) return nowMs(this.#background.clock) < restore.untilMs;
    return this.jobs.isUnderWay(restore.jobId);
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
        const found = decodeBackup(bytes);
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
    this.jobs.start();
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
        const { account, region, table, storageId } = decodeBackup(bytes);
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

  #reader(jobId: string, atMicros: number): PastReaderNote {
    return { jobId, atMicros, notedAt: nowMs(this.#background.clock) };
  }

  #pastTable(scope: Scope, { description, storageId, history }: TableRecord, atMicros: number): PastTable {
    const { tableName } = description;
    return { scope, tableName, storageId, atMicros, ...(history && { historySlot: history.slot }) };
  }

  /** The counts are those of now; when the backup is done, it tells its own. */
  async #newBackup(
    scope: Scope,
    { description, storageId }: TableRecord,
    given: Pick<BackupRecord, 'name' | 'type' | 'expiresAt'> & { readonly ms: number },
  ): Promise<BackupRecord> {
    const { random, store } = this.#deps;
    const { ms, ...rest } = given;
    const { count, bytes } = slotCounters(entryPrefix(storageId, 0));
    const [items, size] = await store.counters([count, bytes]);
    const tail = given.type === 'SYSTEM' ? '00000000' : toHex(randomBytes(random, 4));
    return {
      format: 1,
      ...scope,
      ...rest,
      id: `${String(ms).padStart(14, '0')}-${tail}`,
      status: 'CREATING',
      createdAt: ms,
      table: description,
      storageId: toHex(randomBytes(random, storageIdBytes)),
      items: items!,
      bytes: size!,
      chunks: 0,
      digest: firstDigest,
    };
  }

  #beginning(jobId: string, backup: BackupRecord, source: PastTable): Mutation[] {
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
}
