import { describe, expect, it } from 'vitest';
import { locateInJson, locateInSource } from './locate.ts';
import { readScenario } from './read-scenario.ts';

const good = {
  format: 'stator-lab/1',
  name: 'mine',
  seconds: 60,
  tables: [
    {
      name: 'orders',
      partitionKey: 'PK',
      sortKey: 'SK',
      indexes: [{ name: 'ByDay', partitionKey: 'GSI1PK' }],
    },
  ],
  keys: { customer: { count: 100 } },
  entities: {
    Order: {
      table: 'orders',
      key: { PK: 'CUST#{customer}', SK: '{time}' },
      attributes: { GSI1PK: '{date}' },
      load: { each: 'customer' },
    },
  },
  patterns: {
    place: { put: 'Order', rate: 10 },
    list: { query: 'Order', rate: 10, keys: { customer: { kind: 'zipf', exponent: 1 } } },
  },
  variants: { fast: { patterns: { place: { put: 'Order', rate: 100 } } } },
};

/** The scenario with one value replaced, by the path to it. */
function changed(path: string, value: unknown): string {
  const copy = structuredClone(good) as Record<string, unknown>;
  const names = path.split('.');
  let at = copy;
  for (const name of names.slice(0, -1)) at = at[name] as Record<string, unknown>;
  at[names.at(-1)!] = value;
  return JSON.stringify(copy, null, 2);
}

function refusal(text: string): string {
  try {
    readScenario(JSON.parse(text), locateInJson(text));
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
}

const lineOf = (text: string, word: string) => text.split('\n').findIndex((line) => line.includes(word)) + 1;

describe('a scenario', () => {
  it('is accepted as it is', () => expect(refusal(JSON.stringify(good))).toBe('accepted'));

  it.each([
    ['patterns.place.rat', 5, '"rat"', 'patterns.place.rat is not known here; did you mean "rate"?'],
    ['patterns.place.rate', -3, '"rate": -3', 'patterns.place.rate must be a number of 0 or more, not -3'],
    [
      'patterns.place.rate',
      2e9,
      '2000000000',
      'patterns.place.rate must be a number of 1,000,000 or less, not 2000000000',
    ],
    ['patterns.place.rate', '10', '"rate": "10"', 'patterns.place.rate must be a number, not "10"'],
    [
      'patterns.list.keys.customer.kind',
      'zip',
      '"zip"',
      'patterns.list.keys.customer.kind must be one of uniform, zipf, hot, latest, tenants, sequence, not "zip"; did you mean "zipf"?',
    ],
    [
      'patterns.place.put',
      'Ordr',
      '"Ordr"',
      'patterns.place.put: there is no entity "Ordr". Did you mean "Order"?',
    ],
    [
      'patterns.list.index',
      'ByDy',
      '"ByDy"',
      'patterns.list.index: there is no index "ByDy". Did you mean "ByDay"?',
    ],
    [
      'entities.Order.table',
      'order',
      '"table": "order"',
      'entities.Order.table: there is no table "order". Did you mean "orders"?',
    ],
    [
      'entities.Order.load.each',
      'custmer',
      '"custmer"',
      'entities.Order.load.each: there is no key "custmer". Did you mean "customer"?',
    ],
    [
      'retry',
      'standrad',
      '"standrad"',
      'retry must be one of standard, adaptive, standard-2025, adaptive-2025, legacy, none, not "standrad"; did you mean "standard"?',
    ],
    [
      'patterns.place.curve',
      { kind: 'spke', factor: 1, at: 1, seconds: 1 },
      '"spke"',
      'patterns.place.curve.kind must be one of constant, ramp, diurnal, spike, steps, trace, not "spke"; did you mean "spike"?',
    ],
    [
      'startAt',
      'yesterday at nine o clock',
      '"yesterday',
      'startAt: "yesterday at nine o clock" is no time; write it as 2026-11-23T09:00:00Z',
    ],
    ['seconds', 0, '"seconds": 0', 'seconds must be a number above 0, not 0'],
    [
      'variants.fast.patterns.place.put',
      'Nobody',
      '"Nobody"',
      'patterns.place.put: there is no entity "Nobody". There is Order.',
    ],
  ])('with %s = %j is refused with its line', (path, value, word, message) => {
    const text = changed(path, value);
    expect(refusal(text)).toBe(`line ${lineOf(text, word)}: ${message}`);
  });

  it.each([
    ['patterns.place', { put: 'Order' }, 'place needs either a "rate" or "after"'],
    [
      'patterns.place',
      { put: 'Order', get: 'Order', rate: 1 },
      'place needs one of put, get, update, delete, query, scan, transact, and has put and get',
    ],
    ['entities.Order.key', { PK: 'CUST#{customer}' }, 'the key of Order needs "SK", a key of orders'],
    [
      'entities.Order.key',
      { PK: 'CUST#{custmer}', SK: 'x' },
      'there is no key "custmer". Did you mean "customer"?',
    ],
    ['seconds', 604_800, 'accepted'],
  ])('with %s = %j is told what is missing', (path, value, message) => {
    expect(refusal(changed(path, value))).toContain(message);
  });

  it('that asks for too many calls is refused', () => {
    const text = JSON.stringify({
      ...good,
      seconds: 604_800,
      patterns: { place: { put: 'Order', rate: 9_000 } },
    });
    expect(refusal(text)).toContain('calls are asked for; at most 200,000,000 may be');
  });

  it('of a module is refused with the line of its source', () => {
    const source =
      "export default {\n  name: 'mine',\n  patterns: {\n    place: {\n      rate: -1,\n    },\n  },\n};\n";
    expect(locateInSource(source)(['patterns', 'place', 'rate'], false)).toBe(5);
  });
});
