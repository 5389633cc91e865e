import { existsSync, readdirSync, rmSync } from 'node:fs';

/**
 * The name of the first data file of a directory. Each compaction writes the next one: `stator-2.mdb`, `stator-3.mdb`
 * and so on. The file with the highest number is the current one.
 *
 * LMDB derives the name of its lock file from the name of the data file. If a new file took the old name, it would
 * share the lock with a process that has just opened the old file. That process would find the directory in use, or
 * write to a file that is about to be removed. So every file has its own lock, and a process checks after opening a
 * file that it is still the current one.
 */
export const firstFileName = 'stator.mdb';

/** The path of the current file, even if it does not exist yet. */
export function currentFile(directory: string): string {
  return pathOf(directory, Math.max(1, ...numbersIn(directory)));
}

/**
 * The data files that this version does not know by their names. A later version that changes what a data file is gives
 * it another name that begins with `stator` and ends with `.mdb`, so that this version refuses the directory instead of
 * starting with an empty or an old file beside it.
 */
export function unknownFiles(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory).filter((name) => /^stator.*\.mdb$/.test(name) && !dataFileName.test(name));
}

export function hasData(directory: string): boolean {
  try {
    return numbersIn(directory).length > 0;
  } catch {
    return false;
  }
}

/** The path for the file that replaces the current one. */
export function nextFile(directory: string): string {
  return pathOf(directory, Math.max(1, ...numbersIn(directory)) + 1);
}

/** Removes the files before a newer one, with their locks. Another compaction may have written one that is newer still. */
export function removeFilesBefore(directory: string, newer: string): void {
  const kept = numbersIn(directory).find((number) => pathOf(directory, number) === newer);
  if (kept === undefined) return;
  for (const number of numbersIn(directory)) if (number < kept) removeFile(pathOf(directory, number));
}

function removeFile(path: string): void {
  rmSync(path, { force: true });
  rmSync(`${path}-lock`, { force: true });
}

const dataFileName = /^stator(?:-([2-9]|[1-9]\d{1,8}))?\.mdb$/;

function numbersIn(directory: string): number[] {
  return readdirSync(directory).flatMap((name) => {
    const found = dataFileName.exec(name);
    return found === null ? [] : [Number(found[1] ?? 1)];
  });
}

function pathOf(directory: string, number: number): string {
  return `${directory}/${number === 1 ? firstFileName : `stator-${number}.mdb`}`;
}
