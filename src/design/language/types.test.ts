import { describe, expect, it } from 'vitest';
import {
  among,
  change,
  choice,
  compare,
  count,
  create,
  entity,
  get,
  id,
  levels,
  list,
  model,
  number,
  of,
  per,
  text,
  time,
  write,
} from '../index.ts';

const customer = entity('Customer', {
  identity: { customerId: id() },
  changing: { name: text(20), tier: choice('BRONZE', 'GOLD') },
  population: count(10),
});

const order = entity('Order', {
  identity: { orderId: id() },
  fixed: { customerId: of(customer), placedAt: time() },
  changing: {
    status: choice('OPEN', 'DONE'),
    total: number(6),
    low: number(6),
    urgency: levels('LOW', 'HIGH'),
  },
  population: per(customer, { mean: 2, max: 9 }),
});

const line = entity('Line', {
  identity: { orderId: of(order), lineNo: number(3) },
  fixed: { placedAt: time() },
  population: per(order, { mean: 2, max: 9 }),
});

/** `tsc` is the test: an unused `@ts-expect-error` fails the type check. The functions are never called. */
const refusedByTheCompiler = [
  // @ts-expect-error a misspelt equality attribute
  () => get(customer, { does: '', by: 'custommerId', peak: 1 }),
  // @ts-expect-error an order by an attribute of another entity
  () => list(customer, { does: '', by: 'customerId', order: 'placedAt desc', page: 1, peak: 1 }),
  // @ts-expect-error a direction that does not exist
  () => list(order, { does: '', by: 'customerId', order: 'placedAt down', page: 1, peak: 1 }),
  // @ts-expect-error a value outside the closed set
  () => list(order, { does: '', where: { status: 'OPNE' }, page: 1, peak: 1 }),
  // @ts-expect-error a predicate on an attribute of another entity
  () => list(order, { does: '', where: [among('tier', ['GOLD'])], page: 1, peak: 1 }),
  // @ts-expect-error a comparison with a misspelt attribute
  () => list(order, { does: '', where: [compare('total', '<', 'lo', 0.1)], page: 1, peak: 1 }),
  // @ts-expect-error needs name what no entity has
  () => list(order, { does: '', by: 'customerId', page: 1, needs: ['totl'], peak: 1 }),
  // @ts-expect-error an aggregate's equality attribute must be in all its entities
  () => list([order, line], { does: '', by: 'customerId', page: 1, peak: 1 }),
  // @ts-expect-error skew of an attribute that the entity does not have
  () => get(customer, { does: '', by: 'customerId', peak: 1, skew: { orderId: { kind: 'uniform' } } }),
  // @ts-expect-error a write sets a misspelt attribute
  () => change(order, { given: 'orderId', sets: ['statsu'] }),
  // @ts-expect-error a write sets a value outside the closed set
  () => change(order, { given: 'orderId', sets: { status: 'GONE' } }),
  // @ts-expect-error a write gives what the entity does not have
  () => change(order, { given: 'customer', sets: ['status'] }),
  // @ts-expect-error uniqueness of a misspelt attribute
  () => create(customer, { unique: 'email' }),
  // @ts-expect-error a key by hand names a misspelt attribute
  () => entity('A', { identity: { a: id() }, population: count(1), keys: { table: (x) => [`A#${x.b}`] } }),
  // @ts-expect-error a TTL attribute that does not exist
  () => entity('A', { identity: { a: id() }, population: count(1), ttl: 'expires' }),
  () =>
    entity('A', {
      identity: { a: id() },
      changing: { s: choice('X', 'Y') },
      population: count(1),
      // @ts-expect-error a state that is no value of its attribute
      states: { s: { X: ['Z'] } },
    }),
  // @ts-expect-error a pattern without a rate
  () => get(customer, { does: '', by: 'customerId' }),
  // @ts-expect-error a list without a page
  () => list(order, { does: '', by: 'customerId', peak: 1 }),
];

describe('the language', () => {
  it('accepts what the entities have', () => {
    const built = model('types', {
      entities: [customer, order, line],
      reads: {
        A: list([order, line], {
          does: 'an order with its lines',
          by: 'orderId',
          order: 'placedAt',
          page: 'all',
          peak: 1,
        }),
        B: list(order, { does: 'low', where: [compare('total', '<', 'low', 0.1)], page: 5, peak: 1 }),
      },
      writes: {
        C: write({
          does: 'place',
          steps: [create(order), create(line)],
          peak: 1,
          skew: { customerId: { kind: 'uniform' } },
        }),
      },
    });
    expect(built.reads.map(({ name, entities }) => [name, ...entities].join(' '))).toEqual([
      'A Order Line',
      'B Order',
    ]);
    expect(built.writes[0]?.atomic).toBe(true);
    expect(refusedByTheCompiler.length).toBeGreaterThan(10);
  });

  it('cuts key templates at their attributes', () => {
    const keyed = entity('Keyed', {
      identity: { a: id() },
      fixed: { at: time() },
      population: count(1),
      keys: {
        table: (k) => [`K#${k.a}`, `AT#${k.at}#END`],
        GSI1: { key: (k) => [`X`, k.at], when: { a: '1' } },
      },
    });
    expect(keyed.ir.keys).toEqual([
      {
        slot: 'table',
        partition: [
          { kind: 'constant', text: 'K#' },
          { kind: 'attribute', attribute: 'a' },
        ],
        sort: [
          { kind: 'constant', text: 'AT#' },
          { kind: 'attribute', attribute: 'at' },
          { kind: 'constant', text: '#END' },
        ],
        when: [],
      },
      {
        slot: 'GSI1',
        partition: [{ kind: 'constant', text: 'X' }],
        sort: [{ kind: 'attribute', attribute: 'at' }],
        when: [{ kind: 'equals', attribute: 'a', value: '1' }],
      },
    ]);
  });
});
