import { type Database, open, type RootDatabase } from 'lmdb';
import { hashOf, isExpected, type Write } from './items.ts';

/**
 * What somebody who knows LMDB well would write without us: the same options, everything in the root database, and
 * a group commit of the least there can be. Like ours it takes its group when LMDB is ready for it and acknowledges
 * after the flush; unlike ours it cannot take a group back, has no checksums, no log, and trusts its callers.
 */
export class RawLmdb {
  readonly db: RootDatabase<Uint8Array, Uint8Array>;
  #queue: Job[] = [];
  #committing = false;

  constructor(path: string) {
    this.db = open<Uint8Array, Uint8Array>({
      path,
      noSubdir: true,
      encoding: 'binary',
      keyEncoding: 'binary',
      pageSize: 8192,
      overlappingSync: false,
      eventTurnBatching: false,
    });
  }

  async fill(writes: readonly Write[]): Promise<void> {
    await this.db.transaction(() => {
      for (const { key, value } of writes) void this.db.put(key, value);
    });
  }

  /** Puts each item if it is as expected, all in one commit, and answers a hash of what was found. */
  conditionalPuts(writes: readonly Write[]): Promise<number> {
    return this.commit(() => putAll(this.db, writes));
  }

  /** Does something within the next commit, and answers when that is on disk. */
  commit(work: () => number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ work, resolve, reject });
      if (!this.#committing) void this.#commitAll();
    });
  }

  close(): Promise<void> {
    return this.db.close();
  }

  async #commitAll(): Promise<void> {
    this.#committing = true;
    while (this.#queue.length > 0) {
      let group: Job[] = [];
      let hashes: number[] = [];
      try {
        await this.db.transaction(() => {
          group = this.#queue;
          this.#queue = [];
          hashes = group.map((job) => job.work());
        });
        for (let i = 0; i < group.length; i++) group[i]!.resolve(hashes[i]!);
      } catch (error) {
        for (const job of group) job.reject(error);
      }
    }
    this.#committing = false;
  }
}

interface Job {
  readonly work: () => number;
  readonly resolve: (hash: number) => void;
  readonly reject: (error: unknown) => void;
}

function putAll(db: Database<Uint8Array, Uint8Array>, writes: readonly Write[]): number {
  let hash = 0;
  for (const write of writes) {
    const found = db.getBinary(write.key);
    if (!isExpected(found, write)) continue;
    void db.put(write.key, write.value);
    hash = (hash + hashOf(found)) | 0;
  }
  return hash;
}
