import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dataFileName, forgetOwners, openEnvironment, syncDirectory } from './lmdb-environment.ts';

/**
 * Rewrites the data file without its free pages, which LMDB keeps for reuse and never gives back to the disk.
 * Nobody may have the directory open. The old file stays until the new one is synced and takes its name in one
 * step, so that a kill at any moment leaves one of the two.
 */
export async function compactLmdb(directory: string): Promise<{ bytesBefore: number; bytesAfter: number }> {
  const environment = await openEnvironment({ directory });
  const path = `${environment.directory}/${dataFileName}`;
  const copy = `${path}-compact`;
  const bytesBefore = statSync(path).size;
  try {
    rmSync(copy, { force: true });
    await environment.root.backup(copy, true);
    await forgetOwners(copy);
    syncFile(copy);
  } finally {
    await environment.release();
  }
  renameSync(copy, path);
  syncDirectory(environment.directory);
  return { bytesBefore, bytesAfter: statSync(path).size };
}

function syncFile(path: string): void {
  const handle = openSync(path, 'r+');
  fsyncSync(handle);
  closeSync(handle);
}
