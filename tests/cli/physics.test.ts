import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Stator } from '../../src/index.ts';
import { opened, putAtRates, tableWith } from '../physics/load.ts';
import { Places } from './places.ts';

const places = new Places();
let db: Stator;
let endpoint: string;

beforeAll(async () => {
  const all = await opened(tableWith(), { physics: 'shadow' });
  db = all.db;
  endpoint = (await db.listen({ port: 0 })).url;
  await putAtRates(all, 1, [{ rate: 2_500, keyOf: () => 'SHIPMENT#881' }]);
});

afterAll(() => db.close());

const physics = async (...args: string[]) => {
  const directory = await places.directory();
  await writeFile(
    `${directory}/prices.json`,
    '{"asOf":"2026-11","classes":{"STANDARD":{"writeRequestsMillion":1000000}}}',
  );
  return places.run(directory, ['physics', ...args, '--endpoint', endpoint]);
};

it('prints the map, the verdicts and the cost of minutes', async () => {
  const { code, out } = await physics('Tracking');
  expect(code).toBe(0);
  const lines = out.split('\n').map((line) => line.trim());
  expect(lines).toContain('Tracking  us-east-1  physics shadow');
  expect(lines).toContain('Table  on demand, 4 partitions');
  expect(lines).toContainEqual(expect.stringMatching(/^#\d +25\.0 % +\d+ KB +0 +1,9\d\d +\d{3} +█{12}$/));
  expect(lines).toContainEqual(expect.stringMatching(/^SHIPMENT#881 took 2,\d\d\d write units a second;/));
  expect(lines).toContainEqual(expect.stringMatching(/^2026-11-18 09:01Z +0 +1,9\d\d +\d{3} +0\.00\d+ USD$/));
});

it('prices minutes by a file, and prints JSON', async () => {
  const { code, out } = await physics('Tracking', '--json', '--prices', 'prices.json');
  expect(code).toBe(0);
  const { event, cost } = JSON.parse(out) as {
    event: string;
    cost: { minutes: { writeUnits: number; cost: number }[] };
  };
  expect(event).toBe('physics');
  // A dollar for every write unit.
  expect(cost.minutes[0]!.cost).toBeCloseTo(cost.minutes[0]!.writeUnits);
});

it('lists the tables in use', async () => {
  const { code, out } = await physics();
  expect(code).toBe(0);
  expect(out).toMatch(/Tracking +us-east-1 +shadow +4 +0 +\d{3}\n/);
});

it('tells what is wrong', async () => {
  const missing = await physics('Nothing');
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('There is no table Nothing')]);
  const prices = await physics('Tracking', '--prices', 'none.json');
  expect([prices.code, prices.err]).toEqual([1, expect.stringContaining('none.json cannot be read')]);
});

it.each([
  [['--physics', 'enforce', '--store', 'postgres://u:p@127.0.0.1:1/x'], 'several processes share a store'],
  [['--physics', 'enforce', '--workers', '2', '--data-dir', 'data'], 'several processes share a store'],
  [['--physics-without', 'gravity'], 'must be names of effects'],
  [['--physics-without', 'staleRead'], 'did you mean staleReads?'],
])('start %j is refused', async (args, text) => {
  const { code, err } = await places.run(await places.directory(), ['start', '--port', '0', ...args]);
  expect([code, err]).toEqual([2, expect.stringContaining(text)]);
});
