import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { newDirectory } from '../storage/directories.ts';

const run = promisify(execFile);
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** What `npm pack` says of the file that it made. */
export interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
  readonly size: number;
  readonly unpackedSize: number;
}

/** Packs the package as it would be published into a directory. */
export async function pack(directory: string): Promise<Packed> {
  // `npm test` builds before; running a file alone may not have.
  if (!existsSync(join(root, 'dist/index.mjs'))) await run('npm', ['run', 'build'], { cwd: root });
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', directory];
  const answer: Packed[] | Record<string, Packed> = JSON.parse(
    (await run('npm', words, { cwd: root })).stdout,
  );
  // npm answers a list, and newer ones an object by name.
  return (Array.isArray(answer) ? answer : Object.values(answer))[0]!;
}

/**
 * A directory with the projects beside this file, in which the packed package is installed next to links to packages of
 * this repository. Nothing is asked of the registry, so that it needs no network and little time.
 */
export async function packedWorkspace(packages: readonly string[]): Promise<string> {
  const directory = await newDirectory();
  const installed = join(directory, 'node_modules/stator');
  await mkdir(installed, { recursive: true });
  const { filename } = await pack(directory);
  await run('tar', ['-xzf', join(directory, filename), '-C', installed, '--strip-components=1']);
  for (const name of packages) {
    const link = join(directory, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, 'node_modules', name), link, 'junction');
  }
  await cp(fileURLToPath(new URL('projects', import.meta.url)), directory, { recursive: true });
  return directory;
}
