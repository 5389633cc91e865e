import { rm } from 'node:fs/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Stator } from '../../src/index.ts';
import { newDirectory } from '../storage/directories.ts';
import type { Capabilities } from './generator.ts';

/** What the database can do today; a switch is turned on with the feature and goes away when all are on. */
export const capabilities: Capabilities = {
  expressions: true,
  updateItem: true,
  batches: true,
  searches: true,
};

/** A way into a database of its own: nothing of the database but its client is used. */
export interface Door {
  readonly client: DynamoDBClient;
  close(): Promise<void>;
}

export async function memoryInProcess(): Promise<Door> {
  return inProcess(await Stator.open());
}

export async function lmdbInProcess(): Promise<Door> {
  const directory = await newDirectory();
  const door = inProcess(await Stator.open({ store: { directory } }));
  return {
    client: door.client,
    close: async () => {
      await door.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export async function memoryOverHttp(): Promise<Door> {
  const db = await Stator.open();
  const { url } = await db.listen({ port: 0 });
  const client = new DynamoDBClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'anyone', secretAccessKey: 'anything' },
    endpoint: url,
    maxAttempts: 1,
  });
  return {
    client,
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
    close: async () => {
      client.destroy();
      await db.close();
    },
  };
}
