import type { Stator } from '../../src/stator.ts';
import type { RangePage } from '../../src/storage/store.ts';
import { collectGarbage, median } from '../compare.ts';
import { wholeRequest } from '../http/in-process.ts';
import { tableName } from '../http/items.ts';
import { grouped } from '../report.ts';
import { atMost, type OnProgress, type Options, type Report } from '../suite.ts';
import { plainTable } from './collection.ts';
import { filledDatabase, inFolder, paceOf } from './databases.ts';

/** A Scan to the end, answered as JSON, beside reading the same entries from the Store below. */
export function measureScan(options: Options, onProgress: OnProgress): Promise<Report> {
  const size = options.small ? 500 : Math.min(options.items ?? 100_000, 100_000);
  const { rounds } = paceOf(options);
  return inFolder(async (folder) => {
    const entrants: Entrant[] = [];
    try {
      for (const store of ['memory', 'lmdb'] as const) {
        onProgress(`filling ${size} small items, ${store}`);
        const items = { count: size, item: smallItem };
        const directory = store === 'memory' ? undefined : folder;
        const db = await filledDatabase(directory, items, plainTable);
        entrants.push({ store, db, scans: [], reads: [], visits: [], megabytes: [] });
      }
      for (let round = -1; round < rounds; round++) {
        onProgress(`Scan of ${size}, round ${round + 1} of ${rounds}`);
        for (const entrant of entrants) {
          const visit = await timed(() => readStore(entrant.db, size, () => {}));
          const bytes = new Uint8Array(pageBytes + 500_000);
          const read = await timed(() => readStore(entrant.db, size, (values) => copyInto(bytes, values)));
          const scan = await timed(() => scanAll(entrant.db, size));
          if (round < 0) continue;
          entrant.visits.push(visit);
          entrant.reads.push(read);
          entrant.scans.push(scan);
          collectGarbage();
          entrant.megabytes.push(process.memoryUsage().rss / 1e6);
        }
      }
      return {
        findings: entrants.flatMap(({ store, scans, reads, megabytes }) => [
          atMost(
            `Scan of ${grouped(size)} small items, ${store}, time to that of reading the store`,
            median(scans) / median(reads),
            1.5,
          ),
          atMost(
            `memory after the last Scan to after the first, ${store}`,
            megabytes.at(-1)! / megabytes[0]!,
            1.2,
          ),
        ]),
        tables: [
          {
            title: `Scan of ${grouped(size)} small items to the end, in process`,
            head: [
              'store',
              'entries handed out, ms',
              'reading the store, ms',
              'Scan, ms',
              'MB after each Scan',
            ],
            rows: entrants.map(({ store, scans, reads, visits, megabytes }) => [
              store,
              median(visits).toFixed(1),
              median(reads).toFixed(1),
              median(scans).toFixed(1),
              megabytes.map((each) => each.toFixed(0)).join(' '),
            ]),
          },
        ],
        notes: [],
      };
    } finally {
      for (const { db } of entrants) await db.close();
    }
  });
}

interface Entrant {
  readonly store: 'memory' | 'lmdb';
  readonly db: Stator;
  /** Milliseconds. */
  readonly scans: number[];
  readonly reads: number[];
  readonly visits: number[];
  readonly megabytes: number[];
}

const pageBytes = 1 << 20;

function smallItem(index: number) {
  return { pk: { S: `P#${index}` }, sk: { S: 'S' }, n: { N: String(index) } };
}

async function timed(work: () => Promise<void>): Promise<number> {
  collectGarbage();
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function scanAll(db: Stator, size: number): Promise<void> {
  let count = 0;
  let start: unknown;
  do {
    const input = { TableName: tableName, ...(start !== undefined && { ExclusiveStartKey: start }) };
    // Only the end is parsed: reading the items is the client's affair.
    const end = Buffer.from((await wholeRequest(db, 'Scan', input)).subarray(-400)).toString('latin1');
    count += Number(/"Count":(\d+)/.exec(end)![1]);
    const key = /"LastEvaluatedKey":(\{.*?\}\})/.exec(end)?.[1];
    start = key === undefined ? undefined : JSON.parse(key);
  } while (start !== undefined);
  if (count !== size) throw new Error(`A Scan found ${count} of ${size} items`);
}

/** Everything under the kind of entries, in pages of a megabyte. */
async function readStore(
  db: Stator,
  size: number,
  take: (page: RangePage['entries']) => void,
): Promise<void> {
  const { store } = db.engine;
  let count = 0;
  for (let from = Uint8Array.of(0x10); ; ) {
    const request = { from, to: Uint8Array.of(0x11), limit: 1_000_000, maxBytes: pageBytes };
    const { entries, more } = (await store.range(request)) as RangePage;
    count += entries.length;
    take(entries);
    const last = entries.at(-1)?.key;
    if (!more || last === undefined) break;
    from = Uint8Array.of(...last, 0);
  }
  if (count !== size) throw new Error(`The store has ${count} entries, not ${size}`);
}

/** What makes it reading: a database in memory hands out references to its values and has not looked at them. */
function copyInto(bytes: Uint8Array, entries: RangePage['entries']): void {
  let at = 0;
  for (const { value } of entries) {
    bytes.set(value, at);
    at += value.length;
  }
}
