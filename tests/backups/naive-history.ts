import type { AttributeMapInput, Stator } from '../../src/index.ts';
import type { VirtualClock } from '../../src/runtime/clock.ts';
import type { SeededRandom } from '../seeded-random.ts';

export const TableName = 'past';

/** A table with every kind of key that matters: sort keys that are prefixes of others, and with zeros in them. */
export const definition = {
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'B' },
    { AttributeName: 'owner', AttributeType: 'S' },
    { AttributeName: 'n', AttributeType: 'N' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'by-owner',
      KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
  LocalSecondaryIndexes: [
    {
      IndexName: 'by-n',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'n', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
} as const;

/** A write and when it was made: what an item was from then on. */
interface Written {
  readonly ms: number;
  readonly key: string;
  readonly item: string | undefined;
}

/** Writes at random and remembers everything, the slow way. */
export class NaiveHistory {
  readonly #written: Written[] = [];
  readonly #db: Stator;
  readonly #clock: VirtualClock;
  readonly #random: SeededRandom;

  constructor(db: Stator, clock: VirtualClock, random: SeededRandom) {
    this.#db = db;
    this.#clock = clock;
    this.#random = random;
  }

  /** The times at which something was written. */
  get times(): readonly number[] {
    return this.#written.map(({ ms }) => ms);
  }

  async write(): Promise<void> {
    const random = this.#random;
    const keys = Array.from({ length: 1 + random.below(3) }, () => this.#key());
    const distinct = [...new Map(keys.map((key) => [text(key), key])).values()];
    const items = distinct.map((key) => (random.chance(0.3) ? undefined : this.#item(key)));
    const ms = this.#clock.nowMs();
    if (distinct.length === 1 && random.chance(0.5)) {
      const [key, item] = [distinct[0]!, items[0]];
      if (item === undefined) await this.#db.deleteItem({ TableName, Key: key });
      else await this.#db.putItem({ TableName, Item: item });
    } else
      await this.#db.transactWriteItems({
        TransactItems: distinct.map((key, i) =>
          items[i] === undefined
            ? { Delete: { TableName, Key: key } }
            : { Put: { TableName, Item: items[i]! } },
        ),
      });
    for (const [i, key] of distinct.entries())
      this.#written.push({ ms, key: text(key), item: items[i] && canonical(items[i]) });
    this.#clock.advanceMs(this.#pause());
  }

  /** All items at a time, sorted. */
  at(ms: number): string[] {
    return this.after(this.#written.filter((each) => each.ms <= ms).length);
  }

  /** All items after so many writes, sorted. */
  after(writes: number): string[] {
    const items = new Map<string, string>();
    for (const { key, item } of this.#written.slice(0, writes)) {
      if (item === undefined) items.delete(key);
      else items.set(key, item);
    }
    return [...items.values()].sort();
  }

  /** The keys of the items that differ between two times. */
  changed(fromMs: number, toMs: number): string[] {
    const [before, after] = [new Set(this.at(fromMs)), new Set(this.at(toMs))];
    const other = [...before, ...after].filter((item) => before.has(item) !== after.has(item));
    return [...new Set(other.map((item) => JSON.stringify([keyIn(item)])))].sort();
  }

  #key(): AttributeMapInput {
    const random = this.#random;
    const bytes = Uint8Array.from({ length: 1 + random.below(3) }, () => random.pick([0, 1, 2, 255]));
    return { pk: { S: `p${random.below(4)}` }, sk: { B: bytes } };
  }

  #item(key: AttributeMapInput): AttributeMapInput {
    const random = this.#random;
    return {
      ...key,
      ...(random.chance(0.7) && { owner: { S: `o${random.below(3)}` } }),
      ...(random.chance(0.7) && { n: { N: `${random.below(5)}` } }),
      text: { S: 'x'.repeat(random.below(30)) },
      // Now and then the same item as before.
      at: { N: `${random.below(6)}` },
    };
  }

  #pause(): number {
    const random = this.#random;
    return random.pick([0, 0, 1, 400, 1_000, 60_000, 3_600_000, random.below(20) * 3_600_000]);
  }
}

/** An item as text that is equal for equal items. */
export function canonical(item: AttributeMapInput): string {
  const plain = (value: unknown): unknown => {
    if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, each]) => [name, plain(each)]),
    );
  };
  return JSON.stringify(plain(item));
}

function text({ pk, sk }: AttributeMapInput): string {
  return canonical({ pk: pk!, sk: sk! });
}

function keyIn(item: string): unknown {
  const { pk, sk } = JSON.parse(item) as { pk: unknown; sk: unknown };
  return { pk, sk };
}
