import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunReport } from '../../src/cli/design/run-report.ts';
import { Stator } from '../../src/index.ts';
import { Places } from './places.ts';
import { runHere } from './run-here.ts';

const places = new Places();
const model = fileURLToPath(new URL('../../examples/models/orders/model.json', import.meta.url));
let db: Stator;
let endpoint: string;
let directory: string;

beforeEach(async () => {
  db = await Stator.open({ observe: true });
  endpoint = (await db.listen({ port: 0 })).url;
  directory = await places.directory();
});
afterEach(() => db.close());

const run = (...args: string[]) =>
  runHere(directory, ['design', 'run', ...args, '--endpoint', endpoint, '--instances', '500', '--json']);
const reportOf = (out: string) => (JSON.parse(out) as { readonly report: RunReport }).report;

it('fills tables, calls patterns as often as the server counts, and plays the calls again', async () => {
  const first = await run(model, '--seconds', '1', '--load', '10', '--record', 'calls.jsonl');
  expect([first.code, first.err]).toEqual([0, expect.stringContaining('calls a second for 1 s')]);
  const report = reportOf(first.out);
  expect(report).toMatchObject({ format: 'stator-run/1', of: 'orders', endpoint, interrupted: false });
  expect((await db.describeTable({ TableName: 'orders' })).Table!.ItemCount).toBeGreaterThan(400);
  const { patterns } = (await (await fetch(`${endpoint}/_stator/patterns`)).json()) as {
    readonly patterns: readonly { readonly name: string; readonly requests: number }[];
  };
  expect(report.patterns.length).toBeGreaterThan(5);
  for (const one of report.patterns) {
    // A pattern that reads before it writes has two operations.
    const own = patterns.filter(({ name }) => name === one.pattern);
    expect(own.reduce((sum, { requests }) => sum + requests, 0)).toBe(one.requests);
    expect(one.answered + one.conditionFailed + one.idle).toBe(one.calls);
  }
  const known = report.patterns.find(({ pattern }) => pattern === 'A1')!;
  expect([known.units, known.forecast]).toEqual([
    { read: 0.5, write: 0 },
    { read: 0.5, write: 0 },
  ]);

  const calls = report.patterns.reduce((sum, one) => sum + one.calls - one.idle, 0);
  expect((await readFile(join(directory, 'calls.jsonl'), 'utf8')).trim().split('\n')).toHaveLength(calls + 1);
  const again = await run(model, '--traffic', 'calls.jsonl', '--speed', '2');
  expect([again.code, again.err]).toEqual([0, '']);
  const replayed = reportOf(again.out);
  expect(replayed.patterns.reduce((sum, one) => sum + one.calls, 0)).toBe(calls);
  expect(replayed.items).toBe(0);

  await db.deleteTable({ TableName: 'orders' });
  const nowhere = await run(model, '--traffic', 'calls.jsonl', '--speed', '100');
  expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining('failed')]);
  expect(reportOf(nowhere.out).patterns[0]!.errors).toEqual({ ResourceNotFoundException: known.calls });
});

it('leaves tables alone that are there, and none behind that it made', async () => {
  await db.createTable({
    ...{ TableName: 'orders', BillingMode: 'PAY_PER_REQUEST' },
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
  });
  const there = await run(model);
  expect([there.code, there.out, there.err]).toEqual([
    1,
    '',
    expect.stringContaining('orders is there already'),
  ]);
  const others = await run(model, '--fill');
  expect([others.code, others.err]).toEqual([
    1,
    expect.stringContaining('has the keys id, and the design PK and SK'),
  ]);
  const beside = await run(model, '--tables', 'orders=mine', '--cleanup', '--seconds', '1', '--load', '1');
  expect([beside.code, beside.err]).toEqual([0, expect.stringContaining('Deleted mine.')]);
  expect((await db.listTables()).TableNames).toEqual(['orders']);
  expect((await db.scan({ TableName: 'orders' })).Items).toEqual([]);
  const both = await run(model, '--traffic', 'x.jsonl', '--fill');
  expect([both.code, both.err]).toEqual([2, expect.stringContaining('exclude each other')]);
  const none = await run(model, '--traffic', 'x.jsonl');
  expect([none.code, none.err]).toEqual([1, expect.stringContaining('There is no file')]);
});
