import { describe, expect, it } from 'vitest';
import {
  change,
  check,
  count,
  create,
  entity,
  exists,
  get,
  id,
  list,
  model,
  of,
  optional,
  per,
  plainText,
  remove,
  type StepDefinition,
  text,
  time,
  write,
} from '../../src/design/index.ts';

const task = entity('Task', {
  identity: { taskId: id(8) },
  changing: { flaggedAt: optional(time()), title: text(20), note: text(20) },
  population: count(10_000),
});
const found = (...more: StepDefinition[]) =>
  check(
    model('tasks', {
      entities: [task],
      reads: {
        one: get(task, { does: 'a task', by: 'taskId', peak: 5 }),
        flagged: list(task, {
          does: 'flagged',
          by: 'title',
          where: [exists('flaggedAt', 0.1)],
          order: 'flaggedAt',
          page: 20,
          peak: 1,
        }),
      },
      writes: {
        add: write({ does: 'add', steps: [create(task)], peak: 1 }),
        name: write({ does: 'name', steps: [change(task, { given: 'taskId', sets: ['title'] })], peak: 1 }),
        ...Object.fromEntries(
          more.map((step, at) => [`more${at}`, write({ does: '', steps: [step], peak: 1 })]),
        ),
      },
    }),
  ).findings.map((one) => one.check);

describe('the rules about attributes', () => {
  it('find a sparse index that nothing leaves', () => {
    expect(found()).toContain('entries-stay');
    const unflag = change(task, { given: 'taskId', sets: { flaggedAt: null } });
    expect(found(unflag)).not.toContain('entries-stay');
    expect(found(change(task, { given: 'taskId', sets: ['flaggedAt'] }))).not.toContain('entries-stay');
    expect(found(remove(task, { given: 'taskId' }))).not.toContain('entries-stay');
  });

  it('find what is declared as changing and never written', () => {
    expect(found()).toContain('unwritten-attribute');
    const all = change(task, { given: 'taskId', sets: ['flaggedAt', 'note'] });
    expect(found(all)).not.toContain('unwritten-attribute');
  });
});

it('a partition key of a few counted instances is one of low cardinality', () => {
  const regions = (instances: number) => {
    const region = entity('Region', {
      identity: { regionId: plainText(8) },
      population: count(instances),
      keys: { table: (r) => [`REGION#${r.regionId}`, 'REGION'] },
    });
    const sale = entity('Sale', {
      identity: { regionId: of(region), saleId: id(12) },
      fixed: { at: time() },
      population: per(region, { mean: 10_000_000, max: 100_000_000 }),
      keys: { table: (s) => [`REGION#${s.regionId}`, `SALE#${s.saleId}`] },
    });
    const reads = { one: get(sale, { does: 'a sale', by: ['regionId', 'saleId'], peak: 5 }) };
    return check(model('sales', { entities: [region, sale], reads, writes: {} })).findings.map(
      (one) => one.check,
    );
  };
  expect(regions(8)).toContain('low-cardinality-partition');
  expect(regions(2_000)).not.toContain('low-cardinality-partition');
});
