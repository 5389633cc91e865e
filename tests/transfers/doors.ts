import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  DescribeImportCommand,
  DynamoDBClient,
  ImportTableCommand,
  type ImportTableCommandInput,
  type ImportTableDescription,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';

/** A database whose buckets are folders, behind one of its doors. */
export interface TransferDoor {
  db: Stator;
  clock: VirtualClock;
  client: DynamoDBClient;
  url: string | undefined;
  /** The folder of the bucket `data`. */
  bucket: string;
}

export function throughBothDoors(what: string, tests: (door: TransferDoor) => void): void {
  for (const isServer of [false, true])
    describe(`${what} (${isServer ? 'lmdb over http' : 'memory, in process'})`, () => {
      const door = {} as TransferDoor;
      let root: string;
      beforeAll(async () => {
        root = await mkdtemp(join(tmpdir(), 'stator-transfers-'));
        door.bucket = join(root, 'buckets', 'data');
        await mkdir(door.bucket, { recursive: true });
        door.clock = new VirtualClock(Date.UTC(2026, 10, 18, 9));
        door.db = await Stator.open({
          clock: door.clock,
          s3: { directory: join(root, 'buckets') },
          ...(isServer && { store: { directory: join(root, 'db'), durability: 'relaxed' as const } }),
        });
        door.url = isServer ? (await door.db.listen({ port: 0 })).url : undefined;
        const credentials = { accessKeyId: 'anyone', secretAccessKey: 'anything' };
        door.client = isServer
          ? new DynamoDBClient({ endpoint: door.url!, region: 'us-east-1', credentials, maxAttempts: 1 })
          : door.db.client();
      });
      afterAll(async () => {
        door.client.destroy();
        await door.db.close();
        await rm(root, { recursive: true, force: true });
      });
      tests(door);
    });
}

export async function putObject({ bucket }: TransferDoor, key: string, body: string | Uint8Array) {
  const path = join(bucket, key);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, body);
}

export const keyedByPk = {
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' as const }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' as const }],
  BillingMode: 'PAY_PER_REQUEST' as const,
};

let imports = 0;

/** Imports into a new table and waits for the end. */
export async function importAll(
  { client, db }: TransferDoor,
  S3KeyPrefix: string,
  input: Partial<ImportTableCommandInput> = {},
): Promise<ImportTableDescription & { readonly TableName: string }> {
  const TableName = input.TableCreationParameters?.TableName ?? `imported-${++imports}`;
  const { ImportTableDescription: begun } = await client.send(
    new ImportTableCommand({
      S3BucketSource: { S3Bucket: 'data', S3KeyPrefix },
      InputFormat: 'DYNAMODB_JSON',
      TableCreationParameters: { TableName, ...keyedByPk },
      ...input,
    }),
  );
  await db.settled();
  const described = await client.send(new DescribeImportCommand({ ImportArn: begun!.ImportArn! }));
  return { ...described.ImportTableDescription!, TableName };
}

/** All items, by their JSON, in one order. */
export async function itemsOf({ client }: TransferDoor, TableName: string, IndexName?: string) {
  const items: string[] = [];
  for (let start: Record<string, never> | undefined; ; ) {
    const page = await client.send(new ScanCommand({ TableName, IndexName, ExclusiveStartKey: start }));
    for (const item of page.Items ?? []) items.push(JSON.stringify(sorted(item)));
    if (page.LastEvaluatedKey === undefined) return items.sort();
    start = page.LastEvaluatedKey as Record<string, never>;
  }
}

/** With the members of objects and of sets in one order: neither has one. */
function sorted(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => {
        const isSet = /^[SNB]S$/.test(name) && Array.isArray(each);
        const inner = sorted(each);
        return [name, isSet ? (inner as string[]).sort() : inner];
      }),
  );
}
