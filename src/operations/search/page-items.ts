import type { EntrySink, TakenEntry } from '../../engine/reads/read-range.ts';
import { ItemFilter } from '../../expressions/item-filter.ts';
import { attributesNamed } from '../../expressions/named-attributes.ts';
import { projectItem } from '../../expressions/project.ts';
import type { Projection } from '../../expressions/tree.ts';
import { comma } from '../../model/json/json-marks.ts';
import { Portion, type Slices } from '../../model/slices.ts';
import { decodeAttributes, decodeItem, headerBytes } from '../../model/stored/stored-item.ts';
import { StoredList } from '../../model/stored/stored-list.ts';
import { encodeUtf8 } from '../../model/values/utf8.ts';
import { jsonOf } from '../items/item-answer.ts';
import { RawJson } from '../operation.ts';
import type { Select } from '../shapes/read-shapes.ts';
import type { SearchRequest } from './read-request.ts';

/**
 * The items of a page for its answer, taken one by one while the page is read. Their stored bytes are copied. Only a
 * filter or a projection decodes them.
 */
export class PageItems implements EntrySink {
  readonly #portion: Portion;
  readonly #filter: ItemFilter | undefined;
  readonly #filtered: ReadonlySet<string>;
  readonly #projection: SearchRequest['projection'];
  readonly #isCount: boolean;
  /** An item of a page takes a step, and one for each path of the projection. */
  readonly #stepsOfItem: number;
  /** The number of bytes before the JSON in each piece. */
  readonly #jsonStart: number;
  #pieces: Uint8Array[] = [];
  #list: JsonList | undefined;
  #count = 0;

  constructor({ filter, projection }: SearchRequest, select: Select | undefined, slices: Slices) {
    this.#portion = new Portion(slices);
    this.#filter = filter && new ItemFilter(filter, this.#portion);
    this.#filtered = attributesNamed(filter);
    this.#projection = projection;
    this.#isCount = select === 'COUNT';
    this.#stepsOfItem = 1 + (projection?.paths.length ?? 0);
    this.#jsonStart = projection === undefined ? headerBytes : 0;
  }

  get count(): number {
    return this.#count;
  }

  take({ value }: TakenEntry): Promise<void> | undefined {
    const filter = this.#filter;
    if (filter === undefined) return this.#add(value);
    const isMet = filter.meets(decodeAttributes(value, this.#filtered));
    if (isMet instanceof Promise) return isMet.then((met) => (met ? this.#add(value) : undefined));
    return (isMet ? this.#add(value) : undefined) ?? filter.waiting;
  }

  #add(value: Uint8Array): Promise<void> | undefined {
    this.#count++;
    if (!this.#isCount) {
      const item = this.#projection === undefined ? value : this.#projected(value, this.#projection);
      if (this.#pieces.push(item) === piecesMax) this.#joinPieces();
    }
    return this.#portion.spend(this.#stepsOfItem);
  }

  #projected(value: Uint8Array, projection: Projection): Uint8Array {
    return jsonOf(projectItem(projection, decodeItem(value)));
  }

  /** Makes the answer: the items, followed by the members of `others`, the JSON of an object. */
  answer(others: string): RawJson {
    if (this.#isCount) return new RawJson([others]);
    const end = `],${others.slice(1)}`;
    if (this.#list !== undefined) {
      this.#joinPieces();
      return new RawJson([this.#list.finish(end)]);
    }
    if (this.#pieces.length === 0) return new RawJson([begin, end]);
    return new RawJson([begin, new StoredList(this.#pieces, this.#jsonStart), end]);
  }

  #joinPieces(): void {
    if (this.#pieces.length === 0) return;
    this.#list ??= new JsonList();
    this.#list.add(new StoredList(this.#pieces, this.#jsonStart));
    this.#pieces = [];
  }
}

/**
 * The number of pieces that are joined into one array. Thousands of pieces cost more than their content. So few are
 * still in the cache when they are joined.
 */
const piecesMax = 64;

const begin = '{"Items":[';

/** The beginning of an answer in one array: the items so far, with a comma behind each. */
class JsonList {
  #bytes = new Uint8Array(64 * 1024);
  #at = begin.length;

  constructor() {
    this.#bytes.set(encodeUtf8(begin));
  }

  add(items: StoredList): void {
    const needed = this.#at + items.length + 1;
    if (needed > this.#bytes.length) this.#grow(needed);
    this.#at = items.write(this.#bytes, this.#at);
    this.#bytes[this.#at++] = comma;
  }

  /** Ends the answer. `end` replaces the last comma. */
  finish(end: string): Uint8Array {
    const endBytes = encodeUtf8(end);
    const length = this.#at - 1 + endBytes.length;
    if (length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(endBytes, this.#at - 1);
    return this.#bytes.subarray(0, length);
  }

  #grow(needed: number): void {
    const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
  }
}
