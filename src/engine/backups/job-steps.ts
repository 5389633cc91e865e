import type { Hash16 } from '../../model/keys/keys.ts';
import { readItemBytes } from '../../model/stored/stored-item.ts';
import { equalBytes, prefixEnd } from '../../model/values/bytes.ts';
import { fromHex, toHex } from '../../model/values/hex.ts';
import type { Mutation, Store } from '../../storage/store.ts';
import { withoutReader } from '../history/eras.ts';
import { historyPlace } from '../history/history-keys.ts';
import { readPastPage } from '../history/past-pages.ts';
import {
  backupKey,
  chunkKey,
  droppedKey,
  entryPrefix,
  entryPrefixBytes,
  jobKey,
  retiredKey,
} from '../store-keys.ts';
import type { Catalogue } from '../tables/catalogue.ts';
import {
  decodeRecord,
  encodeRecord,
  prepareTable,
  type Table,
  type TableRecord,
} from '../tables/table-record.ts';
import { type BackupRecord, decodeBackup, encodeBackup } from './backup-record.ts';
import {
  type ChunkItem,
  DamagedBackup,
  decodeChunk,
  encodeChunk,
  ForgottenPast,
  nextDigest,
} from './chunks.ts';
import { type BackupJob, decodeJob, encodeJob, type Job, type PastTable, type RestoreJob } from './job.ts';
import { RestoredItems } from './restored-items.ts';

export interface StepDeps {
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly h16: Hash16;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
  /** Lets requests go first: one turn of the event loop. */
  readonly turn: () => Promise<void>;
  /** Wakes the runner of jobs: there is a new one, or entries of a dropped table can be removed. */
  readonly begun: () => void;
}

/** `more`: there is another step. `over`: the job is done, has failed or was done by another process. */
export type StepResult = 'more' | 'over';

/** How much a step copies: so little that requests hardly wait for it. */
const stepLimits = { limit: 40, maxBytes: 40 * 1024, reads: { entries: 500, bytes: 1024 * 1024 } };
/** Pages without an item, which a step of a backup takes together: each has passed old images that nobody asks for. */
const emptyPagesInStep = 4;
/** The chunks that a step of a restore takes together: a commit to disk costs more than what is in it. */
const chunksInStep = 6;

/** Does one step of a job. */
export async function jobStep(deps: StepDeps, id: string): Promise<StepResult> {
  const key = jobKey(id);
  const bytes = await deps.store.get(key);
  if (bytes === undefined) return 'over';
  const job = decodeJob(bytes, key);
  if (job.phase === 'failed' || job.kind === 'export') return 'over';
  if (job.phase === 'failing') return undo(deps, job, bytes);
  if (job.kind === 'discard') return discard(deps, job.backupStorageId, job.id);
  if (job.kind === 'backup')
    return job.phase === 'copying' ? copyToBackup(deps, job, bytes) : endBackup(deps, job);
  return job.phase === 'copying' ? copyToTable(deps, job, bytes) : endRestore(deps, job);
}

/** Notes that a job cannot go on. The next step undoes what it did. */
export async function failJob(deps: StepDeps, key: Uint8Array, reason: string): Promise<void> {
  await deps.store.transact({
    reads: [key],
    decide: ({ values: [bytes] }) => {
      const job = bytes && decodeJob(bytes, key);
      if (job === undefined || job.phase === 'failing' || job.phase === 'failed')
        return { result: undefined, mutations: [] };
      return {
        result: undefined,
        mutations: [{ kind: 'put', key, value: encodeJob({ ...job, phase: 'failing', reason }) }],
      };
    },
  });
}

/** Commits a step with the job's progress, unless another process has come further. */
async function advance(
  { store, nowMs }: StepDeps,
  before: Uint8Array,
  after: Job,
  mutations: readonly Mutation[],
): Promise<StepResult> {
  const key = jobKey(after.id);
  const value = encodeJob({ ...after, steppedAt: nowMs() });
  await store.transact({
    reads: [key],
    decide: ({ values: [found] }) => ({
      result: undefined,
      mutations:
        found !== undefined && equalBytes(found, before) ? [...mutations, { kind: 'put', key, value }] : [],
    }),
  });
  return 'more';
}

async function copyToBackup(deps: StepDeps, job: BackupJob, before: Uint8Array): Promise<StepResult> {
  let page = await readPage(deps.store, job.source, job.next);
  for (let pages = 1; page.items.length === 0 && page.next && pages < emptyPagesInStep; pages++) {
    await deps.turn();
    page = await readPage(deps.store, job.source, toHex(page.next));
  }
  const next: BackupJob = { ...withoutNext(job), ...(page.next && { next: toHex(page.next) }) };
  if (page.items.length === 0)
    return advance(deps, before, { ...next, phase: page.next === undefined ? 'ending' : 'copying' }, []);
  // What was read is of one past moment and does not change, so that requests may come in between.
  await deps.turn();
  const key = chunkKey(job.backupStorageId, job.chunks);
  const chunk = encodeChunk(key, page.items, deps.h16);
  await deps.turn();
  return advance(
    deps,
    before,
    {
      ...next,
      chunks: job.chunks + 1,
      digest: nextDigest(job.digest, chunk, deps.h16),
      items: job.items + page.items.length,
      bytes: job.bytes + sizeOf(page.items),
      phase: page.next === undefined ? 'ending' : 'copying',
    },
    [{ kind: 'put', key, value: chunk }],
  );
}

async function endBackup(deps: StepDeps, job: BackupJob): Promise<StepResult> {
  const { scope, tableName, backupId, items, bytes, chunks, digest } = job;
  await changeBackup(deps.store, backupKey(scope, tableName, backupId), (backup) => ({
    ...backup,
    status: 'AVAILABLE',
    ...{ items, bytes, chunks, digest },
  }));
  await releaseTable(deps, job.source, job.id);
  return forgetJob(deps.store, job.id);
}

async function copyToTable(deps: StepDeps, job: RestoreJob, before: Uint8Array): Promise<StepResult> {
  const target = await findTarget(deps, job);
  if (target === undefined) return forgetJob(deps.store, job.id);
  const restored = new RestoredItems(target, deps.h16);
  let after: RestoreJob = job;
  for (let pages = 0; pages < chunksInStep && after.phase === 'copying'; pages++) {
    if (pages > 0) await deps.turn();
    const { from, next, items, bytes, chunks } = after;
    const page: CopyPage =
      from.kind === 'backup'
        ? await readChunkOf(deps, after, from)
        : await readPage(deps.store, from.source, next);
    for (const { key, stored } of page.items) restored.add(key, stored);
    after = {
      ...withoutNext(after),
      ...(page.digest !== undefined && { digest: page.digest, chunks: chunks + 1 }),
      ...(page.next && { next: toHex(page.next) }),
      items: items + page.items.length,
      bytes: bytes + sizeOf(page.items),
      phase: page.next === undefined ? 'ending' : 'copying',
    };
  }
  if (
    after.phase === 'ending' &&
    after.from.kind === 'table' &&
    !(await isHeld(deps, after.from.source, job.id))
  )
    throw new ForgottenPast(lostPast);
  return advance(deps, before, after, restored.mutations());
}

/**
 * Whether a table, or a dropped one, still keeps its past for a job. A note that is gone never returns. So if it is there
 * behind the last read, it was there all the time, and nothing was forgotten meanwhile.
 */
async function isHeld(
  { store, catalogue }: StepDeps,
  { scope, tableName, storageId }: PastTable,
  jobId: string,
): Promise<boolean> {
  const has = (record: TableRecord | undefined) =>
    record?.storageId === storageId && record.readers?.some((reader) => reader.jobId === jobId) === true;
  if (has(await catalogue.record(scope, tableName))) return true;
  const retired = await store.get(retiredKey(storageId));
  return has(retired && decodeRecord(retired));
}

const lostPast =
  'The past of the source was forgotten before the restore began: its server stood still for over a minute. Restore again.';

async function endRestore(deps: StepDeps, job: RestoreJob): Promise<StepResult> {
  await releaseSource(deps, job);
  await deps.catalogue.change(job.scope, job.tableName, (current) => {
    if (current?.storageId !== job.storageId || current.restore?.jobId !== job.id) return undefined;
    const { restore, ...rest } = current;
    const isLonger = job.activeAt !== undefined && job.activeAt > deps.nowMs();
    return {
      put: isLonger
        ? { ...current, phases: { creatingUntil: job.activeAt } }
        : { ...rest, epoch: rest.epoch + 1, phases: {} },
    };
  });
  return forgetJob(deps.store, job.id);
}

async function findTarget({ catalogue }: StepDeps, job: RestoreJob): Promise<Table | undefined> {
  const record = await catalogue.record(job.scope, job.tableName);
  return record?.storageId === job.storageId ? prepareTable(job.scope, record) : undefined;
}

interface CopyPage {
  readonly items: readonly ChunkItem[];
  /** Where to go on; undefined at the end. */
  readonly next: Uint8Array | undefined;
  /** The checksum of the chunks so far. */
  readonly digest?: string;
}

/** The next items of a table as it was. Their keys lack the prefix of the table. */
async function readPage(store: Store, source: PastTable, next: string | undefined): Promise<CopyPage> {
  const { storageId, historySlot, cut } = source;
  const itemPrefix = entryPrefix(storageId, 0);
  const history = historySlot === undefined ? undefined : historyPlace(storageId, historySlot);
  const from = next === undefined ? itemPrefix : fromHex(next);
  const page = await readPastPage(
    store,
    { itemPrefix, history },
    { bounds: { from, to: undefined, reverse: false }, cuts: [cut], ...stepLimits },
  );
  const items = page.items.map(({ key, states }) => ({
    key: key.subarray(entryPrefixBytes),
    stored: states[0]!,
  }));
  return { items, next: page.next };
}

async function readChunkOf(
  { store, h16 }: StepDeps,
  { chunks: number, digest }: RestoreJob,
  from: Extract<RestoreJob['from'], { kind: 'backup' }>,
): Promise<CopyPage> {
  if (number >= from.chunks) {
    if (digest !== from.digest)
      throw new DamagedBackup(`Backup ${from.backupId} of table ${from.tableName} lacks some of its chunks`);
    return { items: [], next: undefined, digest };
  }
  const key = chunkKey(from.backupStorageId, number);
  const bytes = await store.get(key);
  const place = `Chunk ${number + 1} of ${from.chunks} of backup ${from.backupId} of table ${from.tableName}`;
  if (bytes === undefined) throw new DamagedBackup(`${place} is missing`);
  try {
    const items = decodeChunk(key, bytes, h16);
    // The last chunk is followed by a look at the checksum of all of them.
    return { items, next: key, digest: nextDigest(digest, bytes, h16) };
  } catch (error) {
    throw error instanceof DamagedBackup ? new DamagedBackup(`${place} is damaged: ${error.message}`) : error;
  }
}

/** Lets a table, or a dropped one, go that a job has read. */
export async function releaseTable(
  deps: Pick<StepDeps, 'store' | 'catalogue' | 'begun'>,
  source: PastTable,
  jobId: string,
): Promise<void> {
  const { store, catalogue } = deps;
  await catalogue.change(source.scope, source.tableName, (current) =>
    current?.storageId === source.storageId && current.phases.deletingUntil === undefined
      ? withoutReader(current, jobId)
      : undefined,
  );
  await releaseRetired(store, source.storageId, (reader) => reader === jobId);
  deps.begun();
}

/** Forgets readers of a dropped table. The last one lets its entries be removed. */
export async function releaseRetired(
  store: Store,
  storageId: string,
  isOver: (jobId: string) => boolean,
): Promise<void> {
  const key = retiredKey(storageId);
  await store.transact({
    reads: [key],
    decide: ({ values: [bytes] }) => {
      if (bytes === undefined) return { result: undefined, mutations: [] };
      const record = decodeRecord(bytes);
      const readers = record.readers?.filter(({ jobId }) => !isOver(jobId)) ?? [];
      const value = encodeRecord({ ...record, readers });
      const mutations: Mutation[] =
        readers.length > 0
          ? [{ kind: 'put', key, value }]
          : [
              { kind: 'delete', key },
              { kind: 'put', key: droppedKey(storageId), value },
            ];
      return { result: undefined, mutations };
    },
  });
}

async function releaseSource(deps: StepDeps, job: RestoreJob): Promise<void> {
  const { from } = job;
  if (from.kind === 'table') return releaseTable(deps, from.source, job.id);
  const key = backupKey(from.scope, from.tableName, from.backupId);
  await changeBackup(deps.store, key, ({ restore, ...backup }) => {
    if (restore?.jobId !== job.id) return restore === undefined ? backup : { ...backup, restore };
    return job.activeAt === undefined
      ? backup
      : { ...backup, restore: { jobId: job.id, untilMs: job.activeAt } };
  });
}

/** Undoes what a job did that cannot be finished. The job stays, with its reason. */
async function undo(deps: StepDeps, job: Job, before: Uint8Array): Promise<StepResult> {
  const { store, catalogue, signal } = deps;
  if (job.kind === 'backup') {
    const key = backupKey(job.scope, job.tableName, job.backupId);
    await store.transact({
      reads: [],
      decide: () => ({ result: undefined, mutations: [{ kind: 'delete', key }] }),
    });
    const from = chunkKey(job.backupStorageId);
    await store.deleteRange(from, prefixEnd(from)!, { signal });
    await releaseTable(deps, job.source, job.id);
  }
  if (job.kind === 'restore') {
    await catalogue.change(job.scope, job.tableName, (current) =>
      current?.storageId === job.storageId && current.restore?.jobId === job.id
        ? { drop: current }
        : undefined,
    );
    await releaseSource(deps, job);
    deps.begun();
  }
  await advance(deps, before, { ...job, phase: 'failed' }, []);
  return 'over';
}

async function discard(
  { store, signal }: StepDeps,
  backupStorageId: string,
  jobId: string,
): Promise<StepResult> {
  const from = chunkKey(backupStorageId);
  await store.deleteRange(from, prefixEnd(from)!, { signal });
  return forgetJob(store, jobId);
}

async function forgetJob(store: Store, id: string): Promise<StepResult> {
  await store.transact({
    reads: [],
    decide: () => ({ result: undefined, mutations: [{ kind: 'delete', key: jobKey(id) }] }),
  });
  return 'over';
}

/** Changes a backup, if it is there. */
async function changeBackup(
  store: Store,
  key: Uint8Array,
  change: (backup: BackupRecord) => BackupRecord,
): Promise<void> {
  await store.transact({
    reads: [key],
    decide: ({ values: [bytes] }) => ({
      result: undefined,
      mutations:
        bytes === undefined
          ? []
          : [{ kind: 'put', key, value: encodeBackup(change(decodeBackup(bytes, key))) }],
    }),
  });
}

function withoutNext<J extends { readonly next?: string }>({ next: _, ...job }: J): Omit<J, 'next'> {
  return job;
}

function sizeOf(items: readonly ChunkItem[]): number {
  let bytes = 0;
  for (const { stored } of items) bytes += readItemBytes(stored);
  return bytes;
}
