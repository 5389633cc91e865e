import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  ResourceNotFoundException,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe } from 'vitest';
import { Stator } from '../../src/index.ts';
import { openTestStore } from '../postgres/test-store.ts';
import { newDirectory } from '../storage/directories.ts';
import { checkAnswers } from './check-answers.ts';

/**
 * The ways into a database. A conformance test is written once, against the SDK's client and nothing else, and runs
 * through each of them; with STATOR_TEST_ENDPOINT set (a URL, or `aws` for the SDK's own endpoint and credentials)
 * it runs against that alone. AWS is called only with STATOR_TEST_AWS_CONFIRM (`docs/contributing/against-aws.md`). It must therefore hold on the real service too: tables take their time, reads are
 * strong where it matters, and names are its own.
 */
export interface Door {
  readonly client: DynamoDBClient;
  /** Whether the real service answers, which is slower, lags, and has two wordings for some errors. */
  readonly onAws: boolean;
  /** Another caller of the same endpoint. */
  clientOf(caller: { readonly region?: string; readonly accessKeyId?: string }): DynamoDBClient;
  /** A name that no other table has. */
  newName(): string;
  /** Creates a table, on demand and keyed by the string `pk` unless told otherwise, and waits until it can be used. */
  createTable(definition?: Partial<CreateTableCommandInput>): Promise<string>;
  /** For a test that creates a table itself: it is removed in the end. */
  removeLater(tableName: string): string;
}

/** How waiters wait: not at all for a database that answers at once. */
export const waiting = { minDelay: 1, maxDelay: 5, maxWaitTime: 280 };

export function throughEveryDoor(what: string, tests: (door: Door) => void): void {
  for (const [name, open] of doorsOfThisRun()) {
    describe(`${what} (${name})`, () => {
      const door = new OpenedDoor(name === 'aws');
      beforeAll(async () => door.open(await open()));
      afterAll(() => door.close());
      tests(door);
    });
  }
}

interface Endpoint {
  client(config: DynamoDBClientConfig): DynamoDBClient;
  close(): Promise<void>;
}

type OpenEndpoint = () => Promise<Endpoint>;

function doorsOfThisRun(): [name: string, open: OpenEndpoint][] {
  const given = process.env.STATOR_TEST_ENDPOINT;
  if (given === 'aws') {
    confirmAws();
    return [['aws', async () => elsewhere({ maxAttempts: 10 })]];
  }
  if (given !== undefined) return [[given, async () => elsewhere({ ...anyone, endpoint: given })]];
  return [
    ['http', () => overHttp('memory')],
    ['in process', async () => inProcess(await Stator.open())],
    [
      'lmdb over http',
      async () => {
        const directory = await newDirectory();
        return overHttp({ directory }, () => rm(directory, { recursive: true, force: true }));
      },
    ],
    [
      'postgres in process',
      async () => {
        const directory = await newDirectory();
        const db = await Stator.open({ store: await openTestStore(), kinesis: { directory } });
        return inProcess(db, () => rm(directory, { recursive: true, force: true }));
      },
    ],
  ];
}

/** Throws unless whoever runs the tests has agreed to tables in their account, which cost money. */
export function confirmAws(): void {
  if (process.env.STATOR_TEST_AWS_CONFIRM === awsConsent) return;
  throw new Error(
    `These tests would create and delete tables at AWS. Set STATOR_TEST_AWS_CONFIRM=${awsConsent} to allow it; ` +
      'docs/contributing/against-aws.md says what they touch and cost.',
  );
}

const awsConsent = 'create-and-delete-tables';

// Every answer of these tests is also held against the shape that its operation declares.
if (process.env.STATOR_TEST_ENDPOINT === undefined) checkAnswers();

/** Errors are looked at as they come, so nothing is tried twice. */
const anyone: DynamoDBClientConfig = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'anyone', secretAccessKey: 'anything' },
  maxAttempts: 1,
};

function elsewhere(base: DynamoDBClientConfig): Endpoint {
  return { client: (config) => new DynamoDBClient({ ...base, ...config }), close: async () => {} };
}

async function overHttp(
  store: 'memory' | { readonly directory: string },
  cleanUp: () => Promise<void> = async () => {},
): Promise<Endpoint> {
  const db = await Stator.open({ store });
  const { url } = await db.listen({ port: 0 });
  return {
    ...elsewhere({ ...anyone, endpoint: url }),
    close: async () => {
      await db.close();
      await cleanUp();
    },
  };
}

function inProcess(db: Stator, cleanUp: () => Promise<void> = async () => {}): Endpoint {
  return {
    client: (config) => db.client({ ...anyone, ...config }),
    close: async () => {
      await db.close();
      await cleanUp();
    },
  };
}

class OpenedDoor implements Door {
  readonly onAws: boolean;
  readonly #tables = new Set<string>();
  readonly #others: DynamoDBClient[] = [];
  #endpoint: Endpoint | undefined;
  #client: DynamoDBClient | undefined;

  constructor(onAws: boolean) {
    this.onAws = onAws;
  }

  open(endpoint: Endpoint): void {
    this.#endpoint = endpoint;
    this.#client = endpoint.client({});
  }

  get client(): DynamoDBClient {
    if (this.#client === undefined) throw new Error('The door is opened before the first test, not earlier.');
    return this.#client;
  }

  clientOf({ region, accessKeyId }: { region?: string; accessKeyId?: string }): DynamoDBClient {
    const client = this.#endpoint!.client({
      ...(region !== undefined && { region }),
      ...(accessKeyId !== undefined && { credentials: { accessKeyId, secretAccessKey: 'anything' } }),
    });
    this.#others.push(client);
    return client;
  }

  newName(): string {
    return `stator-test-${randomUUID()}`;
  }

  removeLater(tableName: string): string {
    this.#tables.add(tableName);
    return tableName;
  }

  async createTable(definition: Partial<CreateTableCommandInput> = {}): Promise<string> {
    const tableName = this.removeLater(definition.TableName ?? this.newName());
    await this.client.send(
      new CreateTableCommand({
        TableName: tableName,
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        ...(definition.ProvisionedThroughput === undefined && { BillingMode: 'PAY_PER_REQUEST' }),
        ...definition,
      }),
    );
    await waitUntilTableExists({ client: this.client, ...waiting }, { TableName: tableName });
    return tableName;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#tables].map((tableName) => this.#remove(tableName)));
    for (const client of this.#others) client.destroy();
    this.#client?.destroy();
    await this.#endpoint?.close();
  }

  async #remove(tableName: string): Promise<void> {
    try {
      await this.client.send(new DeleteTableCommand({ TableName: tableName }));
      await waitUntilTableNotExists({ client: this.client, ...waiting }, { TableName: tableName });
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error;
    }
  }
}
