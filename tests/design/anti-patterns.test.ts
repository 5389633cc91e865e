import { describe, expect, it } from 'vitest';
import {
  add,
  bucket,
  change,
  check,
  choice,
  copy,
  count,
  create,
  type Entity,
  entity,
  epoch,
  flag,
  get,
  hot,
  id,
  list,
  listOf,
  type Model,
  model,
  number,
  of,
  optional,
  per,
  shard,
  text,
  time,
  write,
} from '../../src/design/index.ts';

/** The findings of a model that a reviewer must act on: `id where`, errors and warnings. */
function found(given: Model): string[] {
  return check(given)
    .findings.filter(({ severity }) => severity !== 'note')
    .map(({ check: name, where }) => `${name} | ${where}`);
}

const customer = entity('Customer', {
  identity: { customerId: id(12) },
  changing: { name: text(30) },
  population: count(1_000_000),
  keys: { table: (c) => [`CUST#${c.customerId}`, 'PROFILE'] },
});

const identity = { orderId: id(12) };
const fixed = { customerId: of(customer), placedAt: time() };
const changing = { status: choice({ OPEN: 0.02, SHIPPED: 0.98 }), total: number(8, { decimals: 2 }) };
const population = per(customer, { mean: 10, max: 3_000 });

/** Keys that answer the patterns of `sound`, to be spoilt one by one. */
const order = entity('Order', {
  ...{ identity, fixed, changing, population },
  keys: {
    table: (o) => [`CUST#${o.customerId}`, `ORDER#${o.placedAt}#${o.orderId}`],
    GSI1: { key: (o) => ['OPEN', `${o.placedAt}#${o.orderId}`], when: { status: 'OPEN' } },
  },
});

const byCustomer = {
  does: 'orders, newest first',
  by: 'customerId',
  order: 'placedAt desc',
  page: 25,
  peak: 100,
} as const;
const open = {
  does: 'open orders',
  where: { status: 'OPEN' },
  order: 'placedAt',
  page: 100,
  peak: 1,
} as const;
const ship = { given: ['customerId', 'placedAt', 'orderId'], sets: { status: 'SHIPPED' } } as const;

const place = write({ does: 'place', steps: [create(order, { with: { status: 'OPEN' } })], peak: 50 });

describe('the sound design', () => {
  it('has no findings', () => {
    const sound = model('sound', {
      entities: [customer, order],
      reads: {
        A1: get(customer, { does: 'a customer', by: 'customerId', peak: 500 }),
        A2: list(order, byCustomer),
        A5: list(order, open),
      },
      writes: { A6: place, A7: write({ does: 'ship', steps: [change(order, ship)], peak: 50 }) },
    });
    expect(found(sound)).toEqual([]);
  });
});

/** Each of the mistakes that the guides warn of, and the one finding that names it. */
describe('the anti-pattern', () => {
  const withOrders = (
    reads: object,
    writes: object = { A6: place },
    entities: readonly unknown[] = [customer, order],
  ) => model('spoilt', { entities: entities as never, reads: reads as never, writes: writes as never });

  it('Scan for a user-facing query: no key knows the customer', () => {
    const byTotal = list(order, { does: 'orders over a total', by: 'total', page: 25, peak: 5 });
    expect(found(withOrders({ A2: list(order, byCustomer), A5: list(order, open), X: byTotal }))).toEqual([
      'no-scan | read X',
    ]);
  });

  it('filter instead of key', () => {
    const shipped = list(order, { ...byCustomer, by: ['customerId', 'status'] });
    expect(found(withOrders({ A5: list(order, open), X: shipped }))).toEqual(['filter-discards | read X']);
    const allowed = list(order, { ...byCustomer, by: ['customerId', 'status'], mayDiscard: 0.99 });
    expect(found(withOrders({ A5: list(order, open), X: allowed }))).toEqual([]);
  });

  it('strong read of a global index', () => {
    expect(
      found(withOrders({ A2: list(order, byCustomer), X: list(order, { ...open, consistency: 'strong' }) })),
    ).toEqual(['strong-read-on-index | read X', 'unread-index | index GSI1']);
  });

  it('order that the key does not deliver', () => {
    expect(
      found(withOrders({ A5: list(order, open), X: list(order, { ...byCustomer, order: 'total desc' }) })),
    ).toEqual(['order-by-key | read X']);
  });

  it('fine before coarse in the sort key', () => {
    const spoilt = entity('Order', {
      ...{ identity, fixed, changing, population },
      keys: { table: (o) => [`CUST#${o.customerId}`, `ORDER#${o.orderId}#${o.placedAt}`] },
    });
    expect(found(withOrders({ X: list(spoilt, byCustomer) }, {}, [customer, spoilt]))).toEqual([
      'order-by-key | read X',
    ]);
  });

  it('ship(orderId) cannot update CUST#c / ORDER#date#id', () => {
    const blind = write({ does: 'ship', steps: [change(order, { ...ship, given: 'orderId' })], peak: 5 });
    expect(
      found(withOrders({ A2: list(order, byCustomer), A5: list(order, open) }, { A6: place, A7: blind })),
    ).toEqual(['write-address | write A7']);
  });

  it('read before write: an index key made of what the caller does not know', () => {
    const spoilt = entity('Order', {
      identity,
      fixed,
      changing,
      population,
      keys: {
        table: (o) => [`ORDER#${o.orderId}`, 'META'],
        GSI1: (o) => [`CUST#${o.customerId}#${o.status}`, `${o.placedAt}#${o.orderId}`],
      },
    });
    const blind = write({ does: 'ship', steps: [change(spoilt, { ...ship, given: 'orderId' })], peak: 5 });
    const reads = { A4: list(spoilt, { ...byCustomer, by: ['customerId', 'status'] }) };
    expect(found(withOrders(reads, { A7: blind }, [customer, spoilt]))).toEqual([
      'read-before-write | write A7',
    ]);
  });

  it('low-cardinality partition key, and STATUS#OPEN as the key of everything', () => {
    const spoilt = entity('Order', {
      ...{ identity, fixed, changing: { total: number(8, { decimals: 2 }) }, population },
      keys: { table: (o) => ['ORDERS', `${o.placedAt}#${o.orderId}`] },
    });
    const all = list(spoilt, { does: 'orders by time', order: 'placedAt desc', page: 25, peak: 1 });
    expect(found(withOrders({ A: all }, {}, [customer, spoilt]))).toEqual([
      'low-cardinality-partition | entity Order in the table',
    ]);
    const byStatus = entity('Order', {
      ...{ identity, fixed, changing, population },
      keys: {
        table: (o) => [`ORDER#${o.orderId}`, 'META'],
        GSI1: (o) => [`STATUS#${o.status}`, `${o.placedAt}#${o.orderId}`],
      },
    });
    const reads = {
      A: list(byStatus, { does: 'by status', by: 'status', order: 'placedAt', page: 25, peak: 1 }),
    };
    expect(found(withOrders(reads, {}, [customer, byStatus]))).toEqual([
      'partition-growth | entity Order in GSI1',
    ]);
  });

  it('hot key: 3,000 writes a second on one index value, and on a date', () => {
    const busy = write({ does: 'place', steps: [create(order, { with: { status: 'OPEN' } })], peak: 3_000 });
    expect(found(withOrders({ A2: list(order, byCustomer), A5: list(order, open) }, { A6: busy }))).toEqual([
      'hot-partition | index GSI1',
    ]);
    const daily = entity('Order', {
      ...{ identity, fixed, changing, population },
      keys: { table: (o) => [`ORDERS#${bucket(o.placedAt, 'day')}`, `${o.placedAt}#${o.orderId}`] },
    });
    const writes = { A6: write({ does: 'place', steps: [create(daily)], peak: 3_000 }) };
    expect(found(withOrders({}, writes, [customer, daily]))).toEqual(['hot-partition | table spoilt']);
    const spread = entity('Order', {
      ...{ identity, fixed, changing, population },
      keys: {
        table: (o) => [
          `ORDERS#${bucket(o.placedAt, 'day')}#${shard(5, o.orderId)}`,
          `${o.placedAt}#${o.orderId}`,
        ],
      },
    });
    const better = { A6: write({ does: 'place', steps: [create(spread)], peak: 3_000 }) };
    expect(found(withOrders({}, better, [customer, spread]))).toEqual([]);
  });

  it('hot item: a counter that everybody adds to', () => {
    const post = entity('Post', {
      identity: { postId: id(12) },
      changing: { likes: optional(number(9)) },
      population: count(1_000_000),
    });
    const like = (spread?: 'shards') =>
      model('likes', {
        entities: [post],
        reads: { R: get(post, { does: 'a post', by: 'postId', peak: 10 }) },
        writes: {
          W: write({
            does: 'like',
            steps: [add(post, { given: 'postId', to: 'likes', ...(spread ? { spread } : {}) })],
            peak: 5_000,
            skew: { postId: hot(1, 0.8) },
          }),
        },
      });
    expect(found(like())).toContain('hot-item | entity Post');
    expect(found(like('shards'))).toEqual(['retry-counts-twice | write W']);
  });

  it('item that grows: a list without bound, and one that reaches 400 KB', () => {
    const rollup = (events: ReturnType<typeof listOf>) => {
      const shipment = entity('Shipment', {
        identity: { shipmentId: id(12) },
        changing: { events },
        population: count(1_000),
      });
      // The language refuses a list without bound itself; its JSON form reaches the check.
      const bounded: Entity = { ...shipment.ir };
      const sound = model('rollup', {
        entities: [{ ...shipment, ir: { ...bounded, attributes: bounded.attributes.slice(0, 1) } }] as never,
        reads: {},
        writes: {},
      });
      return { ...sound, entities: [bounded] };
    };
    expect(found(rollup(listOf(200, { mean: 50 } as never)))).toEqual(['unbounded-list | entity Shipment']);
    expect(found(rollup(listOf(200, { mean: 50, max: 3_000 } as never)))).toEqual([
      'item-size | entity Shipment',
    ]);
    expect(found(rollup(listOf(200, { mean: 50, max: 1_000 } as never)))).toEqual([
      'large-item | entity Shipment',
    ]);
  });

  it('keys that collide, run together, or overwrite each other', () => {
    const note = entity('Note', {
      identity: { customerId: of(customer), noteId: id(8) },
      population: per(customer, { mean: 1, max: 10 }),
      keys: { table: (n) => [`CUST#${n.customerId}`, `${n.noteId}`] },
    });
    expect(found(withOrders({}, {}, [customer, note]))).toContain(
      'key-collision | entity Customer in the table',
    );
    const glued = entity('Note', {
      identity: { customerId: of(customer), noteId: id(8) },
      population: per(customer, { mean: 1, max: 10 }),
      keys: { table: (n) => [`NOTE#${n.customerId}${n.noteId}`, 'NOTE'] },
    });
    expect(found(withOrders({}, {}, [customer, glued]))).toEqual([
      'missing-delimiter | entity Note in the table',
    ]);
    const vague = entity('Note', {
      identity: { customerId: of(customer), noteId: id(8) },
      population: per(customer, { mean: 1, max: 10 }),
      keys: { table: (n) => [`NOTE#${n.customerId}`, 'NOTE'] },
    });
    expect(found(withOrders({}, {}, [customer, vague]))).toEqual([
      'key-lacks-identity | entity Note in the table',
    ]);
  });

  it('a table key that changes', () => {
    const spoilt = entity('Order', {
      ...{ identity, fixed, changing, population },
      keys: { table: (o) => [`CUST#${o.customerId}`, `${o.status}#${o.orderId}`] },
    });
    const writes = {
      W: write({
        does: 'ship',
        steps: [change(spoilt, { given: ['customerId', 'orderId', 'status'], sets: { status: 'SHIPPED' } })],
        peak: 5,
      }),
    };
    expect(found(withOrders({}, writes, [customer, spoilt]))).toEqual([
      'key-changes | entity Order in the table',
    ]);
  });

  it('an index nobody reads, and one that projects everything', () => {
    expect(found(withOrders({ A2: list(order, byCustomer) }))).toEqual(['unread-index | index GSI1']);
    const large = entity('Order', {
      ...{ identity, fixed, population },
      changing: { ...changing, letter: text(2_000) },
      keys: {
        table: (o) => [`ORDER#${o.orderId}`, 'META'],
        GSI1: (o) => [`CUST#${o.customerId}`, `${o.placedAt}#${o.orderId}`],
      },
    });
    const reads = { A2: list(large, { ...byCustomer, needs: ['orderId', 'total'] }) };
    expect(found(withOrders(reads, {}, [customer, large]))).toEqual([
      'wide-projection | entity Order in GSI1',
    ]);
    const narrow = model('narrow', {
      entities: [customer, large],
      reads: { A2: list(large, { ...byCustomer, needs: ['orderId', 'total', 'status'] }) },
      writes: {},
      indexes: { GSI1: { project: ['orderId', 'total'] } },
    });
    expect(found(narrow)).toEqual(['projection-lacks | read A2', 'unread-index | index GSI1']);
  });

  it('a table for each entity', () => {
    const apart = (name: string) =>
      entity(name, {
        identity: { customerId: of(customer), thingId: id(8) },
        population: per(customer, { mean: 1, max: 10 }),
        table: `${name}s`,
      });
    const entities = ['Invoice', 'Payment', 'Return'].map(apart);
    expect(
      found(
        model('relational', {
          entities: [
            { ...customer, ir: { ...customer.ir, table: 'Customers' } } as typeof customer,
            ...entities,
          ],
          reads: {},
          writes: {},
        }),
      ),
    ).toEqual(['table-per-entity | model relational']);
  });

  it('copies nobody refreshes', () => {
    const line = (by: 'stream' | 'transaction' | 'never') =>
      entity('Line', {
        identity: { orderId: of(order), lineNo: number(3) },
        changing: { customerName: copy(customer, 'name', by) },
        population: per(order, { mean: 3, max: 50 }),
      });
    const rename = write({
      does: 'rename',
      steps: [change(customer, { given: 'customerId', sets: 'name' })],
      peak: 1,
    });
    for (const by of ['never', 'stream', 'transaction'] as const)
      expect(
        found(
          withOrders({ A2: list(order, byCustomer), A5: list(order, open) }, { R: rename }, [
            customer,
            order,
            line(by),
          ]),
        ),
      ).toEqual(['stale-copy | entity Line']);
    const followed = model('followed', {
      entities: [customer, order, line('stream')],
      reads: { A2: list(order, byCustomer), A5: list(order, open) },
      writes: { R: rename },
      streams: { names: { entities: [customer], view: 'NEW_IMAGE' } },
    });
    expect(found(followed)).toEqual([]);
  });

  it('TTL in milliseconds', () => {
    const session = entity('Session', {
      identity: { sessionId: id(12) },
      fixed: { expires: epoch() },
      population: count(100),
      ttl: 'expires',
    });
    const sound = model('ttl', { entities: [session], reads: {}, writes: {} });
    const attributes = session.ir.attributes.map((one) =>
      one.name === 'expires'
        ? { ...one, type: { kind: 'number' as const, digits: 13, decimals: 0, signed: false } }
        : one,
    );
    expect(found({ ...sound, entities: [{ ...session.ir, attributes }] })).toEqual([
      'ttl-seconds | entity Session',
    ]);
  });

  it('transactions too large or for nothing, and pages beyond 1 MB', () => {
    const many = write({ does: 'import', steps: [create(order, { count: 101 })], peak: 1, atomic: true });
    const sound = withOrders({ A2: list(order, byCustomer), A5: list(order, open) });
    expect(found({ ...sound, writes: [{ name: 'I', ...many.ir }] })).toEqual(['transaction-size | write I']);
    const one = write({
      does: 'place',
      steps: [create(order, { with: { status: 'OPEN' } })],
      peak: 1,
      atomic: true,
    });
    expect(found(withOrders({ A2: list(order, byCustomer), A5: list(order, open) }, { I: one }))).toEqual([
      'needless-transaction | write I',
    ]);
    expect(
      found(
        withOrders({ A2: list(order, byCustomer), X: list(order, { ...open, page: 'all', peak: 0.01 }) }),
      ),
    ).toEqual(['page-1mb | read X']);
  });

  it('a tenant that does not lead', () => {
    const tenant = entity('Tenant', { identity: { tenantId: id(8) }, population: count(100) });
    const user = entity('User', {
      identity: { tenantId: of(tenant), userId: id(8) },
      changing: { active: flag() },
      population: per(tenant, { mean: 50, max: 5_000 }),
      keys: { table: (u) => [`USER#${u.userId}`, `${u.tenantId}`] },
    });
    const spoilt = model('tenants', {
      entities: [tenant, user],
      reads: {},
      writes: {},
      tenancy: { attribute: 'tenantId', except: [tenant] },
    });
    expect(found(spoilt)).toEqual(['tenant-leads | entity User in the table']);
  });

  it('a local index over collections beyond 10 GB, or of another partition', () => {
    const spoilt = (partition: 'customerId' | 'orderId') =>
      entity('Order', {
        ...{ identity, fixed },
        changing: { total: number(8, { decimals: 2 }), letter: text(200_000) },
        population: per(customer, { mean: 10, max: 100_000 }),
        keys: {
          table: (o) => [`CUST#${o.customerId}`, `ORDER#${o.placedAt}#${o.orderId}`],
          LSI1: (o) => [`CUST#${o[partition]}`, `TOTAL#${o.total}`],
        },
      });
    const byTotal = { does: 'dearest', by: 'customerId', order: 'total desc', page: 10, peak: 5 } as const;
    const local = (one: ReturnType<typeof spoilt>, reads: object) =>
      model('local', {
        entities: [customer, one],
        reads: reads as never,
        writes: {},
        indexes: { LSI1: { local: true } },
      });
    const large = spoilt('customerId');
    expect(found(local(large, { X: list(large, byTotal) }))).toContain(
      'collection-10gb | entity Order in the table',
    );
    const foreign = spoilt('orderId');
    expect(found(local(foreign, {}))).toContain('local-index-partition | entity Order in LSI1');
  });
});
