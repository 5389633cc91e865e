import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ABORT, type Database, open, type RootDatabase } from 'lmdb';
import { StoreError } from '../store-error.ts';
import { currentFile } from './current-file.ts';
import { checkDataFile, verifyDataFile } from './data-file.ts';
import { asTrouble } from './lmdb-trouble.ts';
import {
  admit,
  describeSelf,
  giveSignOfLife,
  type Owner,
  removeSignOfLife,
  signOfLifeIntervalMs,
} from './owners.ts';
import { writersAtRest } from './writer-wait.ts';

export interface LmdbOptions {
  readonly directory: string;
  /**
   * `durable` (default): a write is acknowledged after it was synced to disk and survives a power cut.
   * `relaxed`: one sync less per commit; a write survives the end of the process, but a power cut may take back
   * the latest commit, with all writes that shared it. Atomicity holds in both.
   */
  readonly durability?: 'durable' | 'relaxed';
  /** Let other processes that also ask for sharing open the same directory. */
  readonly shared?: boolean;
}

/** The package's types leave out that a read can be made within a given transaction. */
export interface ByteDatabase extends Database<Uint8Array, Uint8Array> {
  getBinary(key: Uint8Array, options?: { transaction?: Transaction }): Buffer | undefined;
  getBinaryFast(key: Uint8Array, options?: { transaction?: Transaction }): Buffer | undefined;
}

export type Transaction = ReturnType<Database['useReadTransaction']>;

/** An opened LMDB file with our databases in it, its format checked and this process among its owners. */
export interface Environment {
  readonly directory: string;
  /** The data file. */
  readonly path: string;
  /** The same by its real name, which is one for all who have it open. */
  readonly file: string;
  readonly root: RootDatabase<Uint8Array, Uint8Array>;
  readonly values: ByteDatabase;
  readonly counters: ByteDatabase;
  readonly log: ByteDatabase;
  readonly logHeads: ByteDatabase;
  release(): Promise<void>;
}

/** Raised with every change of the layout of keys, values or databases in the file. */
const formatVersion = 1;

/**
 * After a process ended without closing the store, its file is walked before it is used: if damage was what ended
 * that process, the next one says so instead of ending the same way. Larger files would make the start too slow.
 */
const verifiedBytesMax = 512 * 1024 * 1024;

export async function openEnvironment(options: LmdbOptions): Promise<Environment> {
  const directory = resolve(options.directory);
  for (;;) {
    const environment = await openCurrent(directory, options);
    if (currentFile(directory) === environment.path) return environment;
    // It was compacted meanwhile.
    await environment.release();
  }
}

async function openCurrent(directory: string, options: LmdbOptions): Promise<Environment> {
  const path = findFile(directory);
  // By its directory's real name: the file itself may be gone any moment.
  const file = join(realpathSync(directory), basename(path));
  await writersAtRest(file);
  const root = openFile(path, directory, options.durability ?? 'durable');
  try {
    const meta = openDatabase(root, 'meta');
    claimFormat(root, meta, directory);
    syncDirectory(directory);
    const { self, foundDead } = enter(root, meta, directory, options.shared ?? false);
    if (foundDead && !self.shared) verifyOrLeave(path, () => leave(root, meta, self));
    const heartbeat = setInterval(
      () => giveSignOfLife(directory, self.token, Date.now()),
      signOfLifeIntervalMs,
    );
    heartbeat.unref();
    return {
      directory,
      path,
      file,
      root,
      values: openDatabase(root, 'values'),
      counters: openDatabase(root, 'counters'),
      log: openDatabase(root, 'log'),
      logHeads: openDatabase(root, 'log-heads'),
      async release() {
        clearInterval(heartbeat);
        await writersAtRest(file);
        leave(root, meta, self);
        removeSignOfLife(directory, self.token);
        await root.close();
      },
    };
  } catch (error) {
    await root.close();
    throw asTrouble(error, directory);
  }
}

function findFile(directory: string): string {
  try {
    makeDirectory(directory);
    const path = currentFile(directory);
    checkDataFile(path);
    return path;
  } catch (error) {
    throw asTrouble(error, directory);
  }
}

/**
 * With all directories above it that are missing. Node's own way to do that never ends where a file system takes no
 * directories and says that there is no such place, as /proc does.
 */
function makeDirectory(directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return;
  const above = dirname(directory);
  if (above !== directory) makeDirectory(above);
  try {
    mkdirSync(directory);
  } catch (error) {
    // Another process may have made it just now.
    if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

function verifyOrLeave(path: string, leave: () => void): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.size > verifiedBytesMax) return;
  try {
    verifyDataFile(path);
  } catch (error) {
    leave();
    throw error;
  }
}

/** A copy of a file that somebody has open names that owner; nobody has the copy open. */
export async function forgetOwners(path: string): Promise<void> {
  const root = openFile(path, path, 'durable');
  root.transactionSync(() => writeOwners(openDatabase(root, 'meta'), []));
  await root.close();
}

function openFile(
  path: string,
  directory: string,
  durability: 'durable' | 'relaxed',
): RootDatabase<Uint8Array, Uint8Array> {
  try {
    return open<Uint8Array, Uint8Array>({
      path,
      noSubdir: true,
      encoding: 'binary',
      keyEncoding: 'binary',
      maxDbs: 8,
      // Fixed when the file is created; with smaller pages a key may have 1,978 bytes only.
      pageSize: 8192,
      // With overlapping sync a commit is visible, and would be acknowledged, before any of it is on disk, and
      // what is left after a power cut depends on how the file is opened next.
      overlappingSync: false,
      // A commit writes its pages, syncs, and then writes the page that makes it count. Without a sync of that
      // last page a power cut can take back the latest commit, and nothing else.
      noMetaSync: durability === 'relaxed',
      // Several event turns' writes are grouped by our own queue.
      eventTurnBatching: false,
    });
  } catch (error) {
    throw asTrouble(error, directory);
  }
}

function openDatabase(root: RootDatabase<Uint8Array, Uint8Array>, name: string): ByteDatabase {
  // The package's types do not know of the encoder, its manual does.
  const options: { name: string; keyEncoding: 'binary' } = { name, keyEncoding: 'binary', ...inPlace };
  return root.openDB(options) as ByteDatabase;
}

/**
 * What `getRange` and `getBinaryFast` answer is the package's own reading buffer, good until its next read: whoever
 * asks checks and copies it at once (`unseal`). The encoding `binary` would first make each value a Buffer with
 * memory of its own, which costs more than all the rest of reading it.
 */
const inPlace = {
  encoder: { encode: (value: Uint8Array) => value, decode: (value: Uint8Array) => value },
};

function claimFormat(
  root: RootDatabase<Uint8Array, Uint8Array>,
  meta: ByteDatabase,
  directory: string,
): void {
  const problem = root.transactionSync(() => {
    const found = meta.getBinary(Buffer.from('format'));
    if (found === undefined) {
      void meta.put(Buffer.from('format'), Buffer.from(String(formatVersion)));
      return undefined;
    }
    const version = Buffer.from(found).toString();
    return version === String(formatVersion) ? undefined : version;
  });
  if (problem !== undefined)
    throw new StoreError(
      'format',
      `The data directory ${directory} has format ${problem}; this version of Stator reads format ${formatVersion}. ` +
        'Use the version of Stator that wrote it, or choose another directory.',
    );
}

function enter(
  root: RootDatabase<Uint8Array, Uint8Array>,
  meta: ByteDatabase,
  directory: string,
  shared: boolean,
): { self: Owner; foundDead: boolean } {
  const self = describeSelf(randomUUID(), shared);
  giveSignOfLife(directory, self.token, Date.now());
  let foundDead = false;
  let refusal: unknown;
  root.transactionSync(() => {
    try {
      const admitted = admit(readOwners(meta), self, directory, Date.now());
      writeOwners(meta, admitted.owners);
      foundDead = admitted.foundDead;
    } catch (error) {
      refusal = error;
      return ABORT;
    }
  });
  if (refusal === undefined) return { self, foundDead };
  removeSignOfLife(directory, self.token);
  throw refusal;
}

function leave(root: RootDatabase<Uint8Array, Uint8Array>, meta: ByteDatabase, self: Owner): void {
  try {
    root.transactionSync(() =>
      writeOwners(
        meta,
        readOwners(meta).filter((owner) => owner.token !== self.token),
      ),
    );
  } catch {
    // A full disk must not keep the store from closing; the entry is seen to be dead once this process ends.
  }
}

function readOwners(meta: ByteDatabase): Owner[] {
  const found = meta.getBinary(Buffer.from('owners'));
  return found === undefined ? [] : (JSON.parse(Buffer.from(found).toString()) as Owner[]);
}

/** Runs inside a transaction only, where a put writes at once. */
function writeOwners(meta: ByteDatabase, owners: readonly Owner[]): void {
  void meta.put(Buffer.from('owners'), Buffer.from(JSON.stringify(owners)));
}

/** The name of a new file is durable only once its directory is synced. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(directory, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
