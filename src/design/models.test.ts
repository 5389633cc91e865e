import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import cases from '../../examples/models/cases/model.ts';
import ecommerce from '../../examples/models/ecommerce/model.ts';
import feed from '../../examples/models/feed/model.ts';
import orders from '../../examples/models/orders/model.ts';
import parcels from '../../examples/models/parcels/model.ts';
import saas from '../../examples/models/saas/model.ts';
import { seededRandom } from '../../tests/seeded-random.ts';
import {
  checkCertificate,
  checkDesign,
  count,
  create,
  type Design,
  derive,
  entity,
  id,
  type Model,
  model,
  modelSchema,
  number,
  readModel,
  templateText,
  write,
  writeModel,
} from './index.ts';

const models: readonly Model[] = [orders, cases, ecommerce, feed, saas, parcels];

/** The rows of docs/design/by-hand.md: global indexes by hand and derived. */
const rows = new Map(
  [
    ...readFileSync(new URL('../../docs/design/by-hand.md', import.meta.url), 'utf8').matchAll(
      /^\| `(\w+)` \| (\d+) \| (\d+) \|/gm,
    ),
  ].map(([, name, byHand, derived]) => [name!, { byHand: Number(byHand), derived: Number(derived) }]),
);

describe.each(models.map((model) => [model.name, model] as const))('the model %s', (_name, model) => {
  const design = derive(model);

  it('is served by a design that the checker accepts, with no more indexes than one made by hand', () => {
    expect(checkDesign(model, design)).toEqual([]);
    expect(checkCertificate(model, design)).toEqual([]);
    const main = design.tables.find(({ name }) => name === model.name)!;
    const { byHand, derived } = rows.get(model.name)!;
    expect(main.indexes.filter(({ kind }) => kind === 'global')).toHaveLength(derived);
    expect(derived).toBeLessThanOrEqual(byHand);
    expect(design.tables.every(({ proved }) => proved)).toBe(true);
    expect(main.certificate.claims.map(({ proof }) => proof.kind)).not.toContain('searched');
  });

  it('gives every decision a reason of two sentences', () => {
    for (const { placements, plans, indexes: all, satellites } of design.tables) {
      for (const { reason } of [...placements, ...plans, ...all, ...satellites]) {
        expect(reason.split(/\.(?: |$)/).filter(Boolean).length).toBeGreaterThanOrEqual(2);
      }
    }
  });

  it('survives JSON in both directions', () => {
    const text = writeModel(model);
    expect(readModel(text)).toEqual(model);
    expect(writeModel(readModel(text))).toBe(text);
    expect(readModel(JSON.parse(text))).toEqual(model);
  });

  it('lies beside its source as JSON, which the package ships', () => {
    const file = new URL(`../../examples/models/${model.name}/model.json`, import.meta.url);
    // Written by writeModel, and formatted.
    expect(readModel(readFileSync(file, 'utf8'))).toEqual(model);
  });

  it('has the same design however its parts are listed', () => {
    const random = seededRandom(7);
    const shuffled = <T>(values: readonly T[]): T[] => {
      const left = [...values];
      return values.map(() => left.splice(random.below(left.length), 1)[0]!);
    };
    for (let round = 0; round < 5; round++) {
      const other: Model = {
        ...model,
        entities: shuffled(model.entities).map((entity) => ({
          ...entity,
          attributes: shuffled(entity.attributes),
        })),
        reads: shuffled(model.reads).map((read) => ({
          ...read,
          by: shuffled(read.by),
          where: shuffled(read.where),
        })),
        writes: shuffled(model.writes),
      };
      expect(keysOf(derive(other))).toEqual(keysOf(design));
    }
  });

  it('keeps its slots when derived again beside an earlier design', () => {
    expect(keysOf(derive(model, { previous: design }))).toEqual(keysOf(design));
  });
});

describe('derived keys', () => {
  const placed = (model: Model, entity: string) =>
    derive(model)
      .tables.flatMap(({ placements }) => placements.filter((one) => one.entity === entity))
      .map(
        ({ slot, partition, sort, shards }) =>
          `${slot} ${templateText(partition)} | ${templateText(sort)} × ${shards}`,
      );

  it('put orders under their customer, by status, and the open ones into a sparse index', () => {
    expect(placed(orders, 'Order')).toEqual([
      'table ORDER#{customerId} | {placedAt}#{orderId} × 1',
      'GSI1 ORDER | {placedAt}#{orderId} × 1',
      'GSI2 ORDER#{status}#{customerId} | {placedAt}#{orderId} × 1',
    ]);
  });

  it('interleave the timeline of a case and invert the second direction of a queue', () => {
    expect(placed(cases, 'Transition')).toEqual(['table DECISION#{caseId} | {at}#TRANSITION#{eventId} × 1']);
    expect(placed(cases, 'Case')).toContain(
      'GSI3 CASE#{officerId} | {priority}#{inverted createdAt}#{caseId} × 1',
    );
  });

  it('shard the events of mega-shipments', () => {
    expect(placed(parcels, 'Event')).toEqual([
      'table EVENT#{shipmentId}#{shard of shipmentId+eventId, 6} | {at}#{eventId} × 6',
    ]);
    const plan = derive(parcels).tables[0]!.plans.find(({ pattern }) => pattern === 'history')!;
    expect(plan).toMatchObject({ operation: 'Query', calls: 6, forward: false, limit: 50 });
  });
});

describe('a number of few digits', () => {
  it('leads no table key: it has few values', () => {
    const file = entity('File', {
      identity: { messageId: id(26), fileNo: number(2) },
      fixed: { size: number(10) },
      population: count(10_000_000),
    });
    const steps = [create(file)] as const;
    const writes = { attach: write({ does: 'attach a file', steps, peak: 50 }) };
    const [placement] = derive(model('files', { entities: [file], reads: {}, writes })).tables[0]!.placements;
    expect(templateText(placement!.partition)).toBe('FILE#{messageId}');
  });
});

describe('the published schema', () => {
  it('is the one that the reader judges by', () => {
    const file = new URL('../../docs/design/model.schema.json', import.meta.url);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(modelSchema)));
  });
});

function keysOf(design: Design) {
  return design.tables.map(({ placements, indexes, plans, monthly }) => ({
    monthly: monthly.toFixed(6),
    placements: placements.map(({ entity, slot, copy, partition, sort, when }) => [
      entity,
      slot,
      copy,
      templateText(partition),
      templateText(sort),
      when.map((one) => JSON.stringify(one)).sort(),
    ]),
    indexes: indexes.map(({ name, projection }) => [name, projection]),
    plans: plans.map(({ pattern, slot, calls, forward }) => [pattern, slot, calls, forward]),
  }));
}
