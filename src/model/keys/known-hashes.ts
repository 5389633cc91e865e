import { copyBytes } from '../values/bytes.ts';
import { hashBytes } from './keys.ts';

/**
 * The hashes of texts that were asked for lately. Requests come back to the same partition keys, and to hash one takes
 * a tenth of the time of a GetItem. A text has two places, which it shares with others: the two that were noted last
 * have them.
 *
 * All of it lies in one stretch of memory, a line of the processor's cache to a place. As objects it would be five
 * visits to memory for each look, and ten thousands of things for the garbage collector to see.
 */
export class KnownHashes {
  /** Made when the first is noted, and larger when many were: many a database is opened and hardly used. */
  #places = new Uint8Array();
  #noted = 0;

  /** Copies the hash of a text to where it is wanted; answers whether it is known. */
  copy(text: string, target: Uint8Array, at: number): boolean {
    if (this.#noted === 0 || text.length > textUnitsMax) return false;
    const places = this.#places;
    const first = firstPlace(text, places.length);
    const place = holds(places, first, text) ? first : first + placeBytes;
    if (place !== first && !holds(places, place, text)) return false;
    const hash = place + hashAt;
    for (let i = 0; i < hashBytes; i++) target[at + i] = places[hash + i]!;
    return true;
  }

  note(text: string, hash: Uint8Array): void {
    if (text.length > textUnitsMax || !isAscii(text)) return;
    if (this.#noted === 0) this.#places = new Uint8Array(fewBytes);
    else if (this.#noted === notedOfFew) this.#places = new Uint8Array(manyBytes);
    this.#noted++;
    const places = this.#places;
    const place = firstPlace(text, places.length);
    places.copyWithin(place + placeBytes, place, place + placeBytes);
    places[place] = text.length + 1;
    for (let i = 0; i < text.length; i++) places[place + textAt + i] = text.charCodeAt(i);
    copyBytes(hash, places, place + hashAt);
  }
}

/** A length and one, so that an empty place has no text; the text; its hash. */
const placeBytes = 64;
const textAt = 1;
const hashAt = placeBytes - hashBytes;
const textUnitsMax = hashAt - textAt;

/** Powers of two. */
const fewBytes = 32 * 1024;
const manyBytes = 1024 * 1024;
const notedOfFew = fewBytes / placeBytes / 2;

/** The hash function of Fowler, Noll and Vo; of each pair of places the first. */
function firstPlace(text: string, bytes: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (Math.imul(hash ^ (hash >>> 16), 2 * placeBytes) & (bytes - 1)) >>> 0;
}

/** What is noted is ASCII, so that each byte is a unit. */
function holds(places: Uint8Array, place: number, text: string): boolean {
  if (places[place] !== text.length + 1) return false;
  for (let i = 0; i < text.length; i++) if (places[place + textAt + i] !== text.charCodeAt(i)) return false;
  return true;
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 0x80) return false;
  return true;
}
