import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { Stator, type StatorOptions, VirtualClock } from '../../src/index.ts';
import type { Resource } from '../../src/physics/resource.ts';

export const startMs = Date.UTC(2026, 10, 18, 9);
export const scope = { account: '000000000000', region: 'us-east-1' };

/** A database in memory with one table that is ready, and a client of the SDK that tries everything once. */
export async function opened(
  table: CreateTableCommandInput,
  options: StatorOptions,
): Promise<{ db: Stator; clock: VirtualClock; client: DynamoDBClient }> {
  const clock = new VirtualClock(startMs);
  const db = await Stator.open({ clock, seed: 5, ...options });
  const client = db.client({ maxAttempts: 1 });
  await client.send(new CreateTableCommand(table));
  // In enforce a table takes its time to be created.
  clock.advanceMs(60_000);
  return { db, clock, client };
}

export function tableWith(more: Partial<CreateTableCommandInput> = {}): CreateTableCommandInput {
  return {
    TableName: 'Tracking',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'S' },
    ],
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    ...more,
  };
}

/** The table, or one of its indexes, as the model sees it. */
export function resourceOf(db: Stator, indexName?: string, tableName = 'Tracking'): Resource {
  const found = db.engine.capacity.find(scope, tableName)!;
  return indexName === undefined ? found.main : found.ofIndex(indexName);
}

export interface Stream {
  /** Requests a second. */
  readonly rate: number;
  keyOf(request: number): string;
}

/** Puts items of one unit at given rates, the clock moving by 10 ms at a time. Answers the errors by partition key. */
export async function putAtRates(
  { client, clock }: { client: DynamoDBClient; clock: VirtualClock },
  seconds: number,
  streams: readonly Stream[],
): Promise<{ done: number; refused: Map<string, Error[]> }> {
  const sent = streams.map(() => 0);
  const refused = new Map<string, Error[]>();
  let done = 0;
  for (let step = 1; step <= seconds * 100; step++) {
    for (const [i, { rate, keyOf }] of streams.entries()) {
      const due = Math.floor((rate * step) / 100);
      for (; sent[i]! < due; sent[i]!++) {
        const pk = keyOf(sent[i]!);
        const Item = { pk: { S: pk }, sk: { S: `EVENT#${step}#${sent[i]}` } };
        try {
          await client.send(new PutItemCommand({ TableName: 'Tracking', Item }));
          done++;
        } catch (error) {
          refused.set(pk, [...(refused.get(pk) ?? []), error as Error]);
        }
      }
    }
    clock.advanceMs(10);
  }
  return { done, refused };
}
