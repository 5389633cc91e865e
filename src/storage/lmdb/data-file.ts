import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StoreError } from '../store-error.ts';

/**
 * Checks LMDB's data file without LMDB. LMDB trusts its file: a pointer to a page that the file does not have ends
 * the process with a bus error at the first access. So the meta pages are read here before every open, and a damaged
 * file is refused with a message.
 *
 * The layout (LMDB as the `lmdb` package builds it, data version 2, little-endian): every page begins with a header
 * of 24 bytes: page number u64, transaction u64, pad u16, flags u16, and either the bounds of its free space (u16,
 * u16) or, on an overflow page, the number of pages it spans (u32). Pages 0 and 1 are meta pages: magic u32, version
 * u32, address u64, map size u64, two database records of 48 bytes (free pages and main; the first begins with the
 * page size u32, each ends with its root page u64), last page u64, transaction u64. The meta page with the higher
 * transaction is the valid one. Branch and leaf pages have node offsets (u16) after the header, counted from its end.
 */

/** Refuses a file that LMDB cannot safely map. This is cheap: it reads two pages, unless the file looks truncated. */
export function checkDataFile(path: string): void {
  withDataFile(path, (file) => {
    // LMDB does not write pages at the end of the file that one transaction took and freed again. So a short file is
    // not always damaged; only the tree can tell.
    if (file.size < (file.meta.lastPage + 1) * file.meta.pageSize) walk(file);
  });
}

/** Walks every page that the database uses and refuses a file whose structure is damaged. */
export function verifyDataFile(path: string): void {
  withDataFile(path, walk);
}

interface DataFile {
  readonly path: string;
  readonly handle: number;
  readonly size: number;
  readonly meta: Meta;
}

interface Meta {
  readonly pageSize: number;
  readonly lastPage: number;
  readonly transaction: bigint;
  readonly freeRoot: bigint;
  readonly mainRoot: bigint;
}

const magic = 0xbeefc0de;
const pageHeaderBytes = 24;
const nodeHeaderBytes = 8;
const metaBytes = pageHeaderBytes + 136;
const noRoot = 0xffff_ffff_ffff_ffffn;
const branchPage = 0x01;
const leafPage = 0x02;
const overflowPage = 0x04;
const bigData = 0x01;
const subDatabase = 0x02;
const databaseRecordBytes = 48;

function withDataFile(path: string, look: (file: DataFile) => void): void {
  const handle = openIfThere(path);
  if (handle === undefined) return;
  try {
    // LMDB creates the file empty and then writes both meta pages. A process killed in between leaves an empty file.
    if (fstatSync(handle).size === 0) return;
    const meta = latestMeta(path, handle);
    try {
      // The size is read after the meta page. A writer works in the opposite order: it writes the pages before the
      // meta page that refers to them.
      look({ path, handle, size: fstatSync(handle).size, meta });
    } catch (error) {
      // If the transaction has changed, another process wrote meanwhile and the pages belong to two states. The file
      // is intact.
      if (latestMeta(path, handle).transaction === meta.transaction) throw error;
    }
  } finally {
    closeSync(handle);
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function latestMeta(path: string, handle: number): Meta {
  const first = readMeta(handle, 0);
  const second = first === undefined ? undefined : readMeta(handle, first.pageSize);
  if (first === undefined || second === undefined || second.pageSize !== first.pageSize)
    throw damaged(path, 'its first pages are not those of a database');
  const meta = first.transaction >= second.transaction ? first : second;
  for (const root of [meta.freeRoot, meta.mainRoot])
    if (root !== noRoot && root > BigInt(meta.lastPage))
      throw damaged(path, 'its header points beyond its last page');
  return meta;
}

function readMeta(handle: number, at: number): Meta | undefined {
  const page = Buffer.alloc(metaBytes);
  if (readSync(handle, page, 0, metaBytes, at) < metaBytes) return undefined;
  const meta = page.subarray(pageHeaderBytes);
  if (meta.readUInt32LE(0) !== magic) return undefined;
  const pageSize = meta.readUInt32LE(24);
  if (pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0) return undefined;
  return {
    pageSize,
    lastPage: Number(meta.readBigUInt64LE(120)),
    transaction: meta.readBigUInt64LE(128),
    freeRoot: meta.readBigUInt64LE(24 + 40),
    mainRoot: meta.readBigUInt64LE(72 + 40),
  };
}

function walk(file: DataFile): void {
  const seen = new Set<number>();
  const roots = [file.meta.mainRoot];
  while (roots.length > 0)
    walkTree(file, roots.pop()!, seen, (record) => roots.push(record.readBigUInt64LE(40)));
  const freeLists: Buffer[] = [];
  walkTree(file, file.meta.freeRoot, seen, undefined, (list) => freeLists.push(list));
  for (const list of freeLists) claimFree(file, list, seen);
}

/** Visits one tree. Passes the database records in its leaves, or all values, to the callbacks. */
function walkTree(
  file: DataFile,
  root: bigint,
  seen: Set<number>,
  onDatabase?: (record: Buffer) => void,
  onValue?: (value: Buffer) => void,
): void {
  const pending = root === noRoot ? [] : [root];
  while (pending.length > 0) {
    const number = claim(file, pending.pop()!, 1, seen);
    const page = readPage(file, number);
    const flags = page.readUInt16LE(18);
    if (flags !== branchPage && flags !== leafPage)
      throw damaged(file.path, `page ${number} has an unknown kind`);
    for (const node of nodesOf(file, page, number)) {
      const nodeFlags = node.readUInt16LE(4);
      const keyBytes = node.readUInt16LE(6);
      const dataAt = nodeHeaderBytes + keyBytes;
      const low = node.readUInt32LE(0);
      if (flags === branchPage) {
        if (dataAt > node.length) throw damaged(file.path, `page ${number} has a key beyond its end`);
        pending.push(BigInt(low) | (BigInt(nodeFlags) << 32n));
      } else if (nodeFlags & bigData) {
        if (dataAt + 24 > node.length) throw damaged(file.path, `page ${number} has a value beyond its end`);
        const pages = Math.ceil((pageHeaderBytes + low) / file.meta.pageSize);
        const overflow = claim(file, node.readBigUInt64LE(dataAt), pages, seen);
        if (!(readPage(file, overflow).readUInt16LE(18) & overflowPage))
          throw damaged(file.path, `page ${overflow} should hold a large value`);
        onValue?.(readLarge(file, overflow, low));
      } else {
        if (dataAt + low > node.length) throw damaged(file.path, `page ${number} has a value beyond its end`);
        const value = node.subarray(dataAt, dataAt + low);
        onValue?.(value);
        if (nodeFlags & subDatabase && low === databaseRecordBytes) onDatabase?.(value);
      }
    }
  }
}

/** Claims pages for one owner. They must lie within the file, and no page may have two owners. */
function claim(file: DataFile, number: bigint, pages: number, seen: Set<number>): number {
  const first = Number(number);
  if (number > BigInt(file.meta.lastPage) || (first + pages) * file.meta.pageSize > file.size)
    throw damaged(file.path, `it has ${file.size} bytes and needs page ${number}: it was cut short`);
  claimPages(file, first, pages, seen);
  return first;
}

/**
 * Claims the pages of a free list. The list is a count and then that many numbers. A negative number is the length of
 * a run of pages; the number after it is the run's first page. Zeros are unused slots.
 */
function claimFree(file: DataFile, list: Buffer, seen: Set<number>): void {
  const count = list.length < 8 ? -1 : Number(list.readBigUInt64LE(0));
  if (count < 0 || (count + 1) * 8 > list.length)
    throw damaged(file.path, 'a list of its free pages has another length than it says');
  let run = 1;
  for (let at = 8; at <= count * 8; at += 8) {
    const number = Number(list.readBigInt64LE(at));
    if (number < 0) run = -number;
    if (number <= 0) continue;
    // Pages at the end may never have been written, so the file need not contain them.
    if (number + run - 1 > file.meta.lastPage)
      throw damaged(file.path, `page ${number} is free and beyond its last page`);
    claimPages(file, number, run, seen);
    run = 1;
  }
}

function claimPages(file: DataFile, first: number, pages: number, seen: Set<number>): void {
  for (let page = first; page < first + pages; page++) {
    if (page < 2 || seen.has(page)) throw damaged(file.path, `page ${page} is used twice`);
    seen.add(page);
  }
}

/** Reads a value on overflow pages. */
function readLarge(file: DataFile, first: number, length: number): Buffer {
  const value = Buffer.allocUnsafe(length);
  readSync(file.handle, value, 0, length, first * file.meta.pageSize + pageHeaderBytes);
  return value;
}

function readPage(file: DataFile, number: number): Buffer {
  const page = Buffer.allocUnsafe(file.meta.pageSize);
  readSync(file.handle, page, 0, page.length, number * page.length);
  if (page.readBigUInt64LE(0) !== BigInt(number))
    throw damaged(file.path, `page ${number} carries another number`);
  return page;
}

function* nodesOf(file: DataFile, page: Buffer, number: number): Generator<Buffer> {
  const lower = page.readUInt16LE(20);
  const count = lower >> 1;
  if (pageHeaderBytes + lower > page.length) throw damaged(file.path, `page ${number} has too many entries`);
  for (let i = 0; i < count; i++) {
    const at = pageHeaderBytes + page.readUInt16LE(pageHeaderBytes + 2 * i);
    if (at < pageHeaderBytes + lower || at + nodeHeaderBytes > page.length)
      throw damaged(file.path, `page ${number} has an entry beyond its end`);
    yield page.subarray(at);
  }
}

function damaged(path: string, how: string): StoreError {
  return new StoreError(
    'corrupt',
    `The data file ${path} is damaged: ${how}. Nothing was changed. Restore it from a copy, or move it away to begin anew.`,
  );
}
