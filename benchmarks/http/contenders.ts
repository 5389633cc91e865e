import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPeer, type PeerPackage } from './peers.ts';

/** A server that takes part. Those in memory are compared with each other, and those on disk. */
export interface Contender {
  readonly name: string;
  readonly version: string;
  readonly side: 'ours' | 'peer' | 'bare';
  /** `synced` means that an answered write survives a power cut; SQLite as the peers use it does not promise that. */
  readonly keeps: 'in memory' | 'on disk' | 'on disk, synced';
  command(place: Place): Command;
}

/** Where a server listens, and where it may keep its data. */
export interface Place {
  readonly port: number;
  readonly directory: string;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export const contenderNames = [
  'stator',
  'stator-lmdb',
  'stator-lmdb-relaxed',
  'stator-lmdb-workers',
  'dynalite',
  'dynoxide',
  'dynoxide-file',
  'extenddb',
  'extenddb-file',
  'bare',
  'bare-lmdb',
  'before',
  'before-lmdb',
  'physics-off',
  'physics-off-lmdb',
  'observe-off',
  'observe-off-lmdb',
] as const;
export type ContenderName = (typeof contenderNames)[number];

/** How many processes `stator-lmdb-workers` has. */
export const workerCount = 2;

export interface Circumstances {
  /** The index of the package as built. */
  readonly index: string;
  /** Given to Node where a server runs on it. */
  readonly nodeFlags: readonly string[];
  /** The built package of another state of the sources, for `before` and `before-lmdb`. */
  readonly against: string | undefined;
}

/** The contender of a name, or why it cannot take part here. */
export function contender(name: ContenderName, circumstances: Circumstances): Contender | string {
  const { index, nodeFlags, against } = circumstances;
  const node = (script: string, ...args: string[]): Command => ({
    file: process.execPath,
    args: [...nodeFlags, scriptPath(script), ...args],
  });
  const isBefore = name === 'before' || name === 'before-lmdb';
  if (isBefore && against === undefined) return `${name} was left out: --against names no build`;
  const start = (port: number, ...flags: string[]) => [
    isBefore ? `${against}/cli/main.js` : `${dirname(index)}/cli/main.js`,
    'start',
    '--quiet',
    '--port',
    String(port),
    ...flags,
  ];
  const statorStart = (port: number, ...flags: string[]): Command => ({
    file: process.execPath,
    args: [...nodeFlags, '--import', scriptPath('inside-stator.js'), ...start(port, ...flags)],
  });
  switch (name) {
    case 'stator':
    case 'before':
      return ours(name, 'in memory', ({ port }) => statorStart(port, '--in-memory'));
    case 'physics-off':
      return ours(name, 'in memory', ({ port }) => statorStart(port, '--in-memory', '--physics', 'off'));
    case 'physics-off-lmdb':
      return ours(name, 'on disk, synced', ({ port, directory }) =>
        statorStart(port, '--data-dir', directory, '--physics', 'off'),
      );
    case 'observe-off':
      return ours(name, 'in memory', ({ port }) => statorStart(port, '--in-memory', '--observe', 'off'));
    case 'observe-off-lmdb':
      return ours(name, 'on disk, synced', ({ port, directory }) =>
        statorStart(port, '--data-dir', directory, '--observe', 'off'),
      );
    case 'stator-lmdb':
    case 'before-lmdb':
      return ours(name, 'on disk, synced', ({ port, directory }) =>
        statorStart(port, '--data-dir', directory),
      );
    case 'stator-lmdb-relaxed':
      return ours(name, 'on disk', ({ port, directory }) =>
        statorStart(port, '--data-dir', directory, '--durability', 'relaxed'),
      );
    case 'stator-lmdb-workers':
      return ours(name, 'on disk, synced', ({ port, directory }) =>
        binary(process.execPath, [
          ...nodeFlags,
          ...start(port, '--data-dir', directory, '--workers', String(workerCount)),
        ]),
      );
    case 'bare':
      return {
        name,
        version: process.version,
        side: 'bare',
        keeps: 'in memory',
        command: ({ port }) => node('bare-server.js', String(port)),
      };
    case 'bare-lmdb':
      return {
        name,
        version: process.version,
        side: 'bare',
        keeps: 'on disk, synced',
        command: ({ port, directory }) => ({
          file: process.execPath,
          args: [...nodeFlags, '--import', tsx, scriptPath('bare-lmdb-server.ts'), String(port), directory],
        }),
      };
    case 'dynalite':
      return peer('dynalite', name, 'in memory', (path, { port }) =>
        node('dynalite-server.js', path, String(port)),
      );
    case 'dynoxide':
      return peer('@dynoxide/linux-x64', name, 'in memory', (path, { port }) =>
        binary(`${path}/dynoxide`, ['serve', '--port', String(port)]),
      );
    case 'dynoxide-file':
      return peer('@dynoxide/linux-x64', name, 'on disk', (path, { port, directory }) =>
        binary(`${path}/dynoxide`, [
          'serve',
          '--port',
          String(port),
          '--db-path',
          `${directory}/data.sqlite`,
        ]),
      );
    case 'extenddb':
      return peer('@extenddb/linux-x64', name, 'in memory', (path, place) =>
        extenddb(path, place.port, ':memory:'),
      );
    case 'extenddb-file':
      return peer('@extenddb/linux-x64', name, 'on disk', (path, { port, directory }) =>
        extenddb(path, port, `${directory}/data.sqlite`),
      );
  }
}

function ours(name: ContenderName, keeps: Contender['keeps'], command: (place: Place) => Command): Contender {
  const version = name.startsWith('before') ? 'before' : /^(physics|observe)-off/.test(name) ? 'off' : 'this';
  return { name, version, side: 'ours', keeps, command };
}

function peer(
  name: PeerPackage,
  contenderName: ContenderName,
  keeps: Contender['keeps'],
  command: (path: string, place: Place) => Command,
): Contender | string {
  const found = findPeer(name);
  if (found === undefined) return `${contenderName} was left out: ${name} does not install on this platform`;
  return {
    name: contenderName,
    version: found.version,
    side: 'peer',
    keeps,
    command: (place) => command(found.path, place),
  };
}

/** A developer-mode build serves without a configuration file; the environment says what a file would. */
function extenddb(path: string, port: number, file: string): Command {
  return {
    ...binary(`${path}/extenddb`, ['serve', '--foreground', '--port', String(port)]),
    env: { EXTENDDB__STORAGE__SQLITE__PATH: file },
  };
}

/** Programs that are not ours do not know to end with us, so the kernel is asked to see to it. */
export function binary(file: string, args: readonly string[]): Command {
  const setpriv = '/usr/bin/setpriv';
  if (!existsSync(setpriv)) return { file, args };
  return { file: setpriv, args: ['--pdeathsig', 'KILL', file, ...args] };
}

/** Found from here: the servers run in folders of their own, where there are no packages. */
const tsx = import.meta.resolve('tsx');

function scriptPath(script: string): string {
  return fileURLToPath(new URL(`servers/${script}`, import.meta.url));
}
