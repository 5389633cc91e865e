import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  add,
  change,
  choice,
  count,
  create,
  entity,
  get,
  id,
  list,
  map,
  model,
  number,
  of,
  optional,
  per,
  remembered,
  remove,
  text,
  time,
  type Value,
  write,
} from '../design/index.ts';
import { client, InvariantError, type ListPage, PatternError } from './index.ts';

const customer = entity('Customer', {
  identity: { customerId: id() },
  changing: { name: text(20), tier: choice('BRONZE', 'GOLD'), notes: optional(map(20)) },
  population: count(10),
});

const order = entity('Order', {
  identity: { orderId: id() },
  fixed: { customerId: of(customer), placedAt: time() },
  changing: { status: choice('OPEN', 'DONE'), total: number(6), rev: number(4) },
  version: 'rev',
  population: per(customer, { mean: 2, max: 9 }),
});

const line = entity('Line', {
  identity: { orderId: of(order), lineNo: number(3) },
  fixed: { sku: text(8) },
  population: per(order, { mean: 2, max: 9 }),
});

const shop = model('shop', {
  entities: [customer, order, line],
  reads: {
    customerById: get(customer, { does: '', by: 'customerId', peak: 1 }),
    ordersOfCustomer: list(order, {
      does: '',
      by: 'customerId',
      range: 'placedAt',
      order: 'placedAt desc',
      page: 5,
      needs: ['total', 'status', 'placedAt'],
      peak: 1,
    }),
    orderWithLines: list([order, line], { does: '', by: 'orderId', page: 50, peak: 1 }),
    open: list(order, { does: '', where: { status: 'OPEN' }, order: 'placedAt', page: 5, peak: 1 }),
  },
  writes: {
    place: write({
      does: '',
      steps: [create(order, { with: { status: 'OPEN' } }), create(line, { count: 3 })],
      peak: 1,
      idempotency: remembered('commandId', { keepDays: 1 }),
    }),
    finish: write({
      does: '',
      steps: [change(order, { given: 'orderId', sets: { status: 'DONE' }, checksVersion: true })],
      peak: 1,
    }),
    move: write({
      does: '',
      steps: [
        add(order, { given: 'orderId', to: 'total' }),
        add(order, { given: 'orderId', to: 'total' }),
        remove(line, { given: ['orderId', 'lineNo'] }),
      ],
      peak: 1,
    }),
  },
});

const sdk = { send: () => Promise.resolve({}), middlewareStack: { add() {} } };
const app = client(shop, { client: sdk });

/** `tsc` is the test. These are never called. */
const checkedByTheCompiler = [
  async () => {
    const one = (await app.patterns.customerById({ customerId: 'c' }))!;
    expectTypeOf(one.tier).toEqualTypeOf<'BRONZE' | 'GOLD'>();
    expectTypeOf(one.notes).toEqualTypeOf<{ readonly [name: string]: Value } | undefined>();
    for await (const found of app.patterns.ordersOfCustomer({ customerId: 'c' }, { from: '2026' })) {
      expectTypeOf(found.total).toEqualTypeOf<number>();
      expectTypeOf(found.orderId).toEqualTypeOf<string>();
      // @ts-expect-error the pattern does not need it, so that the answer lacks it
      found.customerId;
    }
    for (const found of await app.patterns.orderWithLines({ orderId: 'o' }).all()) {
      if (found.entity === 'Order') expectTypeOf(found.values.placedAt).toEqualTypeOf<string>();
      else expectTypeOf(found.values.lineNo).toEqualTypeOf<number>();
    }
    expectTypeOf(await app.patterns.open().page()).toExtend<ListPage<{ readonly rev: number }>>();
    const placed = await app.patterns.place(
      {
        Order: { orderId: 'o', customerId: 'c', placedAt: 't', total: 1 },
        Line: [{ orderId: 'o', lineNo: 1, sku: 's' }],
      },
      { command: 'c', result: { orderId: 'o' } },
    );
    expectTypeOf(placed.result).toEqualTypeOf<{ orderId: string } | undefined>();
    await app.patterns.finish({ orderId: 'o', rev: 3 });
    await app.patterns.move({
      'Order#1': { orderId: 'o', total: { add: 1 } },
      'Order#2': { orderId: 'p', total: { add: -1 } },
      Line: { orderId: 'o', lineNo: 1 },
    });
    await app.entities.Customer.update({ customerId: 'c' }, { notes: null, tier: 'GOLD' });
  },
  // @ts-expect-error a misspelt pattern
  () => app.patterns.ordersOfCustommer({ customerId: 'c' }),
  // @ts-expect-error a misspelt argument
  () => app.patterns.customerById({ custommerId: 'c' }),
  // @ts-expect-error an argument of another type
  () => app.patterns.customerById({ customerId: 7 }),
  // @ts-expect-error no argument
  () => app.patterns.customerById(),
  // @ts-expect-error a range on a pattern that has none
  () => app.patterns.open({}, { from: 'x' }),
  // @ts-expect-error the first characters for a pattern that has no prefix
  () => app.patterns.open({}, { prefix: 'x' }),
  // @ts-expect-error the version that the pattern checks is missing
  () => app.patterns.finish({ orderId: 'o' }),
  // @ts-expect-error a command for a pattern that remembers none
  () => app.patterns.finish({ orderId: 'o', rev: 3 }, { command: 'c' }),
  // @ts-expect-error what is fixed never changes
  () => app.entities.Order.update({ orderId: 'o' }, { customerId: 'd' }),
  // @ts-expect-error a version of an entity that has none
  () => app.entities.Customer.update({ customerId: 'c' }, { name: 'n' }, { version: 1 }),
  // @ts-expect-error a step that is missing
  () => app.patterns.place({ Order: { orderId: 'o', customerId: 'c', placedAt: 't', total: 1 } }),
  // @ts-expect-error a value outside the closed set
  () => app.entities.Customer.update({ customerId: 'c' }, { tier: 'SILVER' }),
  // @ts-expect-error what every instance has cannot be removed
  () => app.entities.Customer.update({ customerId: 'c' }, { name: null }),
  // @ts-expect-error the identity never changes
  () => app.entities.Customer.update({ customerId: 'c' }, { customerId: 'd' }),
  // @ts-expect-error an attribute is missing
  () => app.entities.Customer.put({ customerId: 'c', name: 'n' }),
  // @ts-expect-error an entity that the model does not have
  () => app.entities.Invoice,
];

describe('the typed client', () => {
  it('has a function for every pattern and entity', () => {
    expect(Object.keys(app.patterns)).toEqual([
      'customerById',
      'ordersOfCustomer',
      'orderWithLines',
      'open',
      'place',
      'finish',
      'move',
    ]);
    expect(Object.keys(app.entities)).toEqual(['Customer', 'Line', 'Order']);
    expect(checkedByTheCompiler.length).toBeGreaterThan(5);
    expect(InvariantError.name).toBe('InvariantError');
  });

  it('names the patterns to whoever misspells one, and the table to whoever misnames it', () => {
    expect(() => (app.patterns as never as Record<string, unknown>).nope).toThrow(
      'there is no pattern "nope", but customerById',
    );
    expect(() => client(shop, { client: sdk, tables: { shopp: 'x' } })).toThrow(
      'The design has no table "shopp", but shop',
    );
    expect(() => client(shop, {} as never)).toThrow('A client of the AWS SDK must be given');
  });

  it('refuses wrong values before it sends anything', async () => {
    const wrong = app.patterns as never as Record<string, (given?: object, options?: object) => never>;
    await expect(wrong.customerById!({})).rejects.toThrow(PatternError);
    await expect(wrong.customerById!({ customerId: 'a#b' })).rejects.toThrow('a text without "#"');
    await expect(wrong.place!({ Order: {} })).rejects.toThrow('the caller must give "Line"');
    await expect(wrong.finish!({ orderId: 'o' })).rejects.toThrow('it needs the "rev"');
  });
});
