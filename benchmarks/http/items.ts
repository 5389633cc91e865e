import { seededRandom } from '../../tests/seeded-random.ts';

/** An item in DynamoDB JSON, as it stands in requests and answers. */
export type WireItem = Readonly<Record<string, object>>;

export const tableName = 'Orders';
export const indexName = 'ByWarehouse';
/** So many orders has every customer, and so many every warehouse. */
export const collectionItems = 10;

/** The table that every server is given: one global index, which holds whole items. */
export const tableDefinition = {
  TableName: tableName,
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'warehouse', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: indexName,
      KeySchema: [
        { AttributeName: 'warehouse', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
  BillingMode: 'PAY_PER_REQUEST',
} as const;

/**
 * Orders of about 300 bytes of JSON. Number `i` in a version follows from the seed, so that whoever checks an answer
 * can make the item that should be in it. The length differs from item to item, but not from version to version.
 */
export class Orders {
  readonly count: number;
  readonly #words: readonly string[];
  readonly #warehouses: number;

  constructor(count: number, seed: number) {
    if (count % collectionItems !== 0 || count < 50)
      throw new RangeError(`The number of items has to be a multiple of ${collectionItems}, and 50 or more`);
    this.count = count;
    this.#warehouses = count / collectionItems;
    const random = seededRandom(seed);
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    this.#words = Array.from({ length: 1024 }, () =>
      Array.from({ length: 3 + random.below(8) }, () => letters[random.below(26)]).join(''),
    );
  }

  partitionKey(index: number): string {
    return `CUSTOMER#${Math.floor(index / collectionItems)}`;
  }

  sortKey(index: number): string {
    return `ORDER#2025-11-15#${index}`;
  }

  key(index: number): WireItem {
    return { pk: { S: this.partitionKey(index) }, sk: { S: this.sortKey(index) } };
  }

  warehouse(index: number): string {
    return `WAREHOUSE#${index % this.#warehouses}`;
  }

  /**
   * One literal, as most programs write it, so that all items have one shape. Of those that begin with what is spread
   * into them, V8 gives each a shape of its own, which costs whoever reads them a fifth more.
   */
  item(index: number, version: number): WireItem {
    return {
      pk: { S: this.partitionKey(index) },
      sk: { S: this.sortKey(index) },
      warehouse: { S: this.warehouse(index) },
      status: { S: 'SHIPPED' },
      version: { N: versionText(version) },
      // No zero at the end, which servers would drop.
      total: { N: `${1 + (index % 900)}.${index % 10}5` },
      paid: { BOOL: this.isPaid(index) },
      note: { S: `${this.#word(index)} ${this.#word(index * 7 + 1)}` },
      address: {
        M: { street: { S: this.#word(index * 3 + 5) }, zip: { S: String(10_000 + (index % 80_000)) } },
      },
      lines: { L: [{ S: this.#word(index * 5 + 3) }, { N: '2' }] },
    };
  }

  isPaid(index: number): boolean {
    return index % 3 !== 0;
  }

  /** The orders of the same customer, in the order of their sort keys. */
  ofCustomer(index: number): number[] {
    const first = index - (index % collectionItems);
    return this.#bySortKey(Array.from({ length: collectionItems }, (_, i) => first + i));
  }

  /** The orders from the same warehouse, in the order of their sort keys. */
  ofWarehouse(index: number): number[] {
    const first = index % this.#warehouses;
    return this.#bySortKey(Array.from({ length: collectionItems }, (_, i) => first + i * this.#warehouses));
  }

  /** So many different orders from all over the table. */
  spread(index: number, count: number): number[] {
    const stride = Math.floor(this.count / count);
    return Array.from({ length: count }, (_, i) => (index + i * stride) % this.count);
  }

  /** The number of an item in an answer. */
  static indexOf(item: WireItem): number {
    const { S: text = '' } = (item.sk ?? {}) as { readonly S?: string };
    return Number(text.slice(text.lastIndexOf('#') + 1));
  }

  /** The version that an answer claims to be of. */
  static versionOf(item: WireItem): number {
    const version = item.version as { readonly N?: string } | undefined;
    return Number(version?.N) - firstVersion;
  }

  #bySortKey(indexes: number[]): number[] {
    return indexes.sort((a, b) => (this.sortKey(a) < this.sortKey(b) ? -1 : 1));
  }

  #word(index: number): string {
    return this.#words[index % this.#words.length]!;
  }
}

/** All versions have four digits, so that they change no length. */
export function versionText(version: number): string {
  return String(firstVersion + version);
}

/** None of the first versions ends in 0, which numbers are stored without: it would change the size of an item. */
const firstVersion = 1_001;
