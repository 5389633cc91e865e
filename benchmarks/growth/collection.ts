import type { Stator } from '../../src/stator.ts';
import { seededRandom } from '../../tests/seeded-random.ts';
import { median } from '../compare.ts';
import { tableName, type WireItem } from '../http/items.ts';
import { ratePerSecond } from '../rates.ts';
import { grouped } from '../report.ts';
import { atMost, type OnProgress, type Options, type Report } from '../suite.ts';
import { filledDatabase, inFolder, paceOf } from './databases.ts';

/** A table without indexes, all of whose items may have one partition key. */
export const plainTable = {
  TableName: tableName,
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  BillingMode: 'PAY_PER_REQUEST',
} as const;

/** A Query of 10 from anywhere in one item collection, small or large, in memory and on lmdb. */
export function measureCollections(options: Options, onProgress: OnProgress): Promise<Report> {
  const { small, seed } = options;
  const sizes = small ? [50, 500] : [1_000, Math.min(options.items ?? 1_000_000, 1_000_000)];
  const { seconds, rounds } = paceOf(options);
  return inFolder(async (folder) => {
    const entrants: Entrant[] = [];
    try {
      for (const store of ['memory', 'lmdb'] as const)
        for (const size of sizes) {
          onProgress(`filling one partition of ${size} items, ${store}`);
          const directory = store === 'memory' ? undefined : `${folder}/${size}`;
          const items = { count: size, item: (index: number) => itemOf(index) };
          const db = await filledDatabase(directory, items, plainTable);
          entrants.push({ store, size, db, rates: [] });
        }
      // Short turns, many of them: what slows the machine down for a while then meets all entrants alike.
      for (let turn = -turnsPerRound; turn < rounds * turnsPerRound; turn++) {
        if (turn % turnsPerRound === 0)
          onProgress(`Query of 10 from one partition, round ${turn / turnsPerRound + 1} of ${rounds}`);
        for (const { db, size, rates } of entrants) {
          const random = seededRandom(seed + turn);
          const rate = await ratePerSecond(seconds / turnsPerRound, () =>
            queryTen(db, random.below(size - 10)),
          );
          if (turn >= 0) rates.push(rate);
        }
      }
      const ratesOf = (store: string, size: number) =>
        entrants.find((each) => each.store === store && each.size === size)!.rates;
      const ratioOf = (store: string) => {
        const large = ratesOf(store, sizes[1]!);
        return median(ratesOf(store, sizes[0]!).map((rate, turn) => rate / large[turn]!));
      };
      const span = `${grouped(sizes[0]!)} items to ${grouped(sizes[1]!)}`;
      return {
        findings: ['memory', 'lmdb'].map((store) =>
          atMost(`Query of 10 from one partition, ${store}, rate with ${span}`, ratioOf(store), 1.3),
        ),
        tables: [
          {
            title: 'Query of 10 from one partition, in process',
            head: ['store', 'items', 'ops/s'],
            rows: entrants.map(({ store, size, rates }) => [store, grouped(size), grouped(median(rates))]),
          },
        ],
        notes: [],
      };
    } finally {
      for (const { db } of entrants) await db.close();
    }
  });
}

const turnsPerRound = 5;

interface Entrant {
  readonly store: 'memory' | 'lmdb';
  readonly size: number;
  readonly db: Stator;
  readonly rates: number[];
}

function itemOf(index: number): WireItem {
  return { pk: { S: 'ONE' }, sk: { S: sortKey(index) }, note: { S: 'x'.repeat(200) } };
}

function sortKey(index: number): string {
  return String(index).padStart(8, '0');
}

async function queryTen(db: Stator, from: number): Promise<void> {
  const { Items: found } = await db.query({
    TableName: tableName,
    KeyConditionExpression: 'pk = :pk AND sk >= :from',
    ExpressionAttributeValues: { ':pk': { S: 'ONE' }, ':from': { S: sortKey(from) } },
    Limit: 10,
  });
  if (found?.length !== 10 || found[9]?.sk?.S !== sortKey(from + 9))
    throw new Error(`A Query from ${from} was answered with ${JSON.stringify(found)}`);
}
