import { mkdirSync, writeFileSync } from 'node:fs';

/**
 * Files that are made to be shared, such as a design that goes into a repository: their mode follows the umask, as that of a
 * file from an editor. Whatever may hold items of users goes through `files/private-files.ts`.
 */
export function makeSharedDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true });
}

export function writeSharedFile(path: string, text: string): void {
  writeFileSync(path, text);
}
