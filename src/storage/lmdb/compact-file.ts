import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateDirectory, privateFileMode } from '../../files/private-files.ts';
import { machine } from '../../runtime/machine/machine.ts';
import { nextFile, removeFilesBefore } from './current-file.ts';
import { forgetOwners, openEnvironment, syncDirectory } from './lmdb-environment.ts';
import { openingNotes } from './owners.ts';

/**
 * Copies the data to a new file without the free pages. LMDB keeps free pages for reuse and never returns them to the
 * disk. No process may have the directory open. The old file is the current one until the new file is synced and
 * renamed, so a kill at any moment leaves one of the two. No process can open the directory before that. The old file goes
 * once nobody can be opening it any more.
 */
export async function compactLmdb(directory: string): Promise<{ bytesBefore: number; bytesAfter: number }> {
  const environment = await openEnvironment({ directory });
  const bytesBefore = statSync(environment.path).size;
  const next = nextFile(environment.directory);
  // LMDB lets the umask decide on the mode of a copy: until it is changed, the copy lies where its owner alone can go.
  const folder = `${next}-part`;
  const copy = join(folder, 'copy.mdb');
  try {
    rmSync(folder, { recursive: true, force: true });
    makePrivateDirectory(folder);
    await environment.root.backup(copy, true);
    chmodSync(copy, privateFileMode);
    await forgetOwners(copy);
    syncFile(copy);
    renameSync(copy, next);
    syncDirectory(environment.directory);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await environment.release();
  }
  const bytesAfter = statSync(next).size;
  if (await openersAreGone(environment.directory)) removeFilesBefore(environment.directory, next);
  return { bytesBefore, bytesAfter };
}

/**
 * Waits until everybody who may have looked up the old file has opened it, or was refused. Whoever comes now finds the new
 * one. An opener that was killed leaves its note for some seconds; then the old file stays until the next compaction.
 */
async function openersAreGone(directory: string): Promise<boolean> {
  const openers = [...openingNotes(directory, machine.nowMs())];
  for (let waitedMs = 0; waitedMs <= openersMsMax; waitedMs += lookMs) {
    const notes = openingNotes(directory, machine.nowMs());
    if (!openers.some((token) => notes.has(token))) return true;
    await machine.sleep(lookMs);
  }
  return false;
}

const openersMsMax = 5_000;
const lookMs = 20;

function syncFile(path: string): void {
  const handle = openSync(path, 'r+');
  fsyncSync(handle);
  closeSync(handle);
}
