import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DescribeExportCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ExportTableToPointInTimeCommand,
  paginateQuery,
  paginateScan,
  ScanCommand,
  UpdateItemCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';

/**
 * A migration of a table in use: a new access pattern, "open orders of a month", needs a new index whose key attributes no
 * order has yet. Bulk work stays off the live table's read capacity: the orders come from an export.
 *
 * 1. Writers write both: the old attributes, and from now on `GSI3PK`, `GSI3SK` and `schema_version`.
 * 2. The index is created online. It is sparse: it holds nothing of old orders yet.
 * 3. An export of a moment after step 1 has every old order. It reads no read units.
 * 4. Each order is transformed and written back by an UpdateItem that takes effect once: only where `GSI3PK` is missing. So
 *    what a writer has changed since the export is not overwritten, and the work can be repeated or stopped anywhere.
 * 5. Both sides are counted.
 * 6. When the counts agree, readers turn to the index behind a flag, a few at first. Writers go on writing both, so that the
 *    flag turns readers back at any time and they find everything that was written meanwhile. Turn it back and forth once
 *    before step 4, while nobody depends on it: a way back that was never tried is none.
 */
export const indexName = 'GSI3';
export const schemaVersion = 2;

/** Orders of one status and month are spread over so many partitions of the index, or all would land on one. */
export const shards = 4;

type Item = Record<string, AttributeValue>;

/** The attributes that schema version 2 adds to an order. Pure, so that writers and the backfill agree. */
export function addedAttributes(order: Item): Item {
  const [id, at, status] = ['order_id', 'created_at', 'status'].map((name) => order[name]?.S ?? '');
  return {
    GSI3PK: { S: shardKey(status!, at!.slice(0, 7), shardOf(id!)) },
    GSI3SK: { S: `${at}#${id}` },
    schema_version: { N: String(schemaVersion) },
  };
}

function shardKey(status: string, month: string, shard: number): string {
  return `STATUS#${status}#${month}#${shard}`;
}

function shardOf(id: string): number {
  return partOf(id, shards);
}

/** Into which of so many parts a text falls: its MD5 digest as a number, modulo that. */
function partOf(text: string, parts: number): number {
  return Number(BigInt(`0x${createHash('md5').update(text).digest('hex')}`) % BigInt(parts));
}

/** Step 2. `status` and `total` are projected, because the new pattern shows them. */
export async function createIndex(client: DynamoDBClient, TableName: string): Promise<void> {
  await client.send(
    new UpdateTableCommand({
      TableName,
      AttributeDefinitions: ['GSI3PK', 'GSI3SK'].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      GlobalSecondaryIndexUpdates: [
        {
          Create: {
            IndexName: indexName,
            KeySchema: [
              { AttributeName: 'GSI3PK', KeyType: 'HASH' },
              { AttributeName: 'GSI3SK', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['status', 'total'] },
          },
        },
      ],
    }),
  );
  for (;;) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    const index = Table!.GlobalSecondaryIndexes!.find((each) => each.IndexName === indexName);
    if (index?.IndexStatus === 'ACTIVE') return;
    await sleep(50);
  }
}

/** Reads an object of the bucket that the export is in: a file below a folder, or S3's GetObject. */
export type ReadObject = (key: string) => Promise<Uint8Array>;

export interface Exported {
  /** The keys of the data files. */
  readonly files: readonly string[];
  readonly items: number;
}

/** Step 3. */
export async function exportTable(
  client: DynamoDBClient,
  TableName: string,
  S3Bucket: string,
  read: ReadObject,
): Promise<Exported> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  const { ExportDescription: begun } = await client.send(
    new ExportTableToPointInTimeCommand({ TableArn: Table!.TableArn!, S3Bucket, S3Prefix: TableName }),
  );
  for (;;) {
    const { ExportDescription: now } = await client.send(
      new DescribeExportCommand({ ExportArn: begun!.ExportArn! }),
    );
    if (now!.ExportStatus === 'FAILED') throw new Error(`The export failed: ${now!.FailureMessage}`);
    if (now!.ExportStatus === 'COMPLETED') return exportedFiles(now!.ExportManifest!, read);
    await sleep(50);
  }
}

async function exportedFiles(manifest: string, read: ReadObject): Promise<Exported> {
  const text = async (key: string) => Buffer.from(await read(key)).toString();
  const summary = JSON.parse(await text(manifest)) as { manifestFilesS3Key: string; itemCount: number };
  const lines = (await text(summary.manifestFilesS3Key)).split('\n').filter((line) => line !== '');
  const files = lines.map((line) => (JSON.parse(line) as { dataFileS3Key: string }).dataFileS3Key);
  return { files, items: summary.itemCount };
}

/** How far the write-back has come. Kept wherever the program that runs it keeps its state. */
export interface Checkpoint {
  readonly file: number;
  readonly line: number;
}

export interface WriteBack {
  updated: number;
  /** Orders that have the new attributes already: of a writer, or of an earlier run. */
  already: number;
  /** Orders that were deleted since the export. They are not brought back. */
  gone: number;
  writeUnits: number;
}

export interface WriteBackOptions {
  readonly from?: Checkpoint;
  /** Told after each order. A run that is given the last checkpoint again goes on behind it. */
  readonly checkpoint?: (at: Checkpoint) => void;
  /** So many orders a second, that the live traffic keeps its capacity. */
  readonly perSecond?: number;
}

/** Step 4. */
export async function writeBack(
  client: DynamoDBClient,
  TableName: string,
  { files }: Exported,
  read: ReadObject,
  { from = { file: 0, line: 0 }, checkpoint = () => {}, perSecond }: WriteBackOptions = {},
): Promise<WriteBack> {
  const done: WriteBack = { updated: 0, already: 0, gone: 0, writeUnits: 0 };
  for (let file = from.file; file < files.length; file++) {
    const lines = gunzipSync(await read(files[file]!))
      .toString()
      .split('\n')
      .slice(0, -1);
    for (let line = file === from.file ? from.line : 0; line < lines.length; line++) {
      const { Item } = JSON.parse(lines[line]!) as { Item: Item };
      if (Item.order_id !== undefined) await updateOne(client, TableName, Item, done);
      checkpoint({ file, line: line + 1 });
      if (perSecond !== undefined) await sleep(1_000 / perSecond);
    }
  }
  return done;
}

async function updateOne(
  client: DynamoDBClient,
  TableName: string,
  order: Item,
  done: WriteBack,
): Promise<void> {
  const { GSI3PK, GSI3SK, schema_version: version } = addedAttributes(order);
  try {
    const { ConsumedCapacity } = await client.send(
      new UpdateItemCommand({
        TableName,
        Key: { PK: order.PK!, SK: order.SK! },
        UpdateExpression: 'SET GSI3PK = :pk, GSI3SK = :sk, schema_version = :v',
        // An order that is gone must stay gone, and one whose status has changed has the attributes from its writer.
        ConditionExpression: 'attribute_exists(PK) AND attribute_not_exists(GSI3PK)',
        ExpressionAttributeValues: { ':pk': GSI3PK!, ':sk': GSI3SK!, ':v': version! },
        ReturnConsumedCapacity: 'TOTAL',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    done.updated++;
    done.writeUnits += ConsumedCapacity!.CapacityUnits!;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    if (error.Item === undefined) done.gone++;
    else done.already++;
  }
}

/** Step 5. Both counts must agree before readers turn to the index. */
export async function reconcile(
  client: DynamoDBClient,
  TableName: string,
): Promise<{ readonly orders: number; readonly indexed: number }> {
  const count = async (input: object) => {
    let found = 0;
    for (let ExclusiveStartKey: Item | undefined; ; ) {
      const page = await client.send(
        new ScanCommand({
          ...{ TableName, Select: 'COUNT', ...input },
          ...(ExclusiveStartKey && { ExclusiveStartKey }),
        }),
      );
      found += page.Count ?? 0;
      ExclusiveStartKey = page.LastEvaluatedKey;
      if (ExclusiveStartKey === undefined) return found;
    }
  };
  return {
    orders: await count({ FilterExpression: 'attribute_exists(order_id)' }),
    indexed: await count({ IndexName: indexName }),
  };
}

/** What the new pattern shows of an order. */
export interface OrderLine {
  readonly at: string;
  readonly id: string;
  readonly status: string;
  readonly total: string;
}

/** The new access pattern: one Query for each shard, merged by time. */
export async function ordersOfMonth(
  client: DynamoDBClient,
  TableName: string,
  status: string,
  month: string,
): Promise<OrderLine[]> {
  const shardsOfMonth = Array.from({ length: shards }, async (_, shard) => {
    const input = {
      ...{ TableName, IndexName: indexName, KeyConditionExpression: 'GSI3PK = :pk' },
      ExpressionAttributeValues: { ':pk': { S: shardKey(status, month, shard) } },
    };
    const lines: OrderLine[] = [];
    for await (const { Items = [] } of paginateQuery({ client }, input))
      for (const item of Items) {
        const [at, id] = item.GSI3SK!.S!.split('#') as [string, string];
        lines.push({ at, id, status: item.status!.S!, total: item.total!.N! });
      }
    return lines;
  });
  return (await Promise.all(shardsOfMonth)).flat().sort(byTime);
}

/** The same by the old attributes alone, at the price of a Scan. */
export async function ordersOfMonthByScan(
  client: DynamoDBClient,
  TableName: string,
  status: string,
  month: string,
): Promise<OrderLine[]> {
  const input = {
    TableName,
    FilterExpression: '#s = :s AND begins_with(created_at, :m)',
    ExpressionAttributeNames: { '#s': 'status' },
    ExpressionAttributeValues: { ':s': { S: status }, ':m': { S: month } },
  };
  const lines: OrderLine[] = [];
  for await (const { Items = [] } of paginateScan({ client }, input))
    for (const item of Items)
      lines.push({
        ...{ at: item.created_at!.S!, id: item.order_id!.S! },
        ...{ status: item.status!.S!, total: item.total!.N! },
      });
  return lines.sort(byTime);
}

function byTime(a: OrderLine, b: OrderLine): number {
  return `${a.at}#${a.id}` < `${b.at}#${b.id}` ? -1 : 1;
}

/** Tells how many of a hundred callers read by the index: a setting that changes without a deployment. */
export type ReaderFlag = () => number | Promise<number>;

/**
 * Step 6. The flag is asked for every call, so that a turn holds from the next call on, forth and back. A caller stays on
 * its side while the share grows.
 */
export async function readOrders(
  client: DynamoDBClient,
  TableName: string,
  { caller, status, month }: { readonly caller: string; readonly status: string; readonly month: string },
  flag: ReaderFlag,
): Promise<OrderLine[]> {
  const read = partOf(caller, 100) < (await flag()) ? ordersOfMonth : ordersOfMonthByScan;
  return read(client, TableName, status, month);
}
