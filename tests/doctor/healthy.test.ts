import { afterEach, describe, expect, it } from 'vitest';
import cases from '../../examples/models/cases/model.ts';
import ecommerce from '../../examples/models/ecommerce/model.ts';
import feed from '../../examples/models/feed/model.ts';
import orders from '../../examples/models/orders/model.ts';
import parcels from '../../examples/models/parcels/model.ts';
import saas from '../../examples/models/saas/model.ts';
import { compile, createTableRequests, derive } from '../../src/design/index.ts';
import type { Stator } from '../../src/index.ts';
import { type Prover, proveRead, proveWrite } from '../../src/prove/prove-patterns.ts';
import { sdkSender } from '../../src/prove/sdk-sender.ts';
import { CallSource } from '../../src/workload/calls.ts';
import { Population } from '../../src/workload/population.ts';
import { sampleOf } from '../../src/workload/scale-model.ts';
import { dismissPatients, patient, symptoms } from './patient.ts';

afterEach(dismissPatients);

const calls = 20;

async function tableNames(db: Stator): Promise<string[]> {
  return (await db.listTables({})).TableNames ?? [];
}

/** Switches Time to Live on where items have an expiry time. */
async function expire(db: Stator, TableName: string): Promise<void> {
  const { Count = 0 } = await db.scan({
    ...{ TableName, FilterExpression: 'attribute_exists(expires)', ConsistentRead: true },
  });
  if (Count > 0)
    await db.updateTimeToLive({
      ...{ TableName, TimeToLiveSpecification: { Enabled: true, AttributeName: 'expires' } },
    });
}

/** Reads all that is in a stream, as its consumer would. */
async function readStream(db: Stator, TableName: string): Promise<void> {
  const { Table } = await db.describeTable({ TableName });
  const StreamArn = Table?.LatestStreamArn;
  if (StreamArn === undefined) return;
  const { StreamDescription } = await db.describeStream({ StreamArn });
  for (const { ShardId } of StreamDescription?.Shards ?? []) {
    let ShardIterator: string | undefined;
    ({ ShardIterator } = await db.getShardIterator({
      ...{ StreamArn, ShardId: ShardId!, ShardIteratorType: 'TRIM_HORIZON' },
    }));
    while (ShardIterator !== undefined) {
      const page = await db.getRecords({ ShardIterator, Limit: 1_000 });
      ShardIterator = page.NextShardIterator;
      if ((page.Records ?? []).length === 0) break;
    }
  }
}

describe('the doctor is silent', () => {
  it.each([orders, cases, ecommerce, feed, saas, parcels].map((model) => [model.name, model] as const))(
    'on a healthy run of %s',
    async (_name, model) => {
      const one = await patient();
      const { db, clock } = one;
      const compiled = compile(model, derive(model), { returnConsumedCapacity: 'INDEXES' });
      for (const { ProvisionedThroughput: _, ...request } of createTableRequests(model, compiled.design))
        await db.createTable({
          ...request,
          BillingMode: 'PAY_PER_REQUEST',
          GlobalSecondaryIndexes: request.GlobalSecondaryIndexes?.map(
            ({ ProvisionedThroughput: __, ...index }) => index,
          ),
        } as never);
      await one.pass(5 * 60_000);
      const population = new Population(sampleOf(model, 150), {
        seed: 3,
        era: { nowMs: clock.nowMicros() / 1_000, days: 90 },
      });
      population.fill();
      for (const [entity, { instances }] of population.kinds)
        for (const values of instances) {
          if (values === undefined) continue;
          const { table, items } = compiled.itemsOf(entity, values);
          for (const Item of items) await db.putItem({ TableName: table, Item: Item as never });
          clock.advanceMs(5);
        }
      const send = await sdkSender(db);
      const prover: Prover = {
        ...{ compiled, population, source: new CallSource(population, 3), counted: new Map() },
        send: async (...sent) => {
          // Calls come ten milliseconds apart, a hundred a second.
          clock.advanceMs(10);
          return send(...sent);
        },
      };
      for (const pattern of model.writes) await proveWrite(prover, pattern, calls);
      for (const pattern of model.reads) await proveRead(prover, pattern, calls);
      await one.pass(1_000);
      for (const name of await tableNames(db)) {
        await expire(db, name);
        await readStream(db, name);
      }
      const report = await one.doctor('?budget=100');
      expect(symptoms(report)).toEqual([]);
      expect(report.notSeen).toEqual([]);
      expect(report.tables.length).toBeGreaterThan(0);
    },
  );
});
