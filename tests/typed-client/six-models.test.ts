import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import cases from '../../examples/models/cases/model.ts';
import ecommerce from '../../examples/models/ecommerce/model.ts';
import feed from '../../examples/models/feed/model.ts';
import orders from '../../examples/models/orders/model.ts';
import parcels from '../../examples/models/parcels/model.ts';
import saas from '../../examples/models/saas/model.ts';
import { client, type Pages } from '../../src/client/index.ts';
import { createTableRequests } from '../../src/design/create-table.ts';
import { type Instance, isAskedFor, neededOf, whyOutOfOrder } from '../../src/design/filter-answer.ts';
import {
  compile,
  type Design,
  derive,
  type Entity,
  type Model,
  type Values,
} from '../../src/design/index.ts';
import { Stator } from '../../src/index.ts';
import { CallSource } from '../../src/workload/calls.ts';
import { Population } from '../../src/workload/population.ts';
import { sampleOf } from '../../src/workload/scale-model.ts';

const era = { nowMs: Date.UTC(2026, 5, 1), days: 30 };
const models: Readonly<Record<string, Model>> = { orders, saas, ecommerce, feed, cases, parcels };

type Calls = Readonly<Record<string, (given: Values, options: object) => unknown>>;

/** Every read pattern of the six models, through the typed client, against a filter over all instances. */
describe.each(Object.entries(models))('the typed client of %s', (_, model) => {
  it('answers every pattern as a filter over all items does, in process and over HTTP', async () => {
    const design = derive(model);
    await using db = Stator.inMemory({ physics: 'off', seed: 5, observe: true });
    const population = await filled(db, model, design);
    const instances: Instance[] = [...population.kinds.values()].flatMap((kind) =>
      kind.instances.flatMap((values) =>
        values === undefined ? [] : [{ entity: kind.entity.name, values }],
      ),
    );
    const server = await db.listen({ port: 0 });
    const overHttp = new DynamoDBClient({
      endpoint: server.url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    });
    let found = 0;
    for (const [door, sdk] of [
      ['in process', db.client()],
      ['over HTTP', overHttp],
    ] as const) {
      const { patterns } = client(model, { client: sdk, design });
      const source = new CallSource(population, door === 'in process' ? 3 : 4);
      for (const pattern of model.reads) {
        for (let round = 0; round < 4; round++) {
          const call = source.read(pattern);
          if (call === undefined) continue;
          const { given, bounds } = call;
          const where = `${door}, ${pattern.name}, ${JSON.stringify({ given, bounds })}`;
          const answer = (patterns as unknown as Calls)[pattern.name]!(given, bounds);
          const items =
            pattern.result === 'one'
              ? [(await answer) as object | undefined].filter((one) => one !== undefined)
              : await (answer as Pages<object>).all();
          const got = items.map((one) =>
            pattern.entities.length === 1
              ? { entity: pattern.entities[0]!, values: one as Values }
              : (one as Instance),
          );
          const right = instances.filter(
            ({ entity, values }) =>
              pattern.entities.includes(entity) &&
              isAskedFor(entityOf(model, entity), pattern, given, bounds, values),
          );
          const needed = right.map((one) =>
            shown(one.entity, neededOf(entityOf(model, one.entity), pattern, one.values)),
          );
          const answered = got.map(({ entity, values }) => shown(entity, values)).sort();
          found += answered.length;
          if (pattern.result === 'one') {
            expect(answered.length, where).toBe(Math.min(1, right.length));
            for (const one of answered) expect(needed, where).toContain(one);
          } else expect(answered, where).toEqual(needed.sort());
          expect(whyOutOfOrder(model, pattern, got), where).toBeUndefined();
        }
      }
    }
    overHttp.destroy();
    expect(found).toBeGreaterThan(20);
    const report = await db.patterns({ minutes: 5 });
    const labels = JSON.stringify(report);
    for (const { name } of model.reads) expect(labels).toContain(`"${name}"`);
    expect(labels).not.toContain('"Scan');
  });
});

async function filled(db: Stator, model: Model, design: Design): Promise<Population> {
  const compiled = compile(model, design);
  for (const request of createTableRequests(model, design)) await db.createTable(request as never);
  const population = new Population(sampleOf(model, 900), { seed: 11, era });
  const puts: { table: string; items: readonly object[] }[] = [];
  population.fill((entity, values) => puts.push(compiled.itemsOf(entity, values)));
  for (const { table, items } of puts)
    for (const Item of items) await db.putItem({ TableName: table, Item: Item as never });
  return population;
}

function shown(entity: string, values: Values): string {
  return `${entity} ${JSON.stringify(Object.entries(values).sort())}`;
}

function entityOf(model: Model, name: string): Entity {
  return model.entities.find((one) => one.name === name)!;
}
