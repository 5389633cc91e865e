import { encodeUtf8 } from '../model/utf8.ts';
import { setOwn } from '../operations/shapes/own-members.ts';

/**
 * Reads the JSON of an answer into plain objects, with bytes for base64 and dates for seconds, as an SDK's client
 * gives them. The JSON is our own and has no white space.
 *
 * It takes a third of the time of `JSON.parse`, for two reasons. It looks at bytes, and strings are parts of one text
 * in which each byte is a character; only a string with others than ASCII, or with an escape, is made by itself. And it
 * expects what it has seen: the attributes of one item follow each other as in the item before, so that the next name
 * is compared and not cut out and looked up, and an attribute value is an object of one known member. The strings keep
 * the whole text in memory, which is why long answers are not read by it (`from-wire.ts`).
 */
export class AnswerReader {
  #bytes = noBytes;
  /** The bytes from `#start` on, each of them as a character. */
  #text = '';
  #start = 0;
  #at = 0;
  #names = new Map<string, Name>();
  #last = new Name('');

  /** Reads the bytes from `start` to the end. */
  read(bytes: Uint8Array, start = 0): unknown {
    this.#bytes = bytes;
    this.#text = Buffer.prototype.latin1Slice.call(bytes, start, bytes.length);
    this.#start = start;
    this.#at = start;
    if (this.#names.size > namesMax) {
      this.#names = new Map();
      this.#last = new Name('');
    }
    const value = this.#value('nothing');
    if (this.#at !== bytes.length) throw this.#unexpected();
    this.#bytes = noBytes;
    this.#text = '';
    return value;
  }

  #value(holds: Holds): unknown {
    switch (this.#bytes[this.#at]) {
      case openBrace:
        return this.#object();
      case quote:
        return holds === 'bytes' ? bytesOf(this.#string()) : this.#string();
      case openBracket:
        return this.#elements(holds === 'list of bytes' ? 'bytes' : 'nothing');
      case letterT:
        return this.#word(trueWord, true);
      case letterF:
        return this.#word(falseWord, false);
      case letterN:
        return this.#word(nullWord, null);
      default: {
        const number = this.#number();
        return holds === 'time' ? new Date(number * 1000) : number;
      }
    }
  }

  /**
   * `{"S":…}`, `{"N":…}`, `{"M":…}`, `{"L":…}` and `{"BOOL":…}` are made at once, since most objects are one of
   * them. A map whose first attribute is called so looks the same, and goes on behind it.
   */
  #object(): object {
    const bytes = this.#bytes;
    const start = this.#at;
    let value: Record<string, unknown>;
    if (bytes[start + 3] === quote && bytes[start + 1] === quote) {
      const letter = bytes[start + 2];
      this.#at = start + 5;
      const isString = bytes[start + 5] === quote;
      if (letter === letterS && isString) value = { S: this.#string() };
      else if (letter === letterUpperN && isString) value = { N: this.#string() };
      else if (letter === letterM) value = { M: this.#value('nothing') };
      else if (letter === letterL) value = { L: this.#value('nothing') };
      else return this.#allMembers(start);
    } else if (bytes[start + 2] === letterB && this.#follows(boolHead)) {
      this.#at = start + boolHead.length;
      value = { BOOL: this.#value('nothing') };
    } else {
      return this.#allMembers(start);
    }
    if (!this.#skip(closeBrace)) this.#members(value);
    return value;
  }

  #allMembers(start: number): object {
    this.#at = start + 1;
    const value = {};
    if (this.#skip(closeBrace)) return value;
    this.#member(value);
    this.#members(value);
    return value;
  }

  /** The members from a comma to the end of their object. */
  #members(target: Record<string, unknown>): void {
    while (this.#skip(comma)) this.#member(target);
    this.#expect(closeBrace);
  }

  #member(target: Record<string, unknown>): void {
    const name = this.#name();
    setOwn(target, name.text, this.#value(name.holds));
  }

  #elements(holds: Holds): unknown[] {
    const elements: unknown[] = [];
    this.#at++;
    if (this.#skip(closeBracket)) return elements;
    do elements.push(this.#value(holds));
    while (this.#skip(comma));
    this.#expect(closeBracket);
    return elements;
  }

  /** A member's name and the colon behind it. */
  #name(): Name {
    const { next } = this.#last;
    if (next !== undefined && this.#follows(next.head)) {
      this.#at += next.head.length;
      this.#last = next;
      return next;
    }
    const text = this.#string();
    this.#expect(colon);
    let name = this.#names.get(text);
    if (name === undefined) {
      name = new Name(ownCopy(text));
      this.#names.set(name.text, name);
    }
    this.#last.next = name;
    this.#last = name;
    return name;
  }

  #string(): string {
    this.#expect(quote);
    const bytes = this.#bytes;
    const start = this.#at;
    let end = start;
    for (; bytes[end] !== quote; end++) {
      const byte = bytes[end];
      if (byte === undefined || byte === backslash || byte >= 0x80) return this.#otherString(start);
    }
    this.#at = end + 1;
    return this.#text.slice(start - this.#start, end - this.#start);
  }

  /** One that is not ASCII, or has an escape; or has no end. */
  #otherString(start: number): string {
    const bytes = this.#bytes;
    let isEscaped = false;
    let end = start;
    for (; bytes[end] !== quote; end++) {
      if (end >= bytes.length) throw this.#unexpected();
      if (bytes[end] !== backslash) continue;
      isEscaped = true;
      end++;
    }
    this.#at = end + 1;
    const text = Buffer.prototype.utf8Slice.call(bytes, start, end);
    return isEscaped ? (JSON.parse(`"${text}"`) as string) : text;
  }

  #number(): number {
    const start = this.#at;
    while (isOfNumber(this.#bytes[this.#at])) this.#at++;
    if (this.#at === start) throw this.#unexpected();
    return Number(this.#text.slice(start - this.#start, this.#at - this.#start));
  }

  #word<Value>(word: Uint8Array, value: Value): Value {
    if (!this.#follows(word)) throw this.#unexpected();
    this.#at += word.length;
    return value;
  }

  #follows(head: Uint8Array): boolean {
    const bytes = this.#bytes;
    const at = this.#at;
    for (let i = 0; i < head.length; i++) if (bytes[at + i] !== head[i]) return false;
    return true;
  }

  #expect(unit: number): void {
    if (!this.#skip(unit)) throw this.#unexpected();
  }

  #skip(unit: number): boolean {
    if (this.#bytes[this.#at] !== unit) return false;
    this.#at++;
    return true;
  }

  /** The bytes are not what we write: a bug, or damage. */
  #unexpected(): Error {
    return new Error(`an answer is not JSON at byte ${this.#at - this.#start} of ${this.#text.length}`);
  }
}

/**
 * What a member's value has to become. Its name alone tells. That is safe, because whatever a client named (an
 * attribute, a table, an index) has an object for its value and never a string, a list or a number: an attribute
 * that is called `B` holds `{"S":"…"}`.
 */
type Holds = 'bytes' | 'list of bytes' | 'time' | 'nothing';

class Name {
  readonly text: string;
  /** As it stands in the JSON. */
  readonly head: Uint8Array;
  readonly holds: Holds;
  /** The name that came after this one the last time. */
  next: Name | undefined;

  constructor(text: string) {
    this.text = text;
    this.head = encodeUtf8(`${JSON.stringify(text)}:`);
    this.holds = holdsOf(text);
  }
}

function holdsOf(name: string): Holds {
  if (name === 'B') return 'bytes';
  if (name === 'BS') return 'list of bytes';
  return name.endsWith('Time') ? 'time' : 'nothing';
}

/** Bytes with memory of their own, not a window into the pool that small Buffers share. */
export function bytesOf(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, 'base64'));
}

/** The same text, without the one that it was cut from. */
function ownCopy(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

function isOfNumber(unit: number | undefined): boolean {
  if (unit === undefined) return false;
  return (
    (unit >= 0x30 && unit <= 0x39) ||
    unit === 0x2e ||
    unit === 0x2d ||
    unit === 0x2b ||
    (unit | 0x20) === 0x65
  );
}

/** Names are remembered, so that there must be an end to them. */
const namesMax = 10_000;

const noBytes: Uint8Array = new Uint8Array();
const trueWord = encodeUtf8('true');
const falseWord = encodeUtf8('false');
const nullWord = encodeUtf8('null');
const boolHead = encodeUtf8('{"BOOL":');
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const letterB = 0x42;
const letterL = 0x4c;
const letterM = 0x4d;
const letterUpperN = 0x4e;
const letterS = 0x53;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const letterF = 0x66;
const letterN = 0x6e;
const letterT = 0x74;
const openBrace = 0x7b;
const closeBrace = 0x7d;
