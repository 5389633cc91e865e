import { accessSync, constants, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure, messageOf } from './failure.ts';

/** Writes whole files or none: what is there already stays until every new text is complete on the disk. */
export function writeWholeFiles(files: ReadonlyMap<string, string>, mode?: number): void {
  const written: [string, string][] = [];
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(path), { recursive: true });
      const temporary = `${path}.${process.pid}.new`;
      written.push([temporary, path]);
      writeFileSync(temporary, text, mode === undefined ? {} : { mode });
    }
    for (const [temporary, path] of written) renameSync(temporary, path);
  } catch (error) {
    for (const [temporary] of written) rmSync(temporary, { force: true });
    throw new Failure(`Nothing was written: ${messageOf(error)}.`, undefined, error);
  }
}

/** Refuses a file that could not be written in the end, before the work that leads to it. */
export function refuseUnwritable(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    throw new Failure(`${path} cannot be written: ${messageOf(error)}.`, undefined, error);
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new Failure(`${path} cannot be written: it is a directory.`);
}
