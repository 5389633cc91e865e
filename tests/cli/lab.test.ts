import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { LabReport } from '../../src/lab/lab-report.ts';
import { small } from '../lab/small-scenario.ts';
import { Places } from './places.ts';
import { runHere } from './run-here.ts';

const places = new Places();
const tiny = { ...small, seconds: 2 };

it('lists the scenarios with a sentence each', async () => {
  const { code, out } = await runHere(await places.directory(), ['lab']);
  expect(code).toBe(0);
  expect(out).toContain('parcels');
  expect(out.match(/\.\n/g)?.length).toBeGreaterThanOrEqual(9);
  const json = await runHere(await places.directory(), ['lab', '--json']);
  expect(JSON.parse(json.out)).toMatchObject({ event: 'scenarios', scenarios: { length: 9 } });
});

it('runs a scenario from a file: text, the same JSON twice, a page', async () => {
  const directory = await places.directory({ 'mine.json': JSON.stringify(tiny) });
  const { code, out } = await runHere(directory, ['lab', 'mine.json', '--html', 'mine.html']);
  expect(code).toBe(0);
  for (const word of ['── hot ', 'Timeline', 'hot key', 'Side by side', 'throttled requests'])
    expect(out).toContain(word);
  expect(readFileSync(join(directory, 'mine.html'), 'utf8')).toContain('<svg');
  const args = ['lab', 'mine.json', '--json', '--seed', '7', '--variant', 'hot'];
  const [first, second] = [await runHere(directory, args), await runHere(directory, args)];
  expect(first.out).toBe(second.out);
  const report = JSON.parse(first.out) as LabReport;
  expect(report).toMatchObject({ format: 'stator-lab-report/1', seed: 7, runs: [{ name: 'hot' }] });
});

it('compares two variants, two files, and a scale', async () => {
  const directory = await places.directory({
    'a.json': JSON.stringify(tiny),
    'b.json': JSON.stringify({ ...tiny, name: 'other', variants: undefined }),
  });
  const { out } = await runHere(directory, ['lab', 'a.json', '--compare', 'hot', 'sharded']);
  expect(out).toMatch(/ hot +sharded/);
  const files = await runHere(directory, ['lab', '--compare', 'a.json', 'b.json', '--json', '--scale', '2']);
  const { runs, scale } = JSON.parse(files.out) as LabReport;
  expect(runs.map(({ name }) => name)).toEqual(['small sharded', 'other']);
  expect(scale).toBe(2);
});

it('runs a module, a model with its traffic, and recorded requests', async () => {
  const model = join(process.cwd(), 'examples/models/feed/model.json');
  const header = {
    ...{ format: 'stator-traffic/1', kind: 'requests', startedAt: '2026-06-01T09:00:00Z', values: 'plain' },
    tables: [
      {
        TableName: 'Orders',
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
      },
    ],
  };
  const directory = await places.directory({
    'mine.mjs': `export default ${JSON.stringify(tiny)}`,
    'feed.json': JSON.stringify({
      format: 'stator-lab/1',
      model,
      seconds: 1,
      traffic: { load: 0.01, instances: 500 },
    }),
    'monday.jsonl': `${JSON.stringify(header)}\n${JSON.stringify({ at: 5, op: 'PutItem', input: { TableName: 'Orders', Item: { id: { S: 'a' } } } })}\n`,
  });
  const module = await runHere(directory, ['lab', 'mine.mjs', '--variant', 'hot', '--json']);
  expect((JSON.parse(module.out) as LabReport).runs[0]!.totals.calls).toBeGreaterThan(100);
  const feed = await runHere(directory, ['lab', 'feed.json', '--json']);
  expect((JSON.parse(feed.out) as LabReport).runs[0]!.totals.failed).toBe(0);
  const recorded = await runHere(directory, ['lab', 'monday.jsonl', '--scale', '10', '--json']);
  expect((JSON.parse(recorded.out) as LabReport).runs[0]!.totals).toMatchObject({ answered: 10 });
});

it('refuses what is wrong with the line and the nearest word', async () => {
  const directory = await places.directory({
    'typo.json': `{\n  "format": "stator-lab/1",\n  "name": "x",\n  "secnds": 5\n}`,
    'broken.json': '{',
    'trace.json': JSON.stringify({
      ...tiny,
      patterns: { place: { put: 'Order', rate: 5, curve: { kind: 'trace', file: 'rates.csv' } } },
    }),
    'rates.csv': 'seconds,factor\n0,1\n10,lots\n',
    'bare.jsonl': `${JSON.stringify({ format: 'stator-traffic/1', kind: 'requests', startedAt: '2026-06-01T09:00:00Z', values: 'plain' })}\n${JSON.stringify({ at: 5, op: 'PutItem', input: { TableName: 'Orders', Item: {} } })}\n`,
  });
  const refused = async (...args: string[]) => {
    const { code, err } = await runHere(directory, ['lab', ...args]);
    expect(code).toBeGreaterThan(0);
    return err;
  };
  expect(await refused('typo.json')).toMatch(
    /typo\.json\nline 4: secnds is not known here; did you mean "seconds"\?/,
  );
  expect(await refused('broken.json')).toMatch(/broken\.json\nline \d+: expected /);
  expect(await refused('parcel')).toContain('Did you mean parcels?');
  expect(await refused('parcels', '--variant', 'mondy')).toContain('Did you mean monday?');
  expect(await refused('parcels', 'backfill')).toContain('One scenario at a time');
  expect(await refused('parcels', '--compare')).toContain('--compare needs two');
  expect(await refused('trace.json')).toMatch(/rates\.csv\nline 3: a trace has lines of seconds,factor/);
  expect(await refused('bare.jsonl')).toContain('names the table Orders, of which it says nothing');
});
