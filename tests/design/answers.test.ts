import { describe, expect, it } from 'vitest';
import { compile } from '../../src/design/compile/compile.ts';
import type { Page } from '../../src/design/compile/read-plan.ts';
import type { Bounds } from '../../src/design/compile/read-range.ts';
import { type Request, run } from '../../src/design/compile/requests.ts';
import type { Value, Values } from '../../src/design/compile/values.ts';
import { createTableRequests } from '../../src/design/create-table.ts';
import { type Instance, isAskedFor, neededOf, whyOutOfOrder } from '../../src/design/filter-answer.ts';
import {
  type CompiledDesign,
  type Design,
  derive,
  type Entity,
  type Model,
  ModelError,
  type ReadPattern,
} from '../../src/design/index.ts';
import { Stator } from '../../src/index.ts';
import { rounds, type SeededRandom, seededRandom } from '../seeded-random.ts';
import { randomModel } from './random-model.ts';

const models = rounds(160, 13);

/** The compiled requests run on the engine; a filter over all instances tells what is right. */
describe('derived plans', () => {
  it(
    `answer every pattern of ${models} random models as a filter over all items does, in order, page by page`,
    async () => {
      const counts = { asked: 0, found: 0, pages: 0, calls: 0, filtered: 0, gathered: 0 };
      for (let round = 0; round < models; round++) {
        const random = seededRandom(31_000 + round);
        const model = randomModel(random, {
          entities: 1 + (round % 2),
          attributes: 4,
          patterns: 5,
          aggregates: round % 2 === 1,
          strong: round % 3 === 0,
          ...(round % 4 === 1 ? {} : { quiet: true }),
        });
        const design = derived(model);
        if (design === undefined) continue;
        const instances = model.entities.flatMap((entity) => drawInstances(random, entity));
        const compiled = compile(model, design);
        await using db = Stator.inMemory({ physics: 'off', seed: round });
        for (const request of createTableRequests(model, design)) await db.createTable(request as never);
        for (const { entity, values } of instances) {
          const { table, items } = compiled.itemsOf(entity, values);
          for (const item of items) await db.putItem({ TableName: table, Item: item as never });
        }
        for (const pattern of model.reads) {
          const { plan } = compiled.reads.get(pattern.name)!;
          for (let call = 0; call < 3; call++) {
            const { given, bounds } = drawArguments(random, pattern, instances, (name) => {
              const { attributes } = entityOf(model, pattern.entities[0]!);
              return attributes.find((one) => one.name === name)!.type.kind;
            });
            const where = `round ${round}, ${pattern.name}, ${JSON.stringify({ given, bounds })}`;
            const answer = await readAll(db, compiled, pattern, given, bounds, counts);
            const right = instances.filter(
              ({ entity, values }) =>
                pattern.entities.includes(entity) &&
                isAskedFor(entityOf(model, entity), pattern, given, bounds, values),
            );
            counts.asked++;
            counts.found += right.length;
            if (plan.filter.length > 0) counts.filtered++;
            if (plan.calls > 1) counts.gathered++;
            const shown = (one: Instance, values: Values) =>
              `${one.entity} ${JSON.stringify(Object.entries(values).sort())}`;
            const needed = right.map((one) =>
              shown(one, neededOf(entityOf(model, one.entity), pattern, one.values)),
            );
            expect(answer.map((one) => shown(one, one.values)).sort(), where).toEqual(needed.sort());
            const whole = answer.map(({ entity, values }) => ({
              entity,
              values: right.find(
                (one) =>
                  one.entity === entity &&
                  entityOf(model, entity).identity.every((name) => one.values[name] === values[name]),
              )!.values,
            }));
            expect(whyOutOfOrder(model, pattern, whole), where).toBeUndefined();
          }
        }
      }
      expect(counts.asked).toBeGreaterThan(models);
      expect(counts.found).toBeGreaterThan(models);
      expect(counts.pages).toBeGreaterThan(counts.asked);
      expect(counts.filtered).toBeGreaterThan(10);
      expect(counts.gathered).toBeGreaterThan(10);
    },
    rounds(120_000, 13),
  );
});

/** All pages of one call; each has at most the pattern's items. */
async function readAll(
  db: Stator,
  compiled: CompiledDesign,
  pattern: ReadPattern,
  given: Values,
  bounds: Bounds,
  counts: { pages: number; calls: number },
): Promise<Page['items']> {
  const send = (request: Request) => {
    counts.calls++;
    const name = request.operation.charAt(0).toLowerCase() + request.operation.slice(1);
    return (db as unknown as Record<string, (input: object) => Promise<unknown>>)[name]!(request.input);
  };
  const items: Page['items'][number][] = [];
  // Small pages, so that most answers have several.
  const limit = pattern.page === 'all' ? undefined : 3;
  let cursor: string | undefined;
  do {
    const page = await run(compiled.read(pattern.name, given, { ...bounds, cursor, limit }), send);
    counts.pages++;
    expect(page.items.length).toBeLessThanOrEqual(limit ?? Number.POSITIVE_INFINITY);
    items.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return items;
}

function entityOf(model: Model, name: string): Entity {
  return model.entities.find((one) => one.name === name)!;
}

function derived(model: Model): Design | undefined {
  try {
    return derive(model);
  } catch (error) {
    if (error instanceof ModelError) return undefined;
    throw error;
  }
}

function drawInstances(random: SeededRandom, entity: Entity): Instance[] {
  const instances = new Map<string, Instance>();
  for (let at = 0; at < 40; at++) {
    const values: Record<string, Value> = {};
    for (const { name, type, optional } of entity.attributes) {
      if (optional && random.chance(0.3)) continue;
      if (type.kind === 'choice') values[name] = random.pick(['X', 'Y']);
      else if (type.kind === 'time') values[name] = new Date(1.7e12 + random.below(4) * 1_000).toISOString();
      else values[name] = random.pick(['k', 'ka', 'l', 'm']);
    }
    instances.set(entity.identity.map((name) => String(values[name])).join('#'), {
      entity: entity.name,
      values,
    });
  }
  return [...instances.values()];
}

function drawArguments(
  random: SeededRandom,
  pattern: ReadPattern,
  instances: readonly Instance[],
  typeOf: (attribute: string) => string,
): { readonly given: Values; readonly bounds: Bounds } {
  const own = instances.filter(({ entity }) => pattern.entities.includes(entity));
  const { values } = random.pick(own);
  const given: Record<string, Value> = {};
  // Callers ask for values that nothing has, too.
  const unknown = { choice: 'Y', time: '2026-01-01T00:00:00.000Z' } as Readonly<Record<string, string>>;
  for (const name of pattern.by) given[name] = values[name] ?? unknown[typeOf(name)] ?? 'k';
  if (pattern.range === undefined) return { given, bounds: {} };
  const { attribute } = pattern.range;
  const found = [values, random.pick(instances).values, ...own.map((one) => one.values)].flatMap(
    (one) => (one[attribute] as string | undefined) ?? [],
  );
  const [from, to] = found.slice(0, 2).sort();
  // Open ends are ranges too.
  return {
    given,
    bounds: { ...(random.chance(0.8) ? { from } : {}), ...(random.chance(0.8) ? { to } : {}) },
  };
}
