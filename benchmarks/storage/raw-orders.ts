import { hash } from 'node:crypto';
import type { WireItem } from '../http/items.ts';
import { RawLmdb } from './raw-lmdb.ts';

/**
 * The orders of the HTTP benchmark on the bare lmdb package: each item once under its key and once under that of the
 * index, as JSON, with the reads and the writes that the service's operations need and nothing else.
 */
export class RawOrders {
  readonly #raw: RawLmdb;

  constructor(path: string) {
    this.#raw = new RawLmdb(path);
  }

  /** What `work` puts is on disk when this is answered, together with what others put meanwhile. */
  async commit(work: () => void): Promise<void> {
    await this.#raw.commit(() => {
      work();
      return 0;
    });
  }

  /** Only within a commit, as all that writes. Reads the item that it replaces, as whoever keeps an index has to. */
  put(item: WireItem): void {
    this.putBytes(itemKey(item), indexKey(item), Buffer.from(JSON.stringify(item)));
  }

  putBytes(key: Uint8Array, index: Uint8Array, value: Uint8Array): void {
    this.#raw.db.getBinary(key);
    void this.#raw.db.put(key, value);
    void this.#raw.db.put(index, value);
  }

  update(key: WireItem, change: (item: WireItem) => WireItem): void {
    const item = change(JSON.parse(this.getText(key)) as WireItem);
    const value = Buffer.from(JSON.stringify(item));
    void this.#raw.db.put(itemKey(item), value);
    void this.#raw.db.put(indexKey(item), value);
  }

  isNewToken(token: string): boolean {
    const key = Buffer.from(`token ${token}`);
    if (this.#raw.db.getBinary(key) !== undefined) return false;
    void this.#raw.db.put(key, noBytes);
    return true;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#raw.db.getBinary(key);
  }

  getText(key: WireItem): string {
    return Buffer.from(this.get(itemKey(key)) ?? '{}').toString();
  }

  /** Reads so many items from a key on. */
  range(from: Uint8Array, limit: number): number {
    let bytes = 0;
    for (const { value } of this.#raw.db.getRange({ start: from, limit })) bytes += value.length;
    return bytes;
  }

  close(): Promise<void> {
    return this.#raw.close();
  }
}

const noBytes = new Uint8Array(0);

export function itemKey(item: WireItem): Uint8Array {
  return hashed('item', text(item.pk), text(item.sk));
}

export function indexKey(item: WireItem): Uint8Array {
  return hashed('index', text(item.warehouse), text(item.sk));
}

/** Partition keys lie in the order of a hash, as they do wherever there are partitions. */
function hashed(kind: string, partition: string, sort: string): Uint8Array {
  return Buffer.from(`${kind} ${hash('md5', partition)} ${sort}`);
}

function text(value: object | undefined): string {
  return (value as { readonly S: string }).S;
}
