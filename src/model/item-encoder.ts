import type { Item } from './attribute-value.ts';
import { CanonicalWriter } from './canonical-json.ts';
import { ChangedItemWriter } from './changed-item.ts';
import { SentItem, SentItemWriter } from './sent-item.ts';
import { SharedBuffer } from './shared-buffer.ts';
import { headerBytes, type ItemHeader, writeHeader } from './stored-item.ts';

/** Encodes one item after another, to be stored: without a new array for the writing of each. */
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

  /** An item of which only the attributes of these names are not what they are in its stored form. */
  encodeChanged(stored: Uint8Array, after: Item, names: ReadonlySet<string>, header: ItemHeader): Uint8Array {
    this.#changes ??= new ChangedItemWriter(writerBytes, headerBytes);
    this.#changes.restart(headerBytes);
    this.#changes.changed(stored, after, names);
    const bytes = this.#changes.finish(this.#room);
    writeHeader(bytes, header);
    return bytes;
  }

  /**
   * An item of a request, encoded as it was sent, and its attributes of these names. Undefined for one that is not
   * ordinary, which has to be read the long way, be it to find out what is wrong with it. It takes the room that it will
   * be stored in, so that this is for items that will hardly be refused.
   */
  sent(json: unknown, names: ReadonlySet<string>): SentItem | undefined {
    const walker = this.#walker ?? new SentItemWriter(writerBytes, headerBytes);
    // It is in use: a getter of the caller's object may well put something itself.
    this.#walker = undefined;
    walker.restart(headerBytes);
    const written = walker.sent(json, names);
    const sent = written && new SentItem(written, names, walker.finish(this.#room));
    this.#walker = walker;
    return sent;
  }
}

/** What a writer begins with; it grows with the items. */
const writerBytes = 1_024;
