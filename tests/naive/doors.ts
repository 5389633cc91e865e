import { rm } from 'node:fs/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type CheckReport, Stator } from '../../src/index.ts';
import { openTestStore } from '../postgres/test-store.ts';
import { newDirectory } from '../storage/directories.ts';
import type { Capabilities } from './generator.ts';

/** What the database can do today; a switch is turned on with the feature and goes away when all are on. */
export const capabilities: Capabilities = {
  expressions: true,
  updateItem: true,
  batches: true,
  transactions: true,
  searches: true,
  indexChanges: true,
};

/** A way into a database of its own: its client, and for the end the check that everything in it fits together. */
export interface Door {
  readonly client: DynamoDBClient;
  check(): Promise<CheckReport>;
  close(): Promise<void>;
}

export async function memoryInProcess(): Promise<Door> {
  return inProcess(await Stator.open());
}

export async function lmdbInProcess(): Promise<Door> {
  return inDirectory(async (db) => inProcess(db));
}

/** With sockets between, reads that answer at once leave others their turn. */
export async function lmdbOverHttp(): Promise<Door> {
  return inDirectory(overHttp);
}

export async function postgresInProcess(): Promise<Door> {
  return inProcess(await Stator.open({ store: await openTestStore() }));
}

export async function memoryOverHttp(): Promise<Door> {
  return overHttp(await Stator.open());
}

async function inDirectory(through: (db: Stator) => Promise<Door>): Promise<Door> {
  const directory = await newDirectory();
  const door = await through(await Stator.open({ store: { directory } }));
  return {
    client: door.client,
    check: door.check,
    close: async () => {
      await door.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function overHttp(db: Stator): Promise<Door> {
  const { url } = await db.listen({ port: 0 });
  const client = new DynamoDBClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'anyone', secretAccessKey: 'anything' },
    endpoint: url,
    maxAttempts: 1,
  });
  return {
    client,
    check: () => db.check(),
    close: async () => {
      client.destroy();
      await db.close();
    },
  };
}

function inProcess(db: Stator): Door {
  const client = db.client({ maxAttempts: 1 });
  return {
    client,
    check: () => db.check(),
    close: async () => {
      client.destroy();
      await db.close();
    },
  };
}
