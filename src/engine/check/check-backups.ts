import { readUint32 } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import type { Reader } from '../../storage/store.ts';
import { type BackupRecord, decodeBackup } from '../backups/backup-record.ts';
import { decodeChunk, firstDigest, nextDigest } from '../backups/chunks.ts';
import { decodeJob, type Job } from '../backups/job.ts';
import {
  backupKey,
  backupKind,
  chunkKey,
  chunkKind,
  jobKey,
  jobKind,
  jobsLeaseKind,
  retiredKind,
  storageIdBytes,
} from '../store-keys.ts';
import { decodeRecord } from '../tables/table-record.ts';
import type { CheckResults } from './check-report.ts';
import type { CheckContext } from './check-table.ts';
import { rangeOfKind } from './known-kinds.ts';
import { isAboutTable, notesOf } from './notes.ts';
import { pagesOf } from './range-pages.ts';
import { hasLost } from './readable-states.ts';
import { shownError } from './shown.ts';
import { checkLease } from './single-record.ts';
import { addUnknownKey } from './unknown-key.ts';

/** The storage ids of dropped tables that jobs still read: their entries are no orphans. */
export async function checkRetired(reader: Reader, results: CheckResults): Promise<string[]> {
  const ids: string[] = [];
  for await (const { key, value, place } of notesOf(reader, retiredKind, isAboutTable, results)) {
    ids.push(place.storageId);
    try {
      decodeRecord(value);
    } catch (error) {
      const expected = 'the record of a dropped table that jobs still read';
      results.add({ kind: 'backup-job', storeKey: toHex(key), expected, found: shownError(error) });
    }
  }
  return ids;
}

/** Every backup has all its chunks, whole and in their order, and every chunk belongs to a backup or a job. */
export async function checkBackups(context: CheckContext, results: CheckResults): Promise<void> {
  const { states } = context;
  const reader = await (states.isOld ? states.next() : states.current());
  const jobs = await readJobs(reader, results);
  const backups = await readBackups(reader, results);
  const owners = new Set([
    ...backups.map(({ storageId }) => storageId),
    ...jobs.flatMap((job) => ('backupStorageId' in job ? [job.backupStorageId] : [])),
  ]);
  for (const backup of backups) await checkChunks(context, backup, results);
  if (hasLost(reader, backupKind) || hasLost(reader, jobKind)) {
    results.leaveOut({ what: 'chunks without a backup', why: 'a backup or job is damaged' });
    return;
  }
  await checkOrphanChunks(context, owners, results);
}

async function readJobs(reader: Reader, results: CheckResults): Promise<Job[]> {
  const jobs: Job[] = [];
  const { from, to } = rangeOfKind(jobKind);
  for await (const page of pagesOf(reader, from, to))
    for (const { key, value } of page)
      try {
        const job = decodeJob(value, key);
        if (toHex(jobKey(job.id)) !== toHex(key)) addUnknownKey(key, value, results);
        jobs.push(job);
      } catch (error) {
        const expected = 'a backup or restore that is under way';
        results.add({ kind: 'backup-job', storeKey: toHex(key), expected, found: shownError(error) });
      }
  const lease = { kind: 'backup-job', expected: 'who does backups and restores' } as const;
  await checkLease(reader, jobsLeaseKind, lease, results);
  return jobs;
}

async function readBackups(reader: Reader, results: CheckResults): Promise<BackupRecord[]> {
  const backups: BackupRecord[] = [];
  const { from, to } = rangeOfKind(backupKind);
  for await (const page of pagesOf(reader, from, to))
    for (const { key, value } of page)
      try {
        const backup = decodeBackup(value, key);
        const own = backupKey(backup, backup.table.tableName, backup.id);
        if (toHex(own) !== toHex(key)) addUnknownKey(key, value, results);
        else backups.push(backup);
      } catch (error) {
        results.add({
          kind: 'backup-record',
          storeKey: toHex(key),
          expected: 'a backup',
          found: shownError(error),
        });
      }
  return backups;
}

async function checkChunks(
  context: CheckContext,
  backup: BackupRecord,
  results: CheckResults,
): Promise<void> {
  const { account, region, table, id, storageId, chunks, status } = backup;
  if (status !== 'AVAILABLE') return;
  const place = { kind: 'backup-chunk', account, region, table: table.tableName } as const;
  const { states, h16, stepped } = context;
  let digest = firstDigest;
  for (let number = 0; number < chunks; number++) {
    const key = chunkKey(storageId, number);
    const reader = await (states.isOld ? states.next() : states.current());
    const at = {
      ...place,
      storeKey: toHex(key),
      expected: `chunk ${number + 1} of ${chunks} of backup ${id}`,
    };
    try {
      const bytes = await reader.get(key);
      if (bytes === undefined) {
        // The backup may have been deleted meanwhile.
        if ((await reader.get(backupKey(backup, table.tableName, id))) === undefined) return;
        results.add({ ...at, found: 'none' });
        return;
      }
      decodeChunk(key, bytes, h16);
      digest = nextDigest(digest, bytes, h16);
    } catch (error) {
      results.add({ ...at, found: shownError(error) });
      return;
    }
    await stepped(0);
  }
  if (digest !== backup.digest)
    results.add({
      ...place,
      expected: `the checksum ${backup.digest} of all chunks of ${id}`,
      found: digest,
    });
}

/** From backup to backup, one read for each. Backups may come and go meanwhile, so the suspects are looked at again. */
async function checkOrphanChunks(
  { states, stepped }: CheckContext,
  owners: ReadonlySet<string>,
  results: CheckResults,
): Promise<void> {
  const { from: start, to } = rangeOfKind(chunkKind);
  for (let from = start; ; ) {
    const reader = await (states.isOld ? states.next() : states.current());
    const { entries } = await reader.range({ from, to, limit: 1 });
    const key = entries[0]?.key;
    if (key === undefined) return;
    const storageId = toHex(key.subarray(1, 1 + storageIdBytes));
    if (
      key.length !== 1 + storageIdBytes + 4 ||
      !(owners.has(storageId) || (await isOwned(reader, storageId)))
    )
      results.add({
        kind: 'backup-chunk',
        storeKey: toHex(key),
        expected: 'a backup that it belongs to',
        found: `chunk ${readUint32(key, key.length - 4) + 1} of none`,
      });
    from = chunkKey(storageId, 0xffffffff);
    await stepped(0);
  }
}

async function isOwned(reader: Reader, storageId: string): Promise<boolean> {
  const ignored = { add: () => {} } as unknown as CheckResults;
  const jobs = await readJobs(reader, ignored);
  if (jobs.some((job) => 'backupStorageId' in job && job.backupStorageId === storageId)) return true;
  return (await readBackups(reader, ignored)).some((backup) => backup.storageId === storageId);
}
