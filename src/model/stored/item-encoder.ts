import { CanonicalWriter } from '../json/canonical-json.ts';
import type { Item } from '../values/attribute-value.ts';
import { ChangedItemWriter } from './changed-item.ts';
import { SentItem, SentItemWriter } from './sent-item.ts';
import { SharedBuffer } from './shared-buffer.ts';
import { headerBytes, type ItemHeader, writeHeader } from './stored-item.ts';

/** Encodes items into their stored form, one after another in the same working array. */
export class ItemEncoder {
  readonly #room = new SharedBuffer();
  #writer: CanonicalWriter | undefined;
  #changes: ChangedItemWriter | undefined;
  #walker: SentItemWriter | undefined;

  encode(item: Item, header: ItemHeader): Uint8Array {
    this.#writer ??= new CanonicalWriter(writerBytes, headerBytes);
    this.#writer.restart(headerBytes);
    this.#writer.item(item);
    const bytes = this.#writer.finish(this.#room);
    writeHeader(bytes, header);
    return bytes;
  }

  /** Encodes an item that differs from its stored form only in the named attributes, and copies the others. */
  encodeChanged(stored: Uint8Array, after: Item, names: ReadonlySet<string>, header: ItemHeader): Uint8Array {
    this.#changes ??= new ChangedItemWriter(writerBytes, headerBytes);
    this.#changes.restart(headerBytes);
    this.#changes.changed(stored, after, names);
    const bytes = this.#changes.finish(this.#room);
    writeHeader(bytes, header);
    return bytes;
  }

  /**
   * Encodes an item of a request while validating it, and keeps the values of the named attributes. Returns undefined
   * for an item that is invalid or unusual: `readItem` then finds the error, or reads the item. The bytes take up room
   * beside stored items, so use this only for writes that are unlikely to be refused.
   */
  sent(json: unknown, names: ReadonlySet<string>): SentItem | undefined {
    const walker = this.#walker ?? new SentItemWriter(writerBytes, headerBytes);
    // A getter of the caller's object may put another item while this encoder is in use.
    this.#walker = undefined;
    walker.restart(headerBytes);
    const written = walker.sent(json, names);
    const sent = written && new SentItem(written, names, walker.finish(this.#room));
    this.#walker = walker;
    return sent;
  }
}

/** The first length of a working array, which grows with the items. */
const writerBytes = 1_024;
