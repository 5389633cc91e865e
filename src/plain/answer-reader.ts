import { CompactJsonReader, units } from '../model/compact-json.ts';
import { setOwn } from '../operations/shapes/own-members.ts';

/**
 * Reads the JSON of an answer into plain objects, with bytes for base64 and dates for seconds, as an SDK's client
 * gives them. The text is our own and has no white space.
 *
 * It is twice as fast as `JSON.parse` because it expects what it has seen: the attributes of one item follow each
 * other as in the item before, so that the next name is compared and not cut out and looked up, and an attribute
 * value is an object of one known member. The strings it gives are parts of the text and keep all of it in memory,
 * which is why long answers are not read by it (`from-wire.ts`).
 */
export class AnswerReader extends CompactJsonReader {
  #names = new Map<string, Name>();
  #last = new Name('');

  read(text: string): unknown {
    this.begin(text);
    if (this.#names.size > namesMax) {
      this.#names = new Map();
      this.#last = new Name('');
    }
    const value = this.#value('nothing');
    this.end();
    this.text = '';
    return value;
  }

  #value(holds: Holds): unknown {
    const unit = this.text.charCodeAt(this.at);
    switch (unit) {
      case openBrace:
        return this.#object();
      case quote:
        return holds === 'bytes' ? bytesOf(this.string()) : this.string();
      case openBracket:
        return this.#elements(holds === 'list of bytes' ? 'bytes' : 'nothing');
      case letterT:
        return this.word('true', true);
      case letterF:
        return this.word('false', false);
      case letterN:
        return this.word('null', null);
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
    const text = this.text;
    const start = this.at;
    const letter = text.charCodeAt(start + 2);
    let value: Record<string, unknown>;
    if (text.charCodeAt(start + 3) === quote && text.charCodeAt(start + 1) === quote) {
      this.at = start + 5;
      const isString = text.charCodeAt(this.at) === quote;
      if (letter === letterS && isString) value = { S: this.string() };
      else if (letter === letterUpperN && isString) value = { N: this.string() };
      else if (letter === letterM) value = { M: this.#value('nothing') };
      else if (letter === letterL) value = { L: this.#value('nothing') };
      else return this.#allMembers(start);
    } else if (letter === letterB && text.startsWith('{"BOOL":', start)) {
      this.at = start + 8;
      value = { BOOL: this.#value('nothing') };
    } else {
      return this.#allMembers(start);
    }
    if (!this.skip(closeBrace)) this.#members(value);
    return value;
  }

  #allMembers(start: number): object {
    this.at = start + 1;
    const value = {};
    if (this.skip(closeBrace)) return value;
    this.#member(value);
    this.#members(value);
    return value;
  }

  /** The members from a comma to the end of their object. */
  #members(target: Record<string, unknown>): void {
    while (this.skip(comma)) this.#member(target);
    this.expect(closeBrace);
  }

  #member(target: Record<string, unknown>): void {
    const name = this.#name();
    setOwn(target, name.text, this.#value(name.holds));
  }

  #elements(holds: Holds): unknown[] {
    const elements: unknown[] = [];
    this.at++;
    if (this.skip(closeBracket)) return elements;
    do elements.push(this.#value(holds));
    while (this.skip(comma));
    this.expect(closeBracket);
    return elements;
  }

  /** A member's name and the colon behind it. */
  #name(): Name {
    const { next } = this.#last;
    if (next !== undefined && this.text.startsWith(next.head, this.at)) {
      this.at += next.head.length;
      this.#last = next;
      return next;
    }
    const text = this.string();
    this.expect(colon);
    let name = this.#names.get(text);
    if (name === undefined) {
      name = new Name(ownCopy(text));
      this.#names.set(name.text, name);
    }
    this.#last.next = name;
    this.#last = name;
    return name;
  }

  #number(): number {
    const start = this.at;
    while (isOfNumber(this.text.charCodeAt(this.at))) this.at++;
    if (this.at === start) throw this.unexpected();
    return Number(this.text.slice(start, this.at));
  }

  protected override unexpected(): Error {
    return new Error(`an answer is not JSON at character ${this.at} of ${this.text.length}`);
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
  /** As it stands in the text. */
  readonly head: string;
  readonly holds: Holds;
  /** The name that came after this one the last time. */
  next: Name | undefined;

  constructor(text: string) {
    this.text = text;
    this.head = `${JSON.stringify(text)}:`;
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

function isOfNumber(unit: number): boolean {
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

const { quote, comma, colon, openBracket, closeBracket, openBrace, closeBrace } = units;
const letterB = 0x42;
const letterL = 0x4c;
const letterM = 0x4d;
const letterUpperN = 0x4e;
const letterS = 0x53;
const letterF = 0x66;
const letterN = 0x6e;
const letterT = 0x74;
