import { CanonicalCursor } from '../json/canonical-cursor.ts';
import { CanonicalWriter } from '../json/canonical-json.ts';
import { backslash, closeBrace, colon, comma, openBrace, quote } from '../json/json-marks.ts';
import { nameOrder } from '../json/name-orders.ts';
import type { AttributeValue, Item } from '../values/attribute-value.ts';
import { compareUtf8 } from '../values/utf8.ts';
import { jsonStart } from './stored-item.ts';

/**
 * Encodes an item that differs from a stored item in a few attributes. It encodes these attributes and copies the bytes
 * of the others. It copies everything after the last changed attribute without looking at it.
 */
export class ChangedItemWriter extends CanonicalWriter {
  #isFirst = true;

  /** `after` has the new values of the named attributes. The item loses a named attribute that `after` does not have. */
  changed(stored: Uint8Array, after: Item, names: ReadonlySet<string>): void {
    const cursor = new CanonicalCursor(stored, jsonStart(stored));
    this.#isFirst = true;
    cursor.expect(openBrace);
    this.unit(openBrace);
    for (const name of names.size > 1 ? nameOrder([...names]).sorted : names)
      this.#change(cursor, name, after.get(name));
    this.#copy(cursor, cursor.at, stored.length - 1);
    this.unit(closeBrace);
  }

  /** Copies the members before an attribute, then writes its new value in place of the stored one. */
  #change(cursor: CanonicalCursor, name: string, value: AttributeValue | undefined): void {
    const start = cursor.at;
    let order = -1;
    while (cursor.bytes[cursor.at] === quote) {
      order = compareName(cursor, name);
      if (order >= 0) break;
      passMember(cursor);
    }
    this.#copy(cursor, start, cursor.at);
    if (order === 0) passMember(cursor);
    if (value === undefined) return;
    this.#separate();
    this.string(name);
    this.unit(colon);
    this.value(value);
  }

  /** Copies whole members, but not the comma behind the last. */
  #copy({ bytes }: CanonicalCursor, start: number, end: number): void {
    if (start === end) return;
    this.#separate();
    this.part(bytes, start, bytes[end - 1] === comma ? end - 1 : end);
  }

  #separate(): void {
    if (!this.#isFirst) this.unit(comma);
    this.#isFirst = false;
  }
}

/** Compares the name at the cursor with another name, in canonical order. */
function compareName(cursor: CanonicalCursor, name: string): number {
  const { bytes } = cursor;
  const start = cursor.at + 1;
  for (let i = 0; ; i++) {
    const byte = bytes[start + i]!;
    if (byte === quote) return i - name.length;
    const unit = name.charCodeAt(i);
    if (Number.isNaN(unit)) return 1;
    if (byte === backslash || byte >= 0x80 || unit >= 0x80) return compareUtf8(cursor.peekString(), name);
    if (byte !== unit) return byte - unit;
  }
}

/** Passes a name, its value and the comma behind them. */
function passMember(cursor: CanonicalCursor): void {
  cursor.passString();
  cursor.expect(colon);
  cursor.passValue();
  cursor.take(comma);
}
