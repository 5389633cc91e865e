import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** What another user starts: the program, and its first arguments. */
export interface ReadableProgram {
  readonly node: string;
  readonly args: readonly string[];
}

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The command for a process of another user: the sources and the packages that they load, copied to where every user may
 * read. The checkout may lie in a directory that its owner alone may enter, such as root's home.
 */
export async function readableStator(uid: number): Promise<ReadableProgram> {
  const place = await mkdtemp(join(tmpdir(), 'stator-readable-'));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  await cp(join(checkout, 'src'), join(place, 'src'), {
    recursive: true,
    filter: (path) => !path.endsWith('.test.ts'),
  });
  for (const name of ['package.json', 'tsconfig.json'])
    await copyFile(join(checkout, name), join(place, name));
  const { dependencies } = manifestOf(checkout);
  for (const directory of packagesFor([...Object.keys(dependencies ?? {}), 'tsx'])) {
    const target = join(place, relative(checkout, directory));
    await mkdir(dirname(target), { recursive: true });
    // The packages within this one's own node_modules come with it.
    await cp(directory, target, { recursive: true, verbatimSymlinks: true });
  }
  await openToAll(place);
  const main = join(place, 'src/cli/main.ts');
  const { exports } = manifestOf(join(place, 'node_modules/tsx'));
  const tsx = join(place, 'node_modules/tsx', exports!['.'] as string);
  return { node: await nodeFor(uid, place), args: ['--import', tsx, main] };
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
}

function manifestOf(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
}

/** The directories of packages and of all that these depend on, as far as they are installed. */
function packagesFor(names: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const follow = (name: string, from: string) => {
    const places = createRequire(join(from, 'package.json')).resolve.paths(name) ?? [];
    const directory = places
      .map((place) => join(place, name))
      .find((path) => existsSync(join(path, 'package.json')));
    if (directory === undefined || found.has(directory)) return;
    found.add(directory);
    const { dependencies, optionalDependencies } = manifestOf(directory);
    for (const other of Object.keys({ ...dependencies, ...optionalDependencies })) follow(other, directory);
  };
  for (const name of names) follow(name, checkout);
  return found;
}

async function openToAll(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), 0o755);
}

/** This Node, or a copy of it where the user may not run it. */
async function nodeFor(uid: number, place: string): Promise<string> {
  const tried = spawnSync(process.execPath, ['--version'], { uid, gid: uid, cwd: place });
  if (tried.status === 0) return process.execPath;
  const copy = join(place, 'node');
  await copyFile(process.execPath, copy);
  await chmod(copy, 0o755);
  return copy;
}
