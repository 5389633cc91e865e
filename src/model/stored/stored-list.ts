import { comma } from '../json/json-marks.ts';
import { headerBytes } from './stored-item.ts';

/** Items in a JSON list, with commas between them; at least one. `write` copies them from where they are. */
export class StoredList {
  /** The length in bytes. */
  readonly length: number;
  readonly #items: readonly Uint8Array[];
  readonly #before: number;

  /** `before` is the number of bytes before the JSON of each item: the header, unless these are not stored items. */
  constructor(items: readonly Uint8Array[], before: number = headerBytes) {
    let length = items.length - 1;
    for (const item of items) length += item.length - before;
    this.length = length;
    this.#items = items;
    this.#before = before;
  }

  /**
   * Writes the list into a buffer with room for it. Returns the position behind it. Each item is copied whole,
   * because a subarray needs a new object and costs twice as much. The header of an item then overwrites the end of
   * the item before it, so the list is written from the last item to the first.
   */
  write(bytes: Uint8Array, at: number): number {
    const before = this.#before;
    const end = at + this.length;
    let place = end;
    for (let i = this.#items.length - 1; i >= 0; i--) {
      const item = this.#items[i]!;
      place -= item.length - before;
      if (place - before >= at) bytes.set(item, place - before);
      else bytes.set(item.subarray(before), place);
      if (i > 0) bytes[--place] = comma;
    }
    return end;
  }

  toBytes(): Uint8Array {
    const bytes = new Uint8Array(this.length);
    this.write(bytes, 0);
    return bytes;
  }
}
