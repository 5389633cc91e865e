/** One page of a list. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; absent behind the last one. */
  readonly cursor?: string;
}

/** The answer of a list. Nothing is read before somebody asks for a page or an item. */
export class Pages<Item> implements AsyncIterable<Item> {
  readonly #read: (cursor: string | undefined) => Promise<ListPage<Item>>;

  constructor(read: (cursor: string | undefined) => Promise<ListPage<Item>>) {
    this.#read = read;
  }

  /** One page: the first one, or the one that a cursor names. */
  page(cursor?: string): Promise<ListPage<Item>> {
    return this.#read(cursor);
  }

  /** Page after page, each read when it is asked for. */
  async *pages(from?: string): AsyncGenerator<ListPage<Item>, void, undefined> {
    let cursor = from;
    do {
      const page = await this.#read(cursor);
      yield page;
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** All items of all pages. */
  async all(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const page of this.pages()) items.push(...page.items);
    return items;
  }
}
