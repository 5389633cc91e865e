import { comma } from '../json/json-marks.ts';
import { headerBytes } from './stored-item.ts';

/** Items as they stand in a list of JSON, with commas between; at least one. They are copied from where they are. */
export class StoredList {
  /** How many bytes it has. */
  readonly length: number;
  readonly #items: readonly Uint8Array[];
  readonly #before: number;

  /** `before` is how much stands before the JSON of each: a header, unless they are something else than stored items. */
  constructor(items: readonly Uint8Array[], before: number = headerBytes) {
    let length = items.length - 1;
    for (const item of items) length += item.length - before;
    this.length = length;
    this.#items = items;
    this.#before = before;
  }

  /**
   * Into memory that has room for it; answers where it ends. Items are copied whole, since a part of an array needs a
   * new object and costs twice as much. What stands before the JSON of an item falls on the end of the item before it,
   * which is why the last comes first.
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
