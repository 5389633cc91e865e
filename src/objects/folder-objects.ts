import { createHash } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { lstat, open, readdir, rename, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  type BucketRequester,
  type Objects,
  ObjectsError,
  type StoredObject,
  type WrittenObject,
} from '../engine/transfers/objects.ts';
import { makePrivateDirectory, openPrivateFile } from '../files/private-files.ts';
import { systemReason } from '../files/system-reason.ts';
import { secrets } from '../runtime/machine/machine.ts';
import { checkOwner } from './bucket-owners.ts';

/**
 * Buckets as folders under one root: the bucket `b` is the folder `<root>/b`, and the key `x/y` the file `x/y` in it.
 *
 * Nothing outside the root is read or written, whatever a caller names: a key may not hold `..`, an absolute path or a
 * zero byte, and symbolic links are neither followed nor listed. A bucket exists when its folder does; as on S3,
 * writing creates none.
 */
export class FolderObjects implements Objects {
  readonly #root: string;
  readonly #requester: BucketRequester | undefined;

  /** Without a requester every bucket may be used, as by the command line on this machine's own folders. */
  constructor(root: string, requester?: BucketRequester) {
    this.#root = root;
    this.#requester = requester;
  }

  forRequester(requester: BucketRequester): FolderObjects {
    return new FolderObjects(this.#root, requester);
  }

  async *list(bucket: string, prefix: string, signal: AbortSignal): AsyncIterable<StoredObject> {
    const folder = await this.#bucketFolder(bucket);
    // The longest folder that all keys with this prefix lie in.
    const parts = prefix.split('/').slice(0, -1);
    if (!parts.every(isSafePart)) return;
    // Every folder on the way is a real one: the walk itself looks at what it finds only.
    let start = folder;
    for (const part of parts) {
      start = join(start, part);
      if ((await lstat(start).catch(() => undefined))?.isDirectory() !== true) return;
    }
    yield* this.#walk(folder, parts.join('/'), prefix, signal);
  }

  async *#walk(
    folder: string,
    within: string,
    prefix: string,
    signal: AbortSignal,
  ): AsyncIterable<StoredObject> {
    const entries = await entriesOf(join(folder, within));
    for (const { entry, sortsAs } of entries.map(withSortName).sort(bySortName)) {
      signal.throwIfAborted();
      const key = within === '' ? entry.name : `${within}/${entry.name}`;
      const isWithin = sortsAs.endsWith('/')
        ? `${key}/`.startsWith(prefix) || prefix.startsWith(`${key}/`)
        : key.startsWith(prefix);
      if (!isWithin || entry.name.startsWith(partPrefix)) continue;
      if (entry.isDirectory()) yield* this.#walk(folder, key, prefix, signal);
      else if (entry.isFile()) yield { key, bytes: (await lstat(join(folder, key))).size };
    }
  }

  async *read(bucket: string, key: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const folder = await this.#bucketFolder(bucket);
    const path = await this.#pathOf(folder, key);
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
      throw wrapped(error, key);
    });
    try {
      const stream = file.createReadStream({ autoClose: false, highWaterMark: readBytes });
      for await (const chunk of stream) {
        signal.throwIfAborted();
        yield chunk as Uint8Array;
      }
    } finally {
      await file.close();
    }
  }

  /** Writes beside the object and renames, so that a process that is killed leaves no half of an object. */
  async write(bucket: string, key: string, body: Uint8Array, signal: AbortSignal): Promise<WrittenObject> {
    const folder = await this.#bucketFolder(bucket, true);
    const path = await this.#pathOf(folder, key, true);
    signal.throwIfAborted();
    const part = join(path, '..', `${partPrefix}${secrets.uuid()}`);
    try {
      const file = await openPrivateFile(part, 'wx');
      try {
        await file.writeFile(body);
        await file.datasync();
      } finally {
        await file.close();
      }
      await rename(part, path);
    } catch (error) {
      await unlink(part).catch(() => {});
      throw wrapped(error, key);
    }
    return { etag: createHash('md5').update(body).digest('hex') };
  }

  async #bucketFolder(bucket: string, isWritten = false): Promise<string> {
    const folder = join(this.#root, bucket);
    if (!isSafePart(bucket)) throw noSuchBucket(bucket);
    const found = await lstat(folder).catch(() => undefined);
    if (found?.isDirectory() !== true) throw noSuchBucket(bucket);
    if (this.#requester !== undefined) await checkOwner(this.#root, bucket, this.#requester, isWritten);
    return folder;
  }

  /** The path of a key, once every folder on the way to it is known to be a real one. */
  async #pathOf(folder: string, key: string, creates = false): Promise<string> {
    const parts = key.split('/');
    if (parts.includes('..'))
      throw new ObjectsError('S3AccessDenied', `The key ${JSON.stringify(key)} leads out of its bucket`);
    if (!parts.every(isSafePart))
      throw new ObjectsError(
        'S3Error',
        `The key ${JSON.stringify(key)} is no path of a file: a part between its slashes is empty, a dot, or has a backslash or a zero byte`,
      );
    let path = folder;
    for (const part of parts.slice(0, -1)) {
      path = join(path, part);
      const found = await lstat(path).catch(() => undefined);
      if (found === undefined && creates) createFolder(path, key);
      else if (found?.isDirectory() !== true)
        throw new ObjectsError('S3NoSuchKey', `There is no object ${JSON.stringify(key)}`);
    }
    return join(path, parts.at(-1)!);
  }
}

/** The names of files that are still being written. */
const partPrefix = '.stator-part-';
const readBytes = 256 * 1024;

function createFolder(path: string, key: string): void {
  try {
    makePrivateDirectory(path);
  } catch (error) {
    throw wrapped(error, key);
  }
}

function isSafePart(part: string): boolean {
  return part !== '' && part !== '.' && part !== '..' && !/[\\/\0]/.test(part);
}

async function entriesOf(path: string): Promise<Dirent[]> {
  try {
    const found = await lstat(path);
    return found.isDirectory() ? await readdir(path, { withFileTypes: true }) : [];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw wrapped(error, basename(path));
  }
}

/** Keys are compared as bytes: a folder `a` stands where its keys `a/…` do, behind `a-b`. */
function withSortName(entry: Dirent): { entry: Dirent; sortsAs: string } {
  return { entry, sortsAs: entry.isDirectory() ? `${entry.name}/` : entry.name };
}

function bySortName(a: { sortsAs: string }, b: { sortsAs: string }): number {
  return Buffer.compare(Buffer.from(a.sortsAs), Buffer.from(b.sortsAs));
}

function noSuchBucket(bucket: string): ObjectsError {
  return new ObjectsError('S3NoSuchBucket', `The bucket ${JSON.stringify(bucket)} does not exist`);
}

function wrapped(error: unknown, key: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const reason = `${JSON.stringify(key)}: ${systemReason(error)}`;
  if (code === 'ENOENT')
    return new ObjectsError('S3NoSuchKey', `There is no object ${JSON.stringify(key)}`, { cause: error });
  if (code === 'EACCES' || code === 'EPERM' || code === 'ELOOP' || code === 'EROFS')
    return new ObjectsError('S3AccessDenied', reason, { cause: error });
  return code === undefined ? error : new ObjectsError('S3Error', reason, { cause: error });
}
