import type { EntryTaker, TakenEntry } from '../engine/read-range.ts';
import { meetsCondition } from '../expressions/evaluate-condition.ts';
import { pathsOf } from '../expressions/key-paths.ts';
import { projectItem } from '../expressions/project.ts';
import { decodeAttributes, decodeItem, headerBytes } from '../model/stored-item.ts';
import { encodeUtf8 } from '../model/utf8.ts';
import { jsonOf } from './item-answer.ts';
import { RawJson } from './operation.ts';
import type { ReadRequest } from './read-request.ts';
import type { Select } from './shapes/read-shapes.ts';

/**
 * The items of a page as they go into its answer, taken one after the other while the page is read. They are copied
 * as the bytes they are; only a filter or a projection looks into them.
 */
export class PageItems implements EntryTaker {
  readonly #filter: ReadRequest['filter'];
  readonly #filtered: ReadonlySet<string>;
  readonly #projection: ReadRequest['projection'];
  readonly #isCount: boolean;
  /** Where the JSON begins in what is listed. */
  readonly #from: number;
  #pieces: Uint8Array[] = [];
  #list: JsonList | undefined;
  #count = 0;

  constructor({ filter, projection }: ReadRequest, select: Select | undefined) {
    this.#filter = filter;
    this.#filtered = new Set(filter && pathsOf(filter).map(([name]) => name));
    this.#projection = projection;
    this.#isCount = select === 'COUNT';
    this.#from = projection === undefined ? headerBytes : 0;
  }

  get count(): number {
    return this.#count;
  }

  take({ value }: TakenEntry): void {
    const filter = this.#filter;
    if (filter !== undefined && !meetsCondition(filter, decodeAttributes(value, this.#filtered))) return;
    this.#count++;
    if (this.#isCount) return;
    const projection = this.#projection;
    const item = projection === undefined ? value : jsonOf(projectItem(projection, decodeItem(value)));
    if (this.#pieces.push(item) === piecesMax) this.#joinPieces();
  }

  /** An answer with the items, and behind them the members of another object's JSON. */
  answer(others: string): RawJson {
    if (this.#isCount) return new RawJson([others]);
    const end = `],${others.slice(1)}`;
    if (this.#list !== undefined) {
      this.#joinPieces();
      return new RawJson([this.#list.finish(end)]);
    }
    const chunks: (string | Uint8Array)[] = [];
    for (const item of this.#pieces)
      chunks.push(chunks.length === 0 ? begin : ',', item.subarray(this.#from));
    if (chunks.length === 0) chunks.push(begin);
    chunks.push(end);
    return new RawJson(chunks);
  }

  #joinPieces(): void {
    this.#list ??= new JsonList(this.#from);
    this.#list.add(this.#pieces);
    this.#pieces = [];
  }
}

/** Thousands of pieces cost more than what is in them: so many are joined, while the first is still in the cache. */
const piecesMax = 64;

const begin = '{"Items":[';

/** An answer in one array, as far as its items, with a comma behind each. */
class JsonList {
  /** How much stands before the JSON of each item. */
  readonly #before: number;
  #bytes = new Uint8Array(64 * 1024);
  #at: number;
  readonly #start: number;

  constructor(before: number) {
    this.#before = before;
    this.#at = Math.max(before, begin.length);
    this.#start = this.#at - begin.length;
    this.#bytes.set(encodeUtf8(begin), this.#start);
  }

  /**
   * Items are copied whole, since a call for a part of an array needs a new object for the part and costs twice as
   * much. What stands before the JSON of an item falls on the end of the item before it, which is why the last comes
   * first.
   */
  add(items: readonly Uint8Array[]): void {
    const before = this.#before;
    let at = this.#at;
    for (const item of items) at += item.length - before + 1;
    if (at > this.#bytes.length) this.#grow(at);
    const bytes = this.#bytes;
    const ended = bytes.slice(this.#at - before, this.#at);
    this.#at = at;
    for (let i = items.length - 1; i >= 0; i--) {
      const item = items[i]!;
      bytes[--at] = comma;
      at -= item.length - before;
      bytes.set(item, at - before);
    }
    bytes.set(ended, at - before);
  }

  /** What follows takes the place of the last comma. */
  finish(end: string): Uint8Array {
    const endBytes = encodeUtf8(end);
    const length = this.#at - 1 + endBytes.length;
    if (length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(endBytes, this.#at - 1);
    return this.#bytes.subarray(this.#start, length);
  }

  #grow(needed: number): void {
    const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
  }
}

const comma = 0x2c;
