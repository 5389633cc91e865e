import { readdirSync, rmSync } from 'node:fs';

/**
 * Which file of a data directory has the data: `stator.mdb` at first, and after compactions `stator-2.mdb`,
 * `stator-3.mdb` and so on, the highest number being the one that counts.
 *
 * A new file under the old name would share LMDB's lock file, which goes by the name, with whoever has just opened the
 * old one, to be told that it is in use or to write to what is about to be removed. So every file has a lock of its own,
 * and whoever has opened a file looks afterwards whether it still counts.
 */
export const firstFileName = 'stator.mdb';

/** The path of the file, also where there is none yet. */
export function currentFile(directory: string): string {
  return pathOf(directory, Math.max(1, ...numbersIn(directory)));
}

export function hasData(directory: string): boolean {
  try {
    return numbersIn(directory).length > 0;
  } catch {
    return false;
  }
}

/** Where a file has to be put to take the place of the current one. */
export function nextFile(directory: string): string {
  return pathOf(directory, Math.max(1, ...numbersIn(directory)) + 1);
}

/** Removes the files that no longer count, with their locks. */
export function removeOldFiles(directory: string): void {
  const current = currentFile(directory);
  for (const number of numbersIn(directory)) {
    const path = pathOf(directory, number);
    if (path !== current) removeFile(path);
  }
}

export function removeFile(path: string): void {
  rmSync(path, { force: true });
  rmSync(`${path}-lock`, { force: true });
}

function numbersIn(directory: string): number[] {
  return readdirSync(directory).flatMap((name) => {
    const found = /^stator(?:-([2-9]|[1-9]\d{1,8}))?\.mdb$/.exec(name);
    return found === null ? [] : [Number(found[1] ?? 1)];
  });
}

function pathOf(directory: string, number: number): string {
  return `${directory}/${number === 1 ? firstFileName : `stator-${number}.mdb`}`;
}
