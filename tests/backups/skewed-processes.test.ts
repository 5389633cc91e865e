import { rm } from 'node:fs/promises';
import {
  CreateBackupCommand,
  CreateTableCommand,
  PutItemCommand,
  RestoreTableFromBackupCommand,
  ScanCommand,
  UpdateContinuousBackupsCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { afterEach, expect, inject, it } from 'vitest';
import type { StoreChoice } from '../../src/open-store.ts';
import { type ChildServer, startServer } from '../engine/child-server.ts';
import { freshSchema } from '../postgres/test-store.ts';
import { newDirectory } from '../storage/directories.ts';

const TableName = 'orders';
const servers: ChildServer[] = [];
const directories: string[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.kill()));
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
});

async function start(store: StoreChoice, skewMs: number): Promise<ChildServer> {
  const server = await startServer(store, '', skewMs);
  servers.push(server);
  return server;
}

/** Puts new items one after the other until it is told to end. */
class Writer {
  readonly sent: string[] = [];
  readonly acknowledged: string[] = [];
  #isOver = false;
  readonly #done: Promise<void>;

  constructor(server: ChildServer, name: string) {
    this.#done = this.#work(server, name);
  }

  async #work({ client }: ChildServer, name: string): Promise<void> {
    for (let i = 0; !this.#isOver; i++) {
      const pk = `${name} ${i}`;
      this.sent.push(pk);
      await client.send(new PutItemCommand({ TableName, Item: { pk: { S: pk } } }));
      this.acknowledged.push(pk);
    }
  }

  end(): Promise<void> {
    this.#isOver = true;
    return this.#done;
  }
}

it.each<[string, () => Promise<StoreChoice>]>([
  [
    'lmdb',
    async () => {
      const directory = await newDirectory();
      directories.push(directory);
      return { directory, shared: true };
    },
  ],
  ['postgres', async () => ({ url: inject('postgresUrl'), schema: freshSchema() })],
])('a backup has what processes with other clocks have acknowledged, on %s', async (kind, choose) => {
  const store = await choose();
  const dayMs = 86_400_000;
  const [here, behind, ahead] = (await Promise.all(
    [0, -5_000, dayMs].map((skewMs) => start(store, skewMs)),
  )) as [ChildServer, ChildServer, ChildServer];
  await here.client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    }),
  );
  await here.client.send(
    new UpdateContinuousBackupsCommand({
      TableName,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    }),
  );
  const writers = [here, behind, ahead].map((server, i) => new Writer(server, `writer ${i}`));
  const backups: { arn: string; before: string[]; early: Set<string> }[] = [];
  for (const [i, server] of [here, ahead, behind, here].entries()) {
    const isFrozen = i === 3 && kind === 'postgres';
    while (writers.some(({ acknowledged }) => acknowledged.length < 20 * (i + 1)))
      await new Promise(setImmediate);
    // Whatever it has decided by then is committed before the moment, or decided again.
    if (isFrozen) await behind.freeze();
    const before = writers.flatMap(({ acknowledged }) => acknowledged);
    const { BackupDetails } = await server.client.send(
      new CreateBackupCommand({ TableName, BackupName: `backup-${i}` }),
    );
    const early = new Set(writers.flatMap(({ sent }) => sent));
    if (isFrozen) behind.thaw();
    backups.push({ arn: BackupDetails!.BackupArn!, before, early });
  }
  await Promise.all(writers.map((writer) => writer.end()));
  for (const [i, { arn, before, early }] of backups.entries()) {
    const name = `restored-${i}`;
    await restored(here, arn, name);
    const keys = await keysIn(here, name);
    expect(
      before.filter((pk) => !keys.has(pk)),
      `lacks, backup ${i}`,
    ).toEqual([]);
    expect(
      [...keys].filter((pk) => !early.has(pk)),
      `is later, backup ${i}`,
    ).toEqual([]);
  }
});

async function restored({ client }: ChildServer, BackupArn: string, TargetTableName: string): Promise<void> {
  for (;;)
    try {
      await client.send(new RestoreTableFromBackupCommand({ BackupArn, TargetTableName }));
      break;
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'BackupInUseException') throw error;
    }
  await waitUntilTableExists(
    { client, maxWaitTime: 60, minDelay: 1, maxDelay: 1 },
    { TableName: TargetTableName },
  );
}

async function keysIn({ client }: ChildServer, name: string): Promise<Set<string>> {
  const { Items } = await client.send(new ScanCommand({ TableName: name, ConsistentRead: true }));
  return new Set(Items!.map(({ pk }) => pk!.S!));
}
