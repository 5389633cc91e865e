import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Stator } from '../../src/index.ts';
import { opened, putAtRates, tableWith } from '../physics/load.ts';
import { Places } from './places.ts';

const places = new Places();
let db: Stator;
let endpoint: string;

beforeAll(async () => {
  const all = await opened(tableWith(), { physics: 'shadow', observe: true });
  db = all.db;
  endpoint = (await db.listen({ port: 0 })).url;
  await putAtRates(all, 2, [{ rate: 2_500, keyOf: () => 'SHIPMENT#881' }]);
});

afterAll(() => db.close());

const top = async (...args: string[]) =>
  places.run(await places.directory(), ['top', ...args, '--endpoint', endpoint]);

it('prints tables, patterns, keys, partitions and throttles once where there is no terminal', async () => {
  const { code, out, err } = await top();
  expect([code, err]).toEqual([0, '']);
  const lines = out.split('\n').map((line) => line.trim());
  expect(lines[0]).toBe(`Stator  ${endpoint}  2026-11-18 09:01:02 UTC  physics shadow`);
  expect(lines).toContain('Tables, a second over 10 s');
  expect(lines).toContainEqual(expect.stringMatching(/^Tracking +\d+ +0 +\d+ +0 +0 +\d+ +\d+\.\d\d$/));
  expect(lines).toContain('Access patterns, 5 min');
  expect(lines).toContainEqual(
    expect.stringMatching(/^PutItem Tracking +5,000 +\d+\.\d\d +\d+\.\d\d +0 +5,000 +0 +0$/),
  );
  expect(lines).toContain('Busy keys of Tracking, last minute');
  expect(lines).toContainEqual(expect.stringMatching(/^SHIPMENT#881 +0 +\d,\d{3}$/));
  expect(lines).toContain('Partitions of Tracking, last minute');
  expect(lines).toContainEqual(expect.stringMatching(/^#\d +25\.0 % +0 +\d,\d{3} +[\d,]+ +█{12}$/));
  expect(lines).toContainEqual(expect.stringMatching(/^09:\d\d:\d\d TableWrite\w+ × [\d,]+, on AWS$/));
  expect(out).not.toContain('\u001b');
});

it('prints one object with --once --json, of the table that is named', async () => {
  const { code, out } = await top('Tracking', '--once', '--json', '--minutes', '60');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    ...{ event: 'top', table: 'Tracking', mode: 'shadow', minutes: 60 },
    patterns: [{ name: 'PutItem Tracking', requests: 5_000 }],
    keys: [{ key: 'SHIPMENT#881' }],
  });
});

it('prints an object every second with --json, until it is stopped', async () => {
  const running = places.start(await places.directory(), ['top', '--json', '--endpoint', endpoint]);
  await running.out.until(/"event":"top"/);
  running.process.kill('SIGINT');
  expect((await running.ended).code).toBe(0);
});

it('tells what is wrong', async () => {
  const missing = await top('Nothing');
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('There is no table Nothing')]);
  const nobody = await places.run(await places.directory(), ['top', '--endpoint', 'http://127.0.0.1:1']);
  expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining('No Stator answers')]);
});
