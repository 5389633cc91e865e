import { closeSync, fsyncSync, openSync, realpathSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ABORT, type Database, open, type RootDatabase } from 'lmdb';
import { makePrivateDirectory, privateFileMode } from '../../files/private-files.ts';
import { machine, secrets } from '../../runtime/machine/machine.ts';
import { StoreError } from '../store-error.ts';
import { currentFile, unknownFiles } from './current-file.ts';
import { checkDataFile, verifyDataFile } from './data-file.ts';
import { type Heartbeat, startHeartbeat } from './heartbeat.ts';
import { asTrouble } from './lmdb-trouble.ts';
import { mapBytes } from './map-size.ts';
import {
  admit,
  decodeOwners,
  describeSelf,
  encodeOwners,
  giveSignOfLife,
  noteOpening,
  type Owner,
  removeOpening,
  removeSignOfLife,
} from './owners.ts';
import { writersAtRest } from './writer-wait.ts';

export interface LmdbOptions {
  readonly directory: string;
  /**
   * `durable` (default): a write is acknowledged after it was synced to disk, and survives a power cut. `relaxed`:
   * one sync less per commit; a write survives the end of the process, but a power cut may undo the latest commit
   * with all writes in it. Both are atomic.
   */
  readonly durability?: 'durable' | 'relaxed';
  /** Lets other processes open the same directory, if they ask for sharing too. */
  readonly shared?: boolean;
}

/** A database of bytes. The package's types omit that a read can use a given transaction. */
export interface ByteDatabase extends Database<Uint8Array, Uint8Array> {
  getBinary(key: Uint8Array, options?: { transaction?: Transaction }): Buffer | undefined;
  getBinaryFast(key: Uint8Array, options?: { transaction?: Transaction }): Buffer | undefined;
}

export type Transaction = ReturnType<Database['useReadTransaction']>;

/** An open LMDB file with our databases. Its format is checked, and this process is among its owners. */
export interface Environment {
  readonly directory: string;
  /** The data file. */
  readonly path: string;
  /** The real path of the data file, which is the same for every process that has it open. */
  readonly file: string;
  readonly root: RootDatabase<Uint8Array, Uint8Array>;
  readonly values: ByteDatabase;
  readonly counters: ByteDatabase;
  readonly log: ByteDatabase;
  readonly logHeads: ByteDatabase;
  readonly heartbeat: Heartbeat;
  release(): Promise<void>;
}

/** The format version. Every change of the layout of keys, values or databases increments it. */
const formatVersion = 1;

/**
 * The largest file that is verified. If a process ended without closing the store, the next one walks the file before
 * using it: if damage ended that process, the next one reports it instead of ending the same way. Larger files would
 * make the start too slow.
 */
const verifiedBytesMax = 512 * 1024 * 1024;

export async function openEnvironment(options: LmdbOptions): Promise<Environment> {
  const directory = resolve(options.directory);
  for (;;) {
    const environment = await openCurrent(directory, options);
    if (currentFile(directory) === environment.path) return environment;
    // Another process has compacted it meanwhile.
    await environment.release();
  }
}

/**
 * Opens the file that is current. A note tells that somebody is about to open a file he has looked up: a compaction that has
 * replaced the file waits for the notes that were there before. If the file went while it is being opened, LMDB would
 * fail, and the package crashes when LMDB fails there (lmdb 3.5.6 deletes its notes of the environment twice).
 */
async function openCurrent(directory: string, options: LmdbOptions): Promise<Environment> {
  const token = secrets.uuid();
  try {
    makePrivateDirectory(directory);
    noteOpening(directory, token);
  } catch (error) {
    throw asTrouble(error, directory);
  }
  try {
    return await openNoted(directory, options);
  } finally {
    removeOpening(directory, token);
  }
}

async function openNoted(directory: string, options: LmdbOptions): Promise<Environment> {
  const path = findFile(directory);
  const file = join(realpathSync(directory), basename(path));
  await writersAtRest(file);
  const root = openFile(path, directory, options.durability ?? 'durable');
  try {
    const meta = openDatabase(root, 'meta');
    claimFormat(root, meta, directory);
    syncDirectory(directory);
    const { self, foundDead } = enter(root, meta, directory, options.shared ?? false);
    if (foundDead && !self.shared) verifyOrLeave(path, () => leave(root, meta, self));
    const heartbeat = startHeartbeat({
      ...{ directory, path, self },
      readOwners: () => {
        // The list may have changed since the package began its read transaction.
        root.resetReadTxn();
        return readOwners(meta);
      },
    });
    return {
      directory,
      path,
      file,
      root,
      values: openDatabase(root, 'values'),
      counters: openDatabase(root, 'counters'),
      log: openDatabase(root, 'log'),
      logHeads: openDatabase(root, 'log-heads'),
      heartbeat,
      async release() {
        heartbeat.stop();
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
    const [unknown] = unknownFiles(directory);
    if (unknown !== undefined)
      throw new StoreError(
        'format',
        `The data directory ${directory} has the file ${unknown}, which this version of Stator does not know. ` +
          'Open it with the version that wrote it, or a later one.',
      );
    const path = currentFile(directory);
    checkDataFile(path);
    return path;
  } catch (error) {
    throw asTrouble(error, directory);
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

/** Clears the list of owners in a copied file. The copy still lists the owner of the original. */
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
    const mapSize = mapBytes(path);
    return open<Uint8Array, Uint8Array>({
      path,
      ...(mapSize !== undefined && { mapSize }),
      // Of the data file and of its lock, if they are new. The package's types omit it.
      ...{ permissionsMode: privateFileMode },
      noSubdir: true,
      encoding: 'binary',
      keyEncoding: 'binary',
      maxDbs: 8,
      // The page size is fixed when the file is created. With smaller pages, keys are limited to 1,978 bytes.
      pageSize: 8192,
      // With overlapping sync a commit is visible, and would be acknowledged, before any of it is on disk. What is
      // left after a power cut then depends on how the file is opened next.
      overlappingSync: false,
      // A commit writes its pages, syncs, and then writes the meta page that makes it valid. Without a sync of the
      // meta page a power cut can undo the latest commit, and nothing else.
      noMetaSync: durability === 'relaxed',
      // Our own queue groups the writes of several event turns.
      eventTurnBatching: false,
    });
  } catch (error) {
    throw asTrouble(error, directory);
  }
}

function openDatabase(root: RootDatabase<Uint8Array, Uint8Array>, name: string): ByteDatabase {
  // The package's types omit the encoder; its manual documents it.
  const options: { name: string; keyEncoding: 'binary' } = { name, keyEncoding: 'binary', ...inPlace };
  return root.openDB(options) as ByteDatabase;
}

/**
 * Returns values without copying them. The package then returns its own read buffer, which is valid until its next
 * read; the caller checks and copies it at once (`unseal`). The encoding `binary` would give each value a Buffer with
 * memory of its own, which costs more than the rest of the read.
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
  const self = describeSelf(secrets.uuid(), shared);
  giveSignOfLife(directory, self.token, machine.nowMs());
  let foundDead = false;
  let refusal: unknown;
  root.transactionSync(() => {
    try {
      const admitted = admit(readOwners(meta), self, directory, machine.nowMs());
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
    // A full disk must not keep the store from closing. Once this process ends, others see that the entry is dead.
  }
}

function readOwners(meta: ByteDatabase): readonly Owner[] {
  const found = meta.getBinary(Buffer.from('owners'));
  return found === undefined ? [] : decodeOwners(found);
}

/** Must run inside a transaction, where a put writes at once. */
function writeOwners(meta: ByteDatabase, owners: readonly Owner[]): void {
  void meta.put(Buffer.from('owners'), encodeOwners(owners));
}

/** Syncs a directory. The name of a new file is durable only after that. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(directory, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
