import { randomUUID } from 'node:crypto';
import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DeleteTableCommand,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { type SeededRandom, seededRandom } from '../seeded-random.ts';
import { pagesThrough } from './client-searches.ts';
import { allowedTexts, changeIndexes, requestOf, runThrough } from './client-steps.ts';
import {
  type BusyWorld,
  randomBusyItem,
  randomBusySearch,
  randomBusyWorld,
  randomBusyWrite,
  withLaterIndex,
} from './generate-busy-tables.ts';
import { Histories } from './histories.ts';
import { judgeLook, keyText, type Look, sameOrder, type TimedPage } from './judge-look.ts';
import { NaiveTable } from './naive-table.ts';
import { forSdk } from './sdk-values.ts';
import type { SearchStep } from './search-steps.ts';
import type { IndexStep } from './steps.ts';
import { createTableInput } from './table-definition.ts';
import type { Attributes } from './values.ts';

export interface BusyOptions {
  readonly client: DynamoDBClient;
  readonly seed: number;
  readonly items: number;
  readonly writers: number;
  readonly readers: number;
  /** How many searches each reader follows to their ends, and how many writes there are at most beside them. */
  readonly searches: number;
  readonly writes: number;
  /** How often at most an index is added beside all that, and deleted before the next time. */
  readonly builds: number;
  /** Runs everybody at the same time. */
  readonly together?: (clients: Readonly<Record<string, () => Promise<void>>>) => Promise<unknown>;
}

export interface BusyReport {
  readonly writes: number;
  readonly builds: number;
  readonly pages: number;
  /** Items that were found, and how many of them were written to during the search that found them. */
  readonly found: number;
  readonly foundChanging: number;
}

/**
 * Lets readers page through a table and its indexes while writers write to it, each to items of its own and some to
 * none, and throws when anything was found that should not have been. In the end, when nobody writes any more, the
 * table must be what the writers have made of it.
 */
export async function pageWhileOthersWrite(options: BusyOptions): Promise<BusyReport> {
  const { client, seed } = options;
  const world = randomBusyWorld(seededRandom(seed));
  const tableName = `busy-${randomUUID()}`;
  await client.send(new CreateTableCommand(createTableInput(world.table, tableName)));
  try {
    return await new BusyTable(options, world, tableName).run();
  } finally {
    await client.send(new DeleteTableCommand({ TableName: tableName }));
  }
}

class BusyTable {
  readonly #options: BusyOptions;
  readonly #client: DynamoDBClient;
  readonly #world: BusyWorld;
  readonly #name: string;
  readonly #histories = new Histories();
  readonly #looks: Look[] = [];
  /** The first has the items that nobody writes to, the others each those of a writer. */
  readonly #owned: readonly NaiveTable[];
  #reading: number;
  #writes = 0;
  #builds = 0;

  constructor(options: BusyOptions, world: BusyWorld, name: string) {
    this.#options = options;
    this.#client = options.client;
    this.#world = world;
    this.#name = name;
    this.#reading = options.readers;
    this.#owned = Array.from({ length: options.writers + 1 }, () => new NaiveTable(world.table, name));
  }

  async run(): Promise<BusyReport> {
    const { writers, readers, together = atOnce } = this.#options;
    await this.#fill();
    const clients: Record<string, () => Promise<void>> = {};
    for (let i = 1; i <= writers; i++) clients[`writer ${i}`] = () => this.#write(i);
    for (let i = 1; i <= readers; i++) clients[`reader ${i}`] = () => this.#read(i);
    if (this.#options.builds > 0) clients.builder = () => this.#build();
    await together(clients);
    await this.#checkEnd();
    return this.#report();
  }

  async #fill(): Promise<void> {
    const random = this.#randomOf(0);
    for (const [owner, naive] of this.#owned.entries()) {
      naive.items = this.#numbersOf(owner).map((number) => randomBusyItem(random, this.#world, number));
      for (const item of naive.items) this.#histories.begin(keyText(this.#world.table, item), item);
    }
    const items = this.#owned.flatMap((naive) => naive.items);
    for (let at = 0; at < items.length; at += 25) {
      const writes = items.slice(at, at + 25).map((put) => ({ put }));
      const request = requestOf({ kind: 'batchWrite', writes, spelling: 0 }, this.#name);
      const answer = await this.#client.send(new BatchWriteItemCommand(forSdk(request) as never));
      if (Object.keys(answer.UnprocessedItems ?? {}).length > 0)
        throw new Error('not everything was written');
    }
  }

  /** Items are dealt out in pairs, so that everybody has some of even and some of odd numbers. */
  #numbersOf(owner: number): number[] {
    const all = Array.from({ length: this.#options.items }, (_, number) => number);
    return all.filter((number) => (number >> 1) % this.#owned.length === owner);
  }

  async #write(writer: number): Promise<void> {
    const random = this.#randomOf(writer);
    const naive = this.#owned[writer]!;
    const numbers = this.#numbersOf(writer);
    const share = this.#options.writes / this.#options.writers;
    for (let i = 0; i < share && this.#reading > 0; i++) {
      const step = randomBusyWrite(random, this.#world, numbers, (key) => naive.find(key));
      const before = naive.items;
      const expected = allowedTexts(naive.run(step));
      const changed = this.#changed(before, naive.items);
      for (const [key, item] of changed) this.#histories.begin(key, item);
      const actual = await runThrough(this.#client, step, this.#name);
      for (const key of changed.keys()) this.#histories.end(key);
      if (!expected.includes(actual))
        throw this.#failure(`${JSON.stringify(step)}\nexpected ${expected.join(' or ')}\nactual   ${actual}`);
      this.#writes++;
    }
  }

  #changed(before: readonly Attributes[], after: readonly Attributes[]): Map<string, Attributes | undefined> {
    const gone = before.filter((item) => !after.includes(item));
    const come = after.filter((item) => !before.includes(item));
    const text = (item: Attributes) => keyText(this.#world.table, item);
    return new Map<string, Attributes | undefined>([
      ...gone.map((item) => [text(item), undefined] as const),
      ...come.map((item) => [text(item), item] as const),
    ]);
  }

  async #build(): Promise<void> {
    const { later: index } = this.#world;
    const change = (step: IndexStep) => changeIndexes(this.#client, step, this.#name);
    while (this.#builds === 0 || (this.#reading > 0 && this.#builds < this.#options.builds)) {
      if (this.#builds > 0) await change({ kind: 'deleteIndex', name: index.name, spelling: 0 });
      await change({ kind: 'createIndex', index, spelling: 0 });
      this.#builds++;
    }
  }

  async #read(reader: number): Promise<void> {
    const random = this.#randomOf(-reader);
    try {
      for (let i = 0; i < this.#options.searches; i++) {
        const look = await this.#look(randomBusySearch(random, this.#world));
        const wrong = judgeLook(this.#world.table, this.#histories, look);
        if (wrong.length > 0) throw this.#failure(`${JSON.stringify(look.step)}\n${wrong.join('\n')}`);
        this.#looks.push(look);
      }
    } finally {
      this.#reading--;
    }
  }

  /** Follows a search to its end, all of its segments at the same time. */
  async #look(step: SearchStep): Promise<Look> {
    const segments = step.kind === 'scan' ? (step.segments ?? 1) : 1;
    const ofSegment = async (_: unknown, segment: number) => {
      const pages: TimedPage[] = [];
      let from = this.#histories.moment();
      for await (const page of pagesThrough(this.#client, step, this.#name, segment)) {
        pages.push({ ...page, from, until: this.#histories.moment() });
        from = this.#histories.moment();
      }
      return pages;
    };
    const pages = await Promise.all(Array.from({ length: segments }, ofSegment));
    return { step, pages: pages.flat() };
  }

  /** Nobody writes any more: every search that was made finds just what the model finds, in the order it had before. */
  async #checkEnd(): Promise<void> {
    const table = this.#builds > 0 ? withLaterIndex(this.#world) : this.#world.table;
    const naive = new NaiveTable(table, this.#name);
    naive.items = this.#owned.flatMap(({ items }) => items);
    for (const { name: index } of [...table.locals, ...table.globals])
      await this.#compare(naive, { kind: 'scan', index, spelling: 0 });
    const random = this.#randomOf(0);
    for (let i = 0; i < 10; i++)
      await this.#compare(naive, randomBusySearch(random, { ...this.#world, table }));
    for (const look of this.#looks) {
      await this.#compare(naive, look.step);
      if (look.step.select === 'COUNT') continue;
      const again = await this.#look({ ...look.step, filter: undefined, limit: undefined });
      if (!sameOrder(this.#world.table, look, again))
        throw this.#failure(`in another order than in the end: ${JSON.stringify(look.step)}`);
    }
  }

  async #compare(naive: NaiveTable, step: SearchStep): Promise<void> {
    const outcome = naive.run(step);
    const known = 'answer' in outcome ? outcome.answer.found : undefined;
    const actual = await runThrough(this.#client, step, this.#name, known);
    const expected = allowedTexts(outcome);
    if (expected.includes(actual)) return;
    throw this.#failure(
      `in the end: ${JSON.stringify(step)}\nexpected ${expected.join(' or ')}\nactual   ${actual}`,
    );
  }

  #report(): BusyReport {
    const pages = this.#looks.flatMap((look) => look.pages);
    let found = 0;
    let foundChanging = 0;
    for (const look of this.#looks) {
      const [from, until] = [look.pages.map((page) => page.from), look.pages.map((page) => page.until)];
      for (const item of look.pages.flatMap(({ Items }) => Items ?? [])) {
        const key = keyText(this.#world.table, item);
        found++;
        if (this.#histories.of(key, Math.min(...from), Math.max(...until)).length > 1) foundChanging++;
      }
    }
    return { writes: this.#writes, builds: this.#builds, pages: pages.length, found, foundChanging };
  }

  #randomOf(actor: number): SeededRandom {
    return seededRandom(this.#options.seed + Math.imul(actor + 100, 0x9e3779b1));
  }

  #failure(what: string): Error {
    return new Error(`STATOR_TEST_SEED=${this.#options.seed} ${JSON.stringify(this.#world.table)}\n${what}`);
  }
}

async function atOnce(clients: Readonly<Record<string, () => Promise<void>>>): Promise<void> {
  const ends = Object.values(clients).map((run) => run());
  // Whoever fails leaves the table to the others until they are done with it.
  await Promise.allSettled(ends);
  await Promise.all(ends);
}
