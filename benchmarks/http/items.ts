import { seededRandom } from '../../tests/seeded-random.ts';

/** An item in DynamoDB JSON, as it stands in requests and answers. */
export type WireItem = Readonly<Record<string, object>>;

export const tableName = 'Orders';

/**
 * Orders of about 300 bytes of JSON. Number `i` in a version follows from the seed, so that whoever checks an answer
 * can make the item that should be in it. The length differs from item to item, but not from version to version.
 */
export class Orders {
  readonly count: number;
  readonly #words: readonly string[];

  constructor(count: number, seed: number) {
    this.count = count;
    const random = seededRandom(seed);
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    this.#words = Array.from({ length: 1024 }, () =>
      Array.from({ length: 3 + random.below(8) }, () => letters[random.below(26)]).join(''),
    );
  }

  key(index: number): WireItem {
    return { pk: { S: `CUSTOMER#${index >> 2}` }, sk: { S: `ORDER#2025-11-15#${index}` } };
  }

  item(index: number, version: number): WireItem {
    return {
      ...this.key(index),
      status: { S: 'SHIPPED' },
      version: { N: String(1_000 + version) },
      // No zero at the end, which servers would drop.
      total: { N: `${1 + (index % 900)}.${index % 10}5` },
      paid: { BOOL: index % 3 !== 0 },
      note: { S: `${this.#word(index)} ${this.#word(index * 7 + 1)} ${this.#word(index * 13 + 2)}` },
      address: {
        M: { street: { S: this.#word(index * 3 + 5) }, zip: { S: String(10_000 + (index % 80_000)) } },
      },
      lines: { L: [{ S: this.#word(index * 5 + 3) }, { N: '2' }] },
    };
  }

  /** The version that an answer claims to be of. */
  static versionOf(item: WireItem): number {
    const version = item.version as { readonly N?: string } | undefined;
    return Number(version?.N) - 1_000;
  }

  #word(index: number): string {
    return this.#words[index % this.#words.length]!;
  }
}
