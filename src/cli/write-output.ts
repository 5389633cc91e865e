import { accessSync, constants, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateDirectory, writePrivateFile } from '../files/private-files.ts';
import { makeSharedDirectory, writeSharedFile } from '../files/shared-files.ts';
import { Failure, messageOf } from './failure.ts';

/** `private`: may hold what users store. `shared`: made for others, such as a design in a repository. */
export type FileUse = 'private' | 'shared';

/** Writes whole files or none: what is there already stays until every new text is complete on the disk. */
export function writeWholeFiles(files: ReadonlyMap<string, string>, use: FileUse): void {
  const written: [string, string][] = [];
  try {
    for (const [path, text] of files) {
      makeDirectory(dirname(path), use);
      const temporary = `${path}.${process.pid}.new`;
      written.push([temporary, path]);
      // What a killed process left may have another mode.
      rmSync(temporary, { force: true });
      if (use === 'private') writePrivateFile(temporary, text);
      else writeSharedFile(temporary, text);
    }
    for (const [temporary, path] of written) renameSync(temporary, path);
  } catch (error) {
    for (const [temporary] of written) rmSync(temporary, { force: true });
    throw new Failure(`Nothing was written: ${messageOf(error)}.`, undefined, error);
  }
}

/** Refuses a file that could not be written in the end, before the work that leads to it. */
export function refuseUnwritable(path: string, use: FileUse): void {
  try {
    makeDirectory(dirname(path), use);
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    throw new Failure(`${path} cannot be written: ${messageOf(error)}.`, undefined, error);
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new Failure(`${path} cannot be written: it is a directory.`);
}

function makeDirectory(path: string, use: FileUse): void {
  if (use === 'private') makePrivateDirectory(path);
  else makeSharedDirectory(path);
}
