import { closeSync, fsyncSync, openSync, renameSync, statSync } from 'node:fs';
import { nextFile, removeFile, removeOldFiles } from './current-file.ts';
import { forgetOwners, openEnvironment, syncDirectory } from './lmdb-environment.ts';

/**
 * Copies the data to a new file without the free pages. LMDB keeps free pages for reuse and never returns them to the
 * disk. No process may have the directory open. The old file is the current one until the new file is synced and
 * renamed, so a kill at any moment leaves one of the two. No process can open the directory before that.
 */
export async function compactLmdb(directory: string): Promise<{ bytesBefore: number; bytesAfter: number }> {
  const environment = await openEnvironment({ directory });
  const bytesBefore = statSync(environment.path).size;
  const next = nextFile(environment.directory);
  const copy = `${next}-part`;
  try {
    removeFile(copy);
    await environment.root.backup(copy, true);
    await forgetOwners(copy);
    syncFile(copy);
    renameSync(copy, next);
    syncDirectory(environment.directory);
  } finally {
    removeFile(copy);
    await environment.release();
  }
  removeOldFiles(environment.directory);
  return { bytesBefore, bytesAfter: statSync(next).size };
}

function syncFile(path: string): void {
  const handle = openSync(path, 'r+');
  fsyncSync(handle);
  closeSync(handle);
}
