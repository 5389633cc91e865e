import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { awsApis } from '../../src/aws-apis.ts';
import { processCaller } from '../../src/engine/process-caller.ts';
import { Stator, VirtualClock } from '../../src/index.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { Mutation, Unit } from '../../src/storage/store.ts';
import { seededRandom } from '../seeded-random.ts';
import { newDirectory } from '../storage/directories.ts';

/** A memory store that notes every mutation, in the order of the commits. */
class NotingStore extends MemoryStore {
  readonly notes: string[] = [];

  override transact<R>(unit: Unit<R>, options?: { readonly signal?: AbortSignal }): R {
    return super.transact(
      {
        ...unit,
        decide: (found) => {
          const decision = unit.decide(found);
          for (const mutation of decision.mutations) this.notes.push(noteOf(mutation));
          return decision;
        },
      },
      options,
    );
  }

  /** All values, as they lie in the store. */
  dump(): string[] {
    const end = new Uint8Array(64).fill(255);
    const { entries } = this.range({ from: new Uint8Array(), to: end, limit: 1_000_000, maxBytes: 1e9 });
    return entries.map(({ key, value }) => `${hex(key)} ${hex(value)}`);
  }
}

/** All that one run of the workload leaves, as lines. */
export interface Traces {
  readonly answers: readonly string[];
  readonly mutations: readonly string[];
  readonly values: readonly string[];
  readonly observed: readonly string[];
  readonly files: readonly string[];
}

const orders = 'orders';
const streamArn = 'arn:aws:kinesis:us-east-1:000000000000:stream/changes';
const rounds = 12;
const startMs = Date.UTC(2026, 4, 5, 6);

/**
 * Requests of many kinds, some at the same time, with all background work: expiry, an index that is filled, streams,
 * Kinesis, alarms, scaling, metrics, backups, restores, exports to files, imports, and the physics of `enforce`. What is
 * asked and when follows from `seed`; `delay` holds up the machine here and there, which must make no difference.
 */
export async function mixedWorkload(seed: number, delay: () => Promise<void>): Promise<Traces> {
  const root = await newDirectory();
  for (const bucket of ['exports', 'imports']) await mkdir(join(root, bucket));
  await writeFile(
    join(root, 'imports', 'rows.csv'),
    ['pk,sk', ...numbers(40, (n) => `r${n},${n}`)].join('\n'),
  );
  const clock = new VirtualClock(startMs);
  const store = new NotingStore();
  const db = await Stator.open({
    ...{ store, clock, seed, observe: true, physics: 'enforce', s3: { directory: root } },
    alarmActions: { note: { file: join(root, 'alarms.jsonl') } },
  });
  const run = new Run(db, clock, seed, delay);
  try {
    await run.prepare();
    for (let round = 0; round < rounds; round++) await run.round(round);
    await run.end();
    const { account, region } = { account: '000000000000', region: db.region };
    const observed = [
      JSON.stringify(await db.patterns({ minutes: 600 })),
      JSON.stringify(await db.physics(orders)),
      JSON.stringify(await db.observation.list({ accountId: account, region })),
      jsonOf(await db.observation.processMetrics(undefined)),
      jsonOf(db.kinesisRecords(streamArn)),
      JSON.stringify(await db.check()),
    ];
    return {
      answers: run.answers,
      mutations: store.notes,
      values: store.dump(),
      observed,
      files: await filesOf(root),
    };
  } finally {
    await db.close();
  }
}

class Run {
  readonly answers: string[] = [];
  readonly #db: Stator;
  readonly #clock: VirtualClock;
  readonly #random: ReturnType<typeof seededRandom>;
  readonly #delay: () => Promise<void>;
  #number = 0;
  #backups: string[] = [];

  constructor(db: Stator, clock: VirtualClock, seed: number, delay: () => Promise<void>) {
    this.#db = db;
    this.#clock = clock;
    this.#random = seededRandom(seed);
    this.#delay = delay;
  }

  async prepare(): Promise<void> {
    await this.#ask('createTable', {
      ...table(orders),
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      BillingMode: 'PROVISIONED',
      ProvisionedThroughput: { ReadCapacityUnits: 200, WriteCapacityUnits: 400 },
      GlobalSecondaryIndexes: [
        {
          ...index('by-sk', 'sk'),
          ProvisionedThroughput: { ReadCapacityUnits: 50, WriteCapacityUnits: 400 },
        },
      ],
    });
    this.#clock.advanceMs(60_000);
    await this.#ask('updateTimeToLive', {
      TableName: orders,
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    });
    await this.#ask('updateContinuousBackups', {
      TableName: orders,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
    await this.#ask('enableKinesisStreamingDestination', { TableName: orders, StreamArn: streamArn });
    await this.#alarm();
    await this.#pass(60_000);
  }

  async round(round: number): Promise<void> {
    await Promise.all(numbers(40, () => this.#request()));
    await this.#delay();
    await this.#pass(this.#random.below(30_000));
    if (round === 2) await this.#addIndex();
    if (round === 4) await this.#grow();
    if (round === 3 || round === 5) {
      const backup = await this.#ask('createBackup', { TableName: orders, BackupName: `b-${round}` });
      this.#backups.push((backup as { BackupDetails: { BackupArn: string } }).BackupDetails.BackupArn);
    }
    if (round === 6) await this.#export();
    if (round === 7) await this.#import();
    if (round === 8)
      await this.#ask('restoreTableFromBackup', { TargetTableName: 'copy', BackupArn: this.#backups[0] });
    if (round === 9)
      await this.#ask('restoreTableToPointInTime', {
        ...{ SourceTableName: orders, TargetTableName: 'past' },
        UseLatestRestorableTime: true,
      });
    if (round === 10) await this.#ask('deleteTable', { TableName: 'imported' });
    // Background work and requests at the same time, as the turns give it.
    const requests = numbers(10, () => this.#request());
    this.#clock.advanceMs(60_000);
    await Promise.all(requests);
    if (this.#random.chance(0.5)) await this.#db.settled();
  }

  async end(): Promise<void> {
    for (let times = 0; times < 8; times++) await this.#pass(8 * 3_600_000);
    for (const name of [orders, 'copy', 'past']) await this.#ask('describeTable', { TableName: name });
    for (const name of [orders, 'copy', 'past']) await this.#ask('scan', { TableName: name });
    await this.#ask('listExports', {});
    await this.#ask('listImports', {});
    await this.#ask('listBackups', {});
  }

  async #pass(ms: number): Promise<void> {
    this.#clock.advanceMs(ms);
    await this.#db.settled();
  }

  #request(): Promise<unknown> {
    const random = this.#random;
    const Key = { pk: { S: `p${random.below(12)}` }, sk: { S: `s${random.below(6)}` } };
    const seconds = Math.floor(this.#clock.nowMs() / 1000) + random.below(400_000);
    const Item = { ...Key, ttl: { N: String(seconds) }, v: { S: 'x'.repeat(random.below(900)) } };
    const TableName = orders;
    switch (random.below(8)) {
      case 0:
        return this.#ask('getItem', { TableName, Key });
      case 1:
        return this.#ask('deleteItem', { TableName, Key, ReturnValues: 'ALL_OLD' });
      case 2:
        return this.#ask('updateItem', {
          ...{ TableName, Key, UpdateExpression: 'ADD n :one' },
          ExpressionAttributeValues: { ':one': { N: '1' } },
        });
      case 3:
        return this.#ask('transactWriteItems', {
          ClientRequestToken: `token-${random.below(50)}`,
          TransactItems: [{ Put: { TableName, Item } }],
        });
      case 4:
        return this.#ask('query', {
          ...{ TableName, IndexName: 'by-sk', KeyConditionExpression: 'sk = :sk' },
          ExpressionAttributeValues: { ':sk': Key.sk },
        });
      case 5:
        return this.#ask('transactGetItems', { TransactItems: [{ Get: { TableName, Key } }] });
      default:
        return this.#ask('putItem', { TableName, Item, ReturnConsumedCapacity: 'INDEXES' });
    }
  }

  /** Calls a method, and notes the answer or the refusal with a request id. */
  async #ask(method: string, input: object): Promise<unknown> {
    const number = this.#number++;
    const methods = this.#db as unknown as Record<string, (input: object) => Promise<unknown>>;
    const answer = await methods[method]!.call(this.#db, input).catch((error: Error) => error);
    const text = answer instanceof Error ? `${answer.name}: ${answer.message}` : jsonOf(answer);
    this.answers.push(`${number} ${method} ${this.#db.newRequestId()} ${text}`);
    return answer;
  }

  async #addIndex(): Promise<void> {
    await this.#ask('updateTable', {
      TableName: orders,
      AttributeDefinitions: attributes,
      GlobalSecondaryIndexUpdates: [
        {
          Create: {
            ...index('by-v', 'v'),
            ProvisionedThroughput: { ReadCapacityUnits: 50, WriteCapacityUnits: 400 },
          },
        },
      ],
    });
  }

  /** More capacity than one partition has: the table splits. */
  async #grow(): Promise<void> {
    const ProvisionedThroughput = { ReadCapacityUnits: 9_000, WriteCapacityUnits: 3_500 };
    await this.#ask('updateTable', { TableName: orders, ProvisionedThroughput });
  }

  async #export(): Promise<void> {
    await this.#ask('exportTableToPointInTime', {
      TableArn: `arn:aws:dynamodb:us-east-1:000000000000:table/${orders}`,
      S3Bucket: 'exports',
    });
  }

  async #import(): Promise<void> {
    await this.#ask('importTable', {
      S3BucketSource: { S3Bucket: 'imports', S3KeyPrefix: 'rows' },
      InputFormat: 'CSV',
      TableCreationParameters: { ...table('imported'), BillingMode: 'PAY_PER_REQUEST' },
    });
  }

  async #alarm(): Promise<void> {
    const caller = processCaller({
      ...{ accountId: '000000000000', region: this.#db.region, accessKeyId: 'key', requestId: 'id' },
      authorize: undefined,
    });
    const service = awsApis(() => this.#db.monitoring)[0]!;
    const answer = await service.operations.get('PutMetricAlarm')!.handle(
      {
        ...{ AlarmName: 'busy', Namespace: 'AWS/DynamoDB', MetricName: 'ConsumedWriteCapacityUnits' },
        ...{
          Dimensions: [{ Name: 'TableName', Value: orders }],
          Statistic: 'Sum',
          Period: 60,
          Threshold: 20,
        },
        ...{ EvaluationPeriods: 1, ComparisonOperator: 'GreaterThanThreshold', ActionsEnabled: true },
        ...{ AlarmActions: ['note'], OKActions: ['note'] },
      },
      caller,
    );
    this.answers.push(`PutMetricAlarm ${jsonOf(answer)}`);
  }
}

const attributes = ['pk', 'sk', 'v'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' }));

function table(TableName: string) {
  return {
    TableName,
    AttributeDefinitions: attributes.slice(0, 2),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
  };
}

function index(IndexName: string, AttributeName: string) {
  return {
    IndexName,
    KeySchema: [{ AttributeName, KeyType: 'HASH' }],
    Projection: { ProjectionType: 'ALL' },
  };
}

function noteOf(mutation: Mutation): string {
  switch (mutation.kind) {
    case 'put':
      return `put ${hex(mutation.key)} ${digest(mutation.value)}`;
    case 'delete':
      return `delete ${hex(mutation.key)}`;
    case 'add':
      return `add ${hex(mutation.counter)} ${mutation.delta}`;
    case 'append':
      return `append ${hex(mutation.bucket)} ${digest(mutation.record)}`;
  }
}

/** Every file below a folder and the digest of its content; temporary names never stay. */
async function filesOf(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const lines = paths
    .sort()
    .map(async (path) => `${path.slice(root.length)} ${digest(await readFile(path))}`);
  return Promise.all(lines);
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part instanceof Uint8Array ? hex(part) : part instanceof Set ? [...part] : part,
  );
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex').slice(0, 16);
const numbers = <T>(count: number, make: (number: number) => T) =>
  Array.from({ length: count }, (_, number) => make(number));
