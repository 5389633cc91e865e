import {
  createWriteStream,
  mkdirSync,
  openSync,
  type PathLike,
  statSync,
  type WriteStream,
  writeFileSync,
} from 'node:fs';
import { appendFile, type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Files and directories that may hold what users store: their owner alone may read them, whatever the umask is. All of
 * `src/` creates files through here, or through `shared-files.ts` where a file is made to be shared
 * (`tests/house/files.test.ts`). What exists keeps its mode, which is its owner's decision. Windows knows no modes.
 */
export const privateFileMode = 0o600;
const privateDirectoryMode = 0o700;

/**
 * Creates a directory and its missing parents. Node's recursive `mkdir` never ends on a file system that takes no
 * directories and reports that there is no such path, as /proc does.
 */
export function makePrivateDirectory(directory: string): void {
  if (isDirectory(directory)) return;
  const above = dirname(directory);
  if (above !== directory) makePrivateDirectory(above);
  try {
    mkdirSync(directory, privateDirectoryMode);
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isDirectory(directory)) throw error;
  }
}

export function writePrivateFile(path: string, text: string): void {
  writeFileSync(path, text, { mode: privateFileMode });
}

export async function appendPrivateFile(path: string, text: string): Promise<void> {
  await appendFile(path, text, { mode: privateFileMode });
}

/** Opens a file by flags such as `wx`. */
export function openPrivateFile(path: string, flags: string): Promise<FileHandle> {
  return open(path, flags, privateFileMode);
}

export function openPrivateFileSync(path: string, flags: string): number {
  return openSync(path, flags, privateFileMode);
}

export function privateWriteStream(path: string, flags: string): WriteStream {
  return createWriteStream(path, { flags, mode: privateFileMode });
}

/** Whether users of the machine who own neither the directory nor belong to its group may list or enter it. */
export function isOpenToOthers(directory: PathLike): boolean {
  if (process.platform === 'win32') return false;
  const found = statSync(directory, { throwIfNoEntry: false });
  return found !== undefined && (found.mode & 0o005) !== 0;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
