/**
 * The hashes of texts that were asked for lately. Requests come back to the same partition keys, and to hash one takes
 * a tenth of the time of a GetItem. Each text has one place, which it shares with others: the last one has it.
 *
 * What is kept of a text is its UTF-8: a string may be a part of a larger one, and keep it.
 */
export class KnownHashes {
  /** Made when the first is noted: many a database is opened and hardly used. */
  #known: (Known | undefined)[] | undefined;

  /** Undefined for a text that is not known. Nobody may change what is answered. */
  find(text: string): Uint8Array | undefined {
    if (this.#known === undefined || text.length > textUnitsMax) return undefined;
    const known = this.#known[placeOf(text)];
    return known !== undefined && endsWith(known.bytes, known.start, text) ? known.hash : undefined;
  }

  /** `bytes` are the text in UTF-8 from `start` on. They and the hash are kept. */
  note(text: string, bytes: Uint8Array, start: number, hash: Uint8Array): void {
    if (text.length > textUnitsMax) return;
    this.#known ??= new Array<Known | undefined>(places).fill(undefined);
    this.#known[placeOf(text)] = { bytes, start, hash };
  }
}

interface Known {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly hash: Uint8Array;
}

/** A power of two. */
const places = 8_192;
/** With these, and what stands before them, arrays stay within V8's heap. */
const textUnitsMax = 56;

/** The hash function of Fowler, Noll and Vo. */
function placeOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 16)) & (places - 1);
}

/** Whether the bytes from `start` on are a text of ASCII. Any other text is never found. */
function endsWith(bytes: Uint8Array, start: number, text: string): boolean {
  if (bytes.length - start !== text.length) return false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit !== bytes[start + i] || unit >= 0x80) return false;
  }
  return true;
}
