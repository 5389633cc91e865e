import { writeUint32 } from '../../model/values/bytes.ts';

/**
 * A 64-bit hash of a whole request. Equal requests have the same hash, whatever the order of their members. Different
 * requests almost certainly have different hashes. It protects clients from their own mistakes, not from attackers, so
 * it need not be cryptographic. The SDKs send a token with every transaction, so it must be fast: it builds no text of
 * the request.
 */
export function requestFingerprint(input: object): Uint8Array {
  const hash = new ValueHash();
  hash.take(input);
  const bytes = new Uint8Array(8);
  writeUint32(bytes, 0, hash.low);
  writeUint32(bytes, 4, hash.high);
  return bytes;
}

/** Two 32-bit hashes with different multipliers. */
class ValueHash {
  /** The two halves of the hash of the last value. */
  low = 0;
  high = 0;

  take(value: unknown): void {
    if (typeof value === 'string') this.#takeText(value, kinds.text);
    else if (typeof value !== 'object' || value === null) this.#takeText(String(value), kinds.word);
    else if (Array.isArray(value)) this.#takeList(value);
    else this.#takeStructure(value as Readonly<Record<string, unknown>>);
  }

  #takeText(text: string, kind: number): void {
    let low = kind ^ text.length;
    let high = low;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      low = Math.imul(low ^ unit, lowFactor);
      high = Math.imul(high ^ unit, highFactor);
    }
    this.#set(low, high);
  }

  #takeList(list: readonly unknown[]): void {
    let low = kinds.list ^ list.length;
    let high = low;
    for (const each of list) {
      this.take(each);
      low = Math.imul(low ^ this.low, lowFactor);
      high = Math.imul(high ^ this.high, highFactor);
    }
    this.#set(low, high);
  }

  /** Hashes an object. It adds up the members' hashes, so their order does not matter. */
  #takeStructure(members: Readonly<Record<string, unknown>>): void {
    let low: number = kinds.structure;
    let high: number = kinds.structure;
    for (const name in members) {
      const value = members[name];
      if (value === undefined) continue;
      this.#takeText(name, kinds.name);
      const nameLow = this.low;
      const nameHigh = this.high;
      this.take(value);
      low = (low + mixed(Math.imul(nameLow, lowFactor) ^ this.low)) | 0;
      high = (high + mixed(Math.imul(nameHigh, highFactor) ^ this.high)) | 0;
    }
    this.#set(low, high);
  }

  #set(low: number, high: number): void {
    this.low = mixed(low ^ (high >>> 16));
    this.high = mixed(high ^ (low >>> 16));
  }
}

const kinds = {
  text: 0x10000000,
  word: 0x20000000,
  list: 0x30000000,
  structure: 0x40000000,
  name: 0x50000000,
};
const lowFactor = 0x9e3779b1;
const highFactor = 0x85ebca77;

/** Mixes a number so that every bit of the result depends on every bit of the number (the finalizer of MurmurHash3). */
function mixed(number: number): number {
  let bits = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
