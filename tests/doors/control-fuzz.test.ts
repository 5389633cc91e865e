import { afterAll, beforeAll, expect, it } from 'vitest';
import { Stator, type StatorServer, VirtualClock } from '../../src/index.ts';
import { rounds, seededRandom, testSeeds } from '../seeded-random.ts';
import { ordersTable } from './orders-table.ts';

/** Every resource of the control API with its parameters, and odd values for each. A 500 is a bug. */
const scope = ['region', 'accountId', 'namespace'];
const resources: readonly (readonly [path: string, parameters: readonly string[]])[] = [
  ['health', []],
  ['ready', []],
  ['snapshot', scope],
  ['reset', scope],
  ['fork', scope],
  ['namespaces', scope],
  ['namespaces/<>', scope],
  ['clock', scope],
  ['faults', scope],
  ['faults/<>', scope],
  ['check', scope],
  ['explain', scope],
  ['indexes', scope],
  ['followers', scope],
  ['at/<>', scope],
  ['changes/<>', ['from', 'to', 'after', ...scope]],
  ['jobs', scope],
  ['imports/<>/errors', ['limit', 'after', ...scope]],
  ['physics', scope],
  ['physics/<>', scope],
  ['record', scope],
  ['metrics', scope],
  ['patterns', ['minutes', ...scope]],
  [
    'series',
    ['metric', 'minutes', 'from', 'to', 'step', 'table', 'dimension', 'metricNamespace', 'index', ...scope],
  ],
  ['series', ['seconds', 'table', ...scope]],
  ['insights/<>', ['minutes', ...scope]],
  ['doctor', ['table', 'minutes', 'budget', ...scope]],
  ['tables', ['table', 'load', ...scope]],
  ['models', []],
];

const values = [
  ...[
    '',
    ' ',
    '0',
    '-1',
    '1',
    '60',
    '1.5',
    '1e3',
    '1e308',
    '1e999',
    'NaN',
    'Infinity',
    '0x10',
    '9007199254740993',
  ],
  ...[
    'Orders',
    'orders',
    'a',
    'x'.repeat(3),
    'x'.repeat(256),
    'x'.repeat(4000),
    '__proto__',
    'constructor',
    '../..',
  ],
  ...[
    '\u0000',
    '\n',
    '😀',
    '\ud800',
    '%',
    '*',
    "'",
    '"',
    '{}',
    '[]',
    'null',
    'true',
    '{"id":{"S":"a"}}',
    '{"id":1}',
  ],
  ...[
    '2026-03-03T10:00:00Z',
    '2026-13-99',
    '-271821-04-20T00:00:00Z',
    '+275760-09-13T00:00:00.001Z',
    '8640000000000001',
  ],
  ...['2026-03-03T10:00:00Z', '1772532000000', '60', 'Orders', 'ConsumedReadCapacityUnits', 'AWS/DynamoDB'],
  ...['us-east-1', '000000000000', '999999999999', 'arn:aws:dynamodb:us-east-1:000000000000:table/Orders'],
  ...[
    'arn:aws:dynamodb:us-east-1:000000000000:table/Orders/import/01',
    'TableName:',
    ':',
    'TableName:Orders',
  ],
];

let db: Stator;
let server: StatorServer;
const logged: string[] = [];

beforeAll(async () => {
  db = await Stator.open({
    clock: new VirtualClock(Date.UTC(2026, 2, 3, 10)),
    observe: true,
    log: (line) => void logged.push(line),
  });
  await db.createTable(ordersTable);
  server = await db.listen({ port: 0 });
});

afterAll(() => db.close());

function encoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return '%ED%A0%80';
  }
}

it('a table of a name that no table can have is not there', async () => {
  for (const name of ['1e308', '1e%2B308', 'a', '', '%F0%9F%98%80', 'x'.repeat(300)]) {
    const response = await fetch(`${server.url}/_stator/doctor?table=${name}`);
    expect([name, response.status]).toEqual([name, 404]);
  }
});

it.each(testSeeds('parameters of control resources'))('odd parameters are refused, seed %i', async (seed) => {
  const random = seededRandom(seed);
  const statuses: Record<number, number> = {};
  for (let round = 0; round < rounds(25); round++) {
    for (const [path, parameters] of resources) {
      const filled = path.replace('<>', () => encoded(random.pick(values)));
      const query = parameters
        .filter(() => random.chance(0.35))
        .map(
          (name) =>
            `${name}=${random.chance(0.1) ? random.pick(['%', '%zz', '+']) : encoded(random.pick(values))}`,
        );
      const url = `${server.url}/_stator/${filled}?${query.join('&')}`;
      const method =
        path === 'reset' ? 'GET' : random.chance(0.75) ? 'GET' : random.pick(['POST', 'DELETE', 'PUT']);
      // Resets and clocks would change what later requests meet; their bodies are odd all the same.
      const body =
        method === 'GET'
          ? undefined
          : random.pick([
              '',
              '{}',
              '[]',
              '{"a":',
              `{"mode":${JSON.stringify(random.pick(values))}}`,
              `{"to":1e999,"advanceMs":-1}`,
            ]);
      const response = await fetch(url, { method, ...(body !== undefined && { body }) });
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      const text = await response.text();
      if (response.status >= 500 && response.status !== 503)
        expect.fail(`${method} ${url} ${body}\n${text}\n${logged.at(-1)}`);
    }
  }
  expect(statuses[200]).toBeGreaterThan(50);
});
