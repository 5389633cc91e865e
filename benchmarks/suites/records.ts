import { isDeepStrictEqual } from 'node:util';
import { processCaller } from '../../src/engine/process-caller.ts';
import { RawJson } from '../../src/operations/operation.ts';
import { getRecords } from '../../src/operations/streams/get-records.ts';
import { converted } from '../../src/plain/from-wire.ts';
import { defaultAccountId } from '../../src/plain/plain-call.ts';
import { Stator } from '../../src/stator.ts';
import { bodyBytes } from '../../src/wire/reply-body.ts';
import { createFollowed, pageRecordsMax, pagesOf } from '../change-log/streams.ts';
import { median } from '../compare.ts';
import { plainTable } from '../growth/collection.ts';
import { inFolder, paceOf } from '../growth/databases.ts';
import type { PlainItem } from '../http/in-process.ts';
import { tableName } from '../http/items.ts';
import { ratePerSecond } from '../rates.ts';
import { grouped } from '../report.ts';
import { atLeast, type Finding, type Suite } from '../suite.ts';

/** The bar: records a second. */
const recordsMin = 100_000;

/** GetRecords from one shard, page after page, of small items with both images. */
export const records: Suite = async (options, onProgress) => {
  const { small } = options;
  const count = options.items ?? (small ? 2 : 20) * pageRecordsMax;
  if (count % pageRecordsMax !== 0) throw new RangeError(`Not a multiple of ${pageRecordsMax}: ${count}`);
  const { seconds, rounds } = paceOf(options);
  return inFolder(async (folder) => {
    const findings: Finding[] = [];
    const rows: string[][] = [];
    for (const store of ['memory', 'lmdb'] as const) {
      const db = await Stator.open(
        store === 'memory' ? {} : { store: { directory: folder, durability: 'relaxed' } },
      );
      try {
        onProgress(`${store}: ${count} writes`);
        const arn = await createFollowed(db, plainTable);
        await writeRecords(db, count);
        const written = await expectAlike(db, arn, count);
        const bytes = written.jsonBytes / written.records;
        const laps = ways.map(() => [] as Lap[]);
        for (let round = -1; round < rounds; round++) {
          onProgress(`${store}: round ${round + 1} of ${rounds}`);
          for (const [at, way] of ways.entries()) {
            const lap = await oneLap(db, arn, way, seconds);
            if (round >= 0) laps[at]!.push(lap);
          }
        }
        for (const [at, { title }] of ways.entries()) {
          const rate = median(laps[at]!.map((lap) => lap.rate));
          const micros = median(laps[at]!.map((lap) => lap.cpuMicros));
          findings.push(atLeast(`GetRecords, ${store}, ${title}`, rate, recordsMin, 'records/s'));
          rows.push([
            ...[store, title, grouped(rate), String(written.records), bytes.toFixed(0)],
            ...[((rate * bytes) / 1e6).toFixed(0), micros.toFixed(1)],
          ]);
        }
      } finally {
        await db.close();
      }
    }
    const head = [
      ...['store', 'way', 'records/s', 'records', 'bytes of JSON each', 'MB of JSON/s'],
      'processor time each, µs',
    ];
    return {
      findings,
      tables: [{ title: `Pages of ${grouped(pageRecordsMax)} records, in process`, head, rows }],
      notes: [],
    };
  });
};

/** One partition key, and so one shard. Half of the writes put new items, the others change them. */
async function writeRecords(db: Stator, count: number): Promise<void> {
  const items = count / 2;
  for (let from = 0; from < count; from += 20)
    await db.batchWriteItem({
      RequestItems: {
        [tableName]: Array.from({ length: 20 }, (_, i) => ({
          PutRequest: { Item: smallItem((from + i) % items, Math.floor((from + i) / items)) },
        })),
      },
    });
}

function smallItem(index: number, version: number): PlainItem {
  return {
    pk: { S: 'ONE' },
    sk: { S: String(index).padStart(8, '0') },
    version: { N: String(version) },
    note: { S: 'a small item' },
  };
}

interface Way {
  readonly title: string;
  read(db: Stator, iterator: string): Promise<unknown>;
}

const ways: readonly Way[] = [
  { title: 'the operation, JSON as bytes', read: readRaw },
  { title: 'plain method', read: (db, ShardIterator) => db.getRecords({ ShardIterator }) },
];

interface Lap {
  /** Records a second. */
  readonly rate: number;
  /** Processor time of a record, with that of collecting garbage. */
  readonly cpuMicros: number;
}

async function oneLap(db: Stator, arn: string, { read }: Way, seconds: number): Promise<Lap> {
  // Iterators are good for a quarter of an hour.
  const iterators: string[] = [];
  for await (const { iterator } of pagesOf(db, arn)) iterators.push(iterator);
  let pages = 0;
  const before = process.cpuUsage();
  const pagesPerSecond = await ratePerSecond(seconds, () => read(db, iterators[pages++ % iterators.length]!));
  const { user, system } = process.cpuUsage(before);
  return {
    rate: pagesPerSecond * pageRecordsMax,
    cpuMicros: (user + system) / (pages * pageRecordsMax),
  };
}

/** What every door is made of. */
async function readRaw(db: Stator, ShardIterator: string): Promise<RawJson> {
  const answer = await getRecords.handle(
    db.engine,
    { ShardIterator },
    processCaller({
      ...{ accountId: defaultAccountId, region: db.region, accessKeyId: 'benchmark' },
      ...{ requestId: 'benchmark', authorize: undefined },
    }),
  );
  if (!(answer instanceof RawJson)) throw new Error(`GetRecords was answered with ${JSON.stringify(answer)}`);
  return answer;
}

/** Both ways read the same records, full pages of them, each in its order and as many as were written. */
async function expectAlike(
  db: Stator,
  arn: string,
  count: number,
): Promise<{ readonly records: number; readonly jsonBytes: number }> {
  const sum = { records: 0, jsonBytes: 0 };
  for await (const { iterator, records } of pagesOf(db, arn)) {
    const json = bytesOf(await readRaw(db, iterator));
    const { Records: raw } = converted(JSON.parse(json.toString())) as { Records: unknown };
    if (records.length !== pageRecordsMax || !isDeepStrictEqual(raw, records))
      throw new Error(`A page of ${records.length} records is not the same both ways`);
    for (const { dynamodb } of records) {
      const turn = sum.records++;
      const wanted = smallItem(turn % (count / 2), Math.floor(turn / (count / 2)));
      if (!isDeepStrictEqual({ ...dynamodb.NewImage }, wanted))
        throw new Error(`Record ${turn} is ${JSON.stringify(dynamodb)}`);
    }
    sum.jsonBytes += json.length;
  }
  if (sum.records !== count) throw new Error(`${sum.records} records of ${count} writes`);
  return sum;
}

function bytesOf({ chunks }: RawJson): Buffer {
  return Buffer.from(bodyBytes(chunks));
}
