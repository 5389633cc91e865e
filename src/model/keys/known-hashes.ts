import { copyBytes } from '../values/bytes.ts';
import { hashBytes } from './keys.ts';

/**
 * A cache of hashes of recent texts. Requests return to the same partition keys, and hashing one takes a tenth of the
 * time of a GetItem. Each text has two slots, which it shares with other texts; the last two texts noted occupy them.
 *
 * The cache is one stretch of memory with one processor cache line per slot. Objects would take five memory accesses
 * per look-up, and give the garbage collector tens of thousands of things to visit.
 */
export class KnownHashes {
  /**
   * The slots. They are allocated for the first text and enlarged after many, because many a database is opened and
   * hardly used.
   */
  #slots = new Uint8Array();
  #noted = 0;

  /** Copies the hash of a text to `target`. Returns false if the hash is not in the cache. */
  copy(text: string, target: Uint8Array, at: number): boolean {
    if (this.#noted === 0 || text.length > textUnitsMax) return false;
    const slots = this.#slots;
    const first = firstSlot(text, slots.length);
    const slot = holds(slots, first, text) ? first : first + slotBytes;
    if (slot !== first && !holds(slots, slot, text)) return false;
    const hash = slot + hashAt;
    for (let i = 0; i < hashBytes; i++) target[at + i] = slots[hash + i]!;
    return true;
  }

  note(text: string, hash: Uint8Array): void {
    if (text.length > textUnitsMax || !isAscii(text)) return;
    if (this.#noted === 0) this.#slots = new Uint8Array(fewBytes);
    else if (this.#noted === notedOfFew) this.#slots = new Uint8Array(manyBytes);
    this.#noted++;
    const slots = this.#slots;
    const slot = firstSlot(text, slots.length);
    slots.copyWithin(slot + slotBytes, slot, slot + slotBytes);
    slots[slot] = text.length + 1;
    for (let i = 0; i < text.length; i++) slots[slot + textAt + i] = text.charCodeAt(i);
    copyBytes(hash, slots, slot + hashAt);
  }
}

/** A slot: the text's length plus one (zero marks an empty slot), the text, its hash. */
const slotBytes = 64;
const textAt = 1;
const hashAt = slotBytes - hashBytes;
const textUnitsMax = hashAt - textAt;

/** The sizes of a small and a large cache, powers of two. */
const fewBytes = 32 * 1024;
const manyBytes = 1024 * 1024;
const notedOfFew = fewBytes / slotBytes / 2;

/** The first slot of a text's pair, by the hash function of Fowler, Noll and Vo. */
function firstSlot(text: string, bytes: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (Math.imul(hash ^ (hash >>> 16), 2 * slotBytes) & (bytes - 1)) >>> 0;
}

/** Tells whether a slot holds a text. Cached texts are ASCII, so each byte is one unit. */
function holds(slots: Uint8Array, slot: number, text: string): boolean {
  if (slots[slot] !== text.length + 1) return false;
  for (let i = 0; i < text.length; i++) if (slots[slot + textAt + i] !== text.charCodeAt(i)) return false;
  return true;
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 0x80) return false;
  return true;
}
