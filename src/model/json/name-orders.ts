import { checkAttributeName } from '../values/read-attribute-value.ts';
import { compareUtf8, encodeUtf8, utf8Length } from '../values/utf8.ts';
import { ownCopy } from './json-reader.ts';

/** The attribute names of an item or a map, in the order in which they came and in canonical order. */
export class NameOrder {
  readonly given: readonly string[];
  readonly sorted: readonly string[];
  /** The JSON before each value, `"name":`, by the sorted names. Only orders in the cache have it. */
  readonly heads: readonly Uint8Array[] | undefined;
  #sizes: number | undefined;
  #names: ReadonlySet<string> | undefined;
  #isAmong: readonly boolean[] = [];

  constructor(given: readonly string[], isCached: boolean) {
    this.given = given;
    this.sorted = isInOrder(given) ? given : given.toSorted(compareUtf8);
    this.heads = isCached ? this.sorted.map((name) => encodeUtf8(`${JSON.stringify(name)}:`)) : undefined;
  }

  /** The sum of the names' sizes in DynamoDB's bytes, or `invalidName` if a request may not use one of the names. */
  get bytes(): number {
    this.#sizes ??= sizeOf(this.given);
    return this.#sizes;
  }

  /** Tells for each sorted name whether it is in a set. Caches the answer for the last set. */
  among(names: ReadonlySet<string>): readonly boolean[] {
    if (names !== this.#names) {
      this.#names = names;
      this.#isAmong = this.sorted.map((name) => names.has(name));
    }
    return this.#isAmong;
  }
}

/** Returned in slot of a size. */
export const invalidName = -1;

/**
 * Sorts attribute names. Items of one kind have the same names in the same order, and a database holds few kinds of
 * items, so the order of names that come a second time is cached. Maps whose keys are ids never come again; they do not
 * enter the cache.
 */
export function nameOrder(given: readonly string[]): NameOrder {
  const hash = hashOf(given);
  const slot = (hash ^ (hash >>> 15)) & (slotsMax - 1);
  const cached = cachedOrders[slot];
  if (cached !== undefined && isSame(cached.given, given)) return cached;
  if (seenHashes[slot] !== hash || !isSmall(given)) {
    seenHashes[slot] = hash;
    return new NameOrder(given, false);
  }
  // The names may be slices of a long text, which they would keep in memory.
  const order = new NameOrder(given.map(ownCopy), true);
  cachedOrders[slot] = order;
  return order;
}

/** The size of the cache, a power of two. */
const slotsMax = 256;
const cachedOrders = new Array<NameOrder | undefined>(slotsMax).fill(undefined);
/** The hash of the last names in each slot. */
const seenHashes = new Int32Array(slotsMax);

const namesMax = 64;
const unitsMax = 1_024;

function isSmall(names: readonly string[]): boolean {
  if (names.length > namesMax) return false;
  let units = 0;
  for (const name of names) units += name.length;
  return units <= unitsMax;
}

/** Hashes the length and both ends of each name. */
function hashOf(names: readonly string[]): number {
  let hash = names.length;
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!;
    const last = name.length - 1;
    hash = (Math.imul(hash, 31) + last + (name.charCodeAt(0) << 8) + (name.charCodeAt(last) << 16)) | 0;
  }
  return hash;
}

function sizeOf(names: readonly string[]): number {
  let bytes = 0;
  for (const name of names) {
    if (!name.isWellFormed() || checkAttributeName(name) !== undefined) return invalidName;
    bytes += utf8Length(name);
  }
  return bytes;
}

function isSame(known: readonly string[], given: readonly string[]): boolean {
  if (known.length !== given.length) return false;
  for (let i = 0; i < known.length; i++) if (known[i] !== given[i]) return false;
  return true;
}

function isInOrder(names: readonly string[]): boolean {
  for (let i = 1; i < names.length; i++) if (compareUtf8(names[i - 1]!, names[i]!) > 0) return false;
  return true;
}
