import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The paths of all files of the repository, from its root, with forward slashes. */
export function repositoryFiles(): string[] {
  try {
    const output = execFileSync('git', ['ls-files', '-z'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const files = output.split('\0').filter((path) => path !== '');
    // A source tree unpacked within somebody else's repository has files of which that repository knows nothing.
    if (files.includes('package.json')) return files;
  } catch {
    // There is no git, or this is no repository: the files of a tarball are listed as they lie there.
  }
  return filesUnder('', (name) => !builtFolders.includes(name) && (!name.startsWith('.') || name === '.ci'));
}

/** All files of a folder, given from the root of the repository, and of the folders in it that are wanted. */
export function filesUnder(folder: string, wanted: (name: string) => boolean = () => true): string[] {
  return readdirSync(`${root}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return wanted(entry.name) ? filesUnder(path, wanted) : [];
    return entry.isFile() ? [path] : [];
  });
}

/** The text of a file; empty for one that git knows and somebody has just removed. */
export function textOf(path: string): string {
  try {
    return readFileSync(`${root}/${path}`, 'utf8');
  } catch {
    return '';
  }
}

/** Tests and what only tests use; they may live beside the code, which never imports them. */
export function isOfTests(path: string): boolean {
  return /\.(test|fixture)\.ts$/.test(path);
}

const builtFolders = ['node_modules', 'dist', 'coverage'];
