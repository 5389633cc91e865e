import { existsSync, readFileSync } from 'node:fs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { StoreChoice } from '../../src/open-store.ts';
import { runChild } from '../run-child.ts';

/** A server in a process of its own, which can be stopped in its tracks and killed. */
export interface ChildServer {
  readonly url: string;
  readonly port: number;
  readonly client: DynamoDBClient;
  /** Resolves when the process stands still. */
  freeze(): Promise<void>;
  thaw(): void;
  /** Kills it at once, and resolves when it is gone. */
  kill(): Promise<void>;
}

/** `skewMs` is how far the clock of the server is ahead of the machine's. */
export async function startServer(store: StoreChoice, buckets = '', skewMs = 0): Promise<ChildServer> {
  const child = runChild(new URL('./children/server.ts', import.meta.url), [
    JSON.stringify(store),
    buckets,
    ...(skewMs === 0 ? [] : [String(skewMs)]),
  ]);
  const line = await child.until((text) => text.startsWith('listening '));
  const url = line.slice('listening '.length);
  const client = new DynamoDBClient({
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'anyone', secretAccessKey: 'anything' },
    maxAttempts: 1,
  });
  const stat = `/proc/${child.process.pid}/stat`;
  return {
    url,
    port: Number(new URL(url).port),
    client,
    async freeze() {
      child.process.kill('SIGSTOP');
      // Where the state of a process can be seen, it is looked at until it has stopped.
      while (existsSync(stat) && !/\) [Tt] /.test(readFileSync(stat, 'utf8')))
        await new Promise(setImmediate);
    },
    thaw: () => {
      child.process.kill('SIGCONT');
    },
    async kill() {
      child.process.kill('SIGKILL');
      await child.ended;
      client.destroy();
    },
  };
}
