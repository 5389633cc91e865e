import { realpathSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  type AttributeValue,
  BatchGetItemCommand,
  DeleteTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  RestoreTableToPointInTimeCommand,
  ScanCommand,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';

/**
 * A restore drill: proves that a table can be restored, how long that takes, and what has to be set up by hand afterwards.
 * It restores the table to a moment under another name, compares items, and deletes the copy. The table itself is only read.
 *
 *     node --import tsx examples/drills/restore-drill.ts orders --at 2026-11-18T09:00:00Z --within 3600
 *
 * STATOR_ENDPOINT names a server; `aws` is DynamoDB itself, where a restore takes from minutes to hours and is paid for.
 */
export interface DrillOptions {
  readonly table: string;
  /** The latest moment that can be restored unless said otherwise. */
  readonly at?: Date;
  /** The name of the copy, which must not be there yet. */
  readonly copy: string;
  /** A drill that takes longer than so many seconds has failed. */
  readonly withinSeconds?: number;
  /** How many items to compare. */
  readonly sample?: number;
  /** Leaves the copy for a look. */
  readonly keep?: boolean;
}

export interface DrillReport {
  readonly at: string;
  readonly seconds: number;
  readonly items: number;
  /** Of the sample: as it is now, changed since that moment, and written after it. */
  readonly same: number;
  readonly changed: number;
  readonly newer: number;
  /** What the copy lacks and somebody must set up again. */
  readonly toDo: readonly string[];
  /** Why the drill has failed; nothing if it has not. */
  readonly failures: readonly string[];
}

type Item = Record<string, AttributeValue>;

export async function restoreDrill(
  client: DynamoDBClient,
  { table, at, copy, withinSeconds = Number.POSITIVE_INFINITY, sample = 500, keep = false }: DrillOptions,
): Promise<DrillReport> {
  const moment = at ?? (await latestRestorable(client, table));
  const began = performance.now();
  await client.send(
    new RestoreTableToPointInTimeCommand({
      ...{ SourceTableName: table, TargetTableName: copy },
      ...(at === undefined ? { UseLatestRestorableTime: true } : { RestoreDateTime: at }),
    }),
  );
  try {
    const restored = await untilActive(client, copy);
    const seconds = (performance.now() - began) / 1_000;
    const source = await described(client, table);
    const compared = await compare(client, source, copy, sample);
    const failures = [
      ...(seconds > withinSeconds
        ? [`The restore took ${seconds.toFixed(1)} s; ${withinSeconds} s are allowed.`]
        : []),
      ...differences(source, restored),
    ];
    const items = await countOf(client, copy);
    if (items === 0 && (source.ItemCount ?? 0) > 0) failures.push('The copy is empty.');
    return {
      ...{ at: moment.toISOString(), seconds, items, ...compared },
      toDo: await leftToDo(client, source, restored),
      failures,
    };
  } finally {
    if (!keep) await removed(client, copy);
  }
}

/** The copy goes whatever has happened. What keeps it here must not hide why the drill ended. */
async function removed(client: DynamoDBClient, TableName: string): Promise<void> {
  try {
    await client.send(new DeleteTableCommand({ TableName }));
  } catch (error) {
    const { name } = error as Error;
    if (name !== 'ResourceNotFoundException')
      console.error(`The copy ${TableName} is still there: ${messageOf(error)}. Delete it.`);
  }
}

async function latestRestorable(client: DynamoDBClient, TableName: string): Promise<Date> {
  const { ContinuousBackupsDescription: found } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName }),
  );
  const latest = found?.PointInTimeRecoveryDescription?.LatestRestorableDateTime;
  if (latest === undefined)
    throw new Error(`${TableName} has no point-in-time recovery: it could not be restored at all`);
  return latest;
}

async function described(client: DynamoDBClient, TableName: string): Promise<TableDescription> {
  return (await client.send(new DescribeTableCommand({ TableName }))).Table!;
}

async function untilActive(client: DynamoDBClient, TableName: string): Promise<TableDescription> {
  for (let ms = 20; ; ms = Math.min(ms * 2, 15_000)) {
    const table = await described(client, TableName);
    const indexes = table.GlobalSecondaryIndexes ?? [];
    if (table.TableStatus === 'ACTIVE' && indexes.every(({ IndexStatus }) => IndexStatus === 'ACTIVE'))
      return table;
    await sleep(ms);
  }
}

/** Keys, indexes and billing must be those of the table. */
function differences(source: TableDescription, restored: TableDescription): string[] {
  const shape = (table: TableDescription) => ({
    keys: table.KeySchema,
    indexes: [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])]
      .map(({ IndexName, KeySchema, Projection }) => ({ IndexName, KeySchema, Projection }))
      .sort((a, b) => (a.IndexName! < b.IndexName! ? -1 : 1)),
    billing: table.BillingModeSummary?.BillingMode ?? 'PROVISIONED',
  });
  const [wanted, found] = [shape(source), shape(restored)];
  return (['keys', 'indexes', 'billing'] as const)
    .filter((part) => JSON.stringify(wanted[part]) !== JSON.stringify(found[part]))
    .map((part) => `The ${part} of the copy differ: ${JSON.stringify(found[part])}`);
}

/** Takes items of the table as they are now and looks at what each was. */
async function compare(client: DynamoDBClient, source: TableDescription, copy: string, sample: number) {
  const names = source.KeySchema!.map(({ AttributeName }) => AttributeName!);
  const keyOf = (item: Item) => Object.fromEntries(names.map((name) => [name, item[name]!]));
  const { Items: now = [] } = await client.send(
    new ScanCommand({ TableName: source.TableName!, Limit: sample, ConsistentRead: true }),
  );
  const before = new Map<string, string>();
  for (let from = 0; from < now.length; from += 100) {
    let wanted: Item[] = now.slice(from, from + 100).map(keyOf);
    while (wanted.length > 0) {
      const page = await client.send(
        new BatchGetItemCommand({ RequestItems: { [copy]: { Keys: wanted, ConsistentRead: true } } }),
      );
      for (const item of page.Responses?.[copy] ?? []) before.set(textOf(keyOf(item)), textOf(item));
      wanted = page.UnprocessedKeys?.[copy]?.Keys ?? [];
    }
  }
  const found = now.map((item) => [textOf(item), before.get(textOf(keyOf(item)))] as const);
  return {
    same: found.filter(([is, was]) => is === was).length,
    changed: found.filter(([is, was]) => was !== undefined && is !== was).length,
    newer: found.filter(([, was]) => was === undefined).length,
  };
}

/** The members of objects, and of sets, have no order. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (name, inner: unknown) => {
    if (inner instanceof Uint8Array) return Buffer.from(inner).toString('base64');
    if (/^[SNB]S$/.test(name) && Array.isArray(inner)) return inner.map(String).sort();
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

async function countOf(client: DynamoDBClient, TableName: string): Promise<number> {
  let count = 0;
  for (let ExclusiveStartKey: Item | undefined; ; ) {
    const page = await client.send(
      new ScanCommand({ TableName, Select: 'COUNT', ...(ExclusiveStartKey && { ExclusiveStartKey }) }),
    );
    count += page.Count ?? 0;
    ExclusiveStartKey = page.LastEvaluatedKey;
    if (ExclusiveStartKey === undefined) return count;
  }
}

/** What a restore never brings along, where the table has it. */
async function leftToDo(
  client: DynamoDBClient,
  source: TableDescription,
  restored: TableDescription,
): Promise<string[]> {
  const { TimeToLiveDescription: ttl } = await client.send(
    new DescribeTimeToLiveCommand({ TableName: source.TableName! }),
  );
  const toDo: [boolean, string][] = [
    [ttl?.TimeToLiveStatus === 'ENABLED', `Time to Live on ${ttl?.AttributeName}`],
    [source.StreamSpecification?.StreamEnabled === true, 'the stream, and everything that reads it'],
    [source.DeletionProtectionEnabled === true, 'deletion protection'],
    [source.TableClassSummary?.TableClass !== restored.TableClassSummary?.TableClass, 'the table class'],
    [true, 'point-in-time recovery of the new table'],
    [true, 'tags, auto scaling, alarms, policies, and the name that programs use'],
  ];
  return toDo.flatMap(([isLeft, what]) => (isLeft ? [what] : []));
}

export function drillText(table: string, report: DrillReport): string {
  const { at, seconds, items, same, changed, newer, toDo, failures } = report;
  return [
    `${table} as of ${at}: restored ${items} items in ${seconds.toFixed(1)} s.`,
    `Of the items that were compared, ${same} are the same now, ${changed} have changed since, ${newer} are newer.`,
    'After a real restore, set up again:',
    ...toDo.map((what) => `  - ${what}`),
    ...failures.map((failure) => `FAILED: ${failure}`),
    ...(failures.length === 0 ? ['The drill has passed.'] : []),
  ].join('\n');
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      at: { type: 'string' },
      within: { type: 'string' },
      sample: { type: 'string' },
      copy: { type: 'string' },
      keep: { type: 'boolean' },
    },
  });
  const [table] = positionals;
  if (table === undefined)
    throw new Error('Name the table: restore-drill.ts <table> [--at <time>] [--within <seconds>]');
  const at = values.at === undefined ? undefined : new Date(values.at);
  if (at !== undefined && Number.isNaN(at.getTime()))
    throw new Error(`--at is no time such as 2026-11-18T09:00:00Z: ${values.at}`);
  const withinSeconds = positive('within', values.within);
  const sample = positive('sample', values.sample);
  const endpoint = process.env.STATOR_ENDPOINT ?? 'http://127.0.0.1:8000';
  const client = new DynamoDBClient(
    endpoint === 'aws'
      ? {}
      : {
          ...{ endpoint, region: process.env.AWS_REGION ?? 'us-east-1' },
          credentials: { accessKeyId: 'drill', secretAccessKey: 'drill' },
        },
  );
  const report = await restoreDrill(client, {
    table,
    copy: values.copy ?? `${table}-drill-${Date.now()}`,
    ...(at !== undefined && { at }),
    ...(withinSeconds !== undefined && { withinSeconds }),
    ...(sample !== undefined && { sample }),
    ...(values.keep === true && { keep: true }),
  });
  console.log(drillText(table, report));
  if (report.failures.length > 0) process.exitCode = 1;
}

/** A limit that is no number would never be exceeded. */
function positive(flag: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!(Number(given) > 0)) throw new Error(`--${flag} is no number above zero: ${given}`);
  return Number(given);
}

function messageOf(error: unknown): string {
  const { name, message } = error as Error;
  return name === 'Error' ? message : `${name}: ${message}`;
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  await main().catch((error: unknown) => {
    console.error(`The drill has failed. ${messageOf(error)}`);
    process.exitCode = 1;
  });
