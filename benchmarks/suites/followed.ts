import { isDeepStrictEqual } from 'node:util';
import type { Stator } from '../../src/stator.ts';
import { bothImages, createFollowed, pagesOf } from '../change-log/streams.ts';
import { median } from '../compare.ts';
import { inFolder, type Pace, paceOf } from '../growth/databases.ts';
import { askServer } from '../http/ask-server.ts';
import { builtStator } from '../http/built-package.ts';
import type { PlainItem } from '../http/in-process.ts';
import { Orders, tableDefinition, tableName } from '../http/items.ts';
import { checkAll, jobBasis, type ServerSettings, withServers } from '../http/measure-servers.ts';
import { someOf } from '../http/request-pool.ts';
import { ratePerSecond } from '../rates.ts';
import { grouped } from '../report.ts';
import {
  atMost,
  type Finding,
  type OnProgress,
  type Options,
  type Report,
  suiteOf,
  type Table,
} from '../suite.ts';
import { httpSettings } from './http.ts';

/** The bar: what a put to a followed table costs, to one that nobody follows. */
const costMax = 1.6;

/** Puts to a table with a stream of both images beside puts to one without: in-process, http, or both. */
export const followed = suiteOf({ 'in-process': inProcessPart, http: httpPart });

/** Items that every put changes; there are few, so that what is measured is not the size of a table. */
const sampleMax = 5_000;
const followedName = 'FollowedOrders';

/** Two tables of one store, by plain methods. */
async function inProcessPart(options: Options, onProgress: OnProgress): Promise<Report> {
  const { small, seed } = options;
  const orders = new Orders(options.items ?? (small ? 100 : 20_000), seed);
  const pace = { ...paceOf(options), sample: someOf(orders.count, Math.min(orders.count, sampleMax), seed) };
  const { Stator: built } = await builtStator();
  return inFolder(async (folder) => {
    const findings: Finding[] = [];
    const rows: string[][] = [];
    for (const { store, callers } of [
      { store: 'memory', callers: 1 },
      { store: 'lmdb, durable', callers: small ? 4 : 64 },
    ] as const) {
      const db = await built.open(store === 'memory' ? {} : { store: { directory: folder } });
      try {
        const sides = [await openSide(db, tableName), await openSide(db, followedName)];
        await takeTurns(sides, callers, orders, pace, (what) => onProgress(`${store}: ${what}`));
        const [without, following] = sides.map(({ rates }) => median(rates));
        const title = `PutItem, plain methods, ${store}, ${callers} callers: its cost when followed`;
        findings.push(atMost(title, without! / following!, costMax));
        for (const side of sides) {
          const records = side.streamArn === undefined ? 0 : await countRecords(side, orders);
          const sums = [grouped(median(side.rates)), String(side.puts), String(records)];
          rows.push([store, String(callers), side.table, ...sums]);
        }
      } finally {
        await db.close();
      }
    }
    const head = ['store', 'callers', 'table', 'puts/s', 'puts in all', 'records in its stream'];
    return { findings, tables: [{ title: 'Plain methods', head, rows }], notes: [] };
  });
}

interface Side {
  readonly db: Stator;
  readonly table: string;
  readonly streamArn: string | undefined;
  readonly rates: number[];
  puts: number;
}

async function openSide(db: Stator, table: string): Promise<Side> {
  const definition = { ...tableDefinition, TableName: table };
  const isFollowed = table === followedName;
  if (!isFollowed) await db.createTable(definition as unknown as Parameters<Stator['createTable']>[0]);
  const streamArn = isFollowed ? await createFollowed(db, definition) : undefined;
  return { db, table, streamArn, rates: [], puts: 0 };
}

/** The first pass over the sample puts new items, and is part of warming up where the sample is small enough. */
async function takeTurns(
  sides: readonly Side[],
  callers: number,
  orders: Orders,
  { seconds, rounds, sample }: Pace & { readonly sample: Uint32Array },
  onProgress: OnProgress,
): Promise<void> {
  const versions = [0, 1].map((version) =>
    Array.from(sample, (index) => orders.item(index, version) as PlainItem),
  );
  const put = (side: Side) => {
    const turn = side.puts++;
    const version = versions[Math.floor(turn / sample.length) % versions.length]!;
    return side.db.putItem({ TableName: side.table, Item: version[turn % sample.length]! });
  };
  for (const side of sides) await Promise.all(Array.from(sample, () => put(side)));
  for (let round = -1; round < rounds; round++) {
    onProgress(`round ${round + 1} of ${rounds}`);
    for (const side of sides) {
      const rate = await ratePerSecond(seconds, () => put(side), callers);
      if (round >= 0) side.rates.push(rate);
    }
  }
}

/** Every put changed its item, so there is a record of every one, and the last of an item shows what is in the table. */
async function countRecords({ db, table, streamArn }: Side, orders: Orders): Promise<number> {
  let count = 0;
  const last = new Map<number, object | undefined>();
  const watched = new Set(orders.spread(0, 25));
  for await (const { records } of pagesOf(db, streamArn!)) {
    count += records.length;
    for (const { dynamodb } of records) {
      const index = Orders.indexOf(dynamodb.Keys as never);
      if (watched.has(index)) last.set(index, dynamodb.NewImage);
    }
  }
  for (const [index, image] of last) {
    const { Item: item } = await db.getItem({ TableName: table, Key: orders.key(index) as PlainItem });
    if (!isDeepStrictEqual(item, image))
      throw new Error(`Item ${index} is not what its last record shows: ${JSON.stringify({ item, image })}`);
  }
  return count;
}

/** Two servers of a kind with the same table, of which one has a stream. */
async function httpPart(options: Options, onProgress: OnProgress): Promise<Report> {
  const tables: Table[] = [];
  const findings: Finding[] = [];
  const notes: string[] = [];
  for (const { name, connections } of [
    { name: 'stator', connections: 16 },
    { name: 'stator-lmdb', connections: 64 },
  ] as const) {
    const settings: ServerSettings = {
      ...httpSettings({ ...options, what: ['put'] }),
      contenders: [name, name],
      connections: options.connections ?? (options.small ? 4 : connections),
    };
    await withServers(settings, onProgress, async (running) => {
      const [without, following] = running.servers;
      await askServer(following!, 'UpdateTable', { TableName: tableName, ...bothImages });
      const hash = await checkAll(running.servers, running.generator, settings);
      const rates = new Map(running.servers.map((server) => [server, [] as number[]]));
      for (let round = 0; round < settings.rounds; round++)
        for (const [server, done] of rates) {
          onProgress(`${name}: PutItem, round ${round + 1} of ${settings.rounds}`);
          const { seconds, warmUpSeconds } = settings;
          const job = { kind: 'measure', names: ['put'], seconds, warmUpSeconds } as const;
          const load = await running.generator.run({ ...jobBasis(server, settings), ...job });
          done.push(load.operations / load.seconds);
        }
      if ((await checkAll(running.servers, running.generator, settings)) !== hash)
        throw new Error('The items are not what they were');
      const [plainly, told] = [without!, following!].map((server) => median(rates.get(server)!));
      const title = `PutItem, HTTP, ${name}, ${settings.connections} connections: its cost when followed`;
      findings.push(atMost(title, plainly! / told!, costMax));
      tables.push({
        title: `HTTP, ${name}, ${settings.connections} connections`,
        head: ['table', 'puts/s'],
        rows: [
          ['nobody follows', grouped(plainly!)],
          ['followed', grouped(told!)],
        ],
      });
      notes.push(...running.notes);
    });
  }
  return { findings, tables, notes };
}
