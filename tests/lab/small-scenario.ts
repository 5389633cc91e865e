import type { Scenario } from '../../src/lab/scenario.ts';

/** A table whose one hot key asks for more than a partition gives, and the same with the key sharded. */
export const small: Scenario = {
  format: 'stator-lab/1',
  name: 'small',
  description: 'One hot key.',
  startAt: '2026-06-01T09:00:00.000Z',
  seconds: 4,
  clients: 8,
  tables: [
    {
      ...{ name: 'orders', partitionKey: 'PK', sortKey: 'SK', warm: { write: 6_000, read: 12_000 } },
      indexes: [{ name: 'ByDay', partitionKey: 'GSI1PK', sortKey: 'GSI1SK', project: ['total'] }],
    },
  ],
  keys: { customer: { count: 300, as: 'C{n}' }, hot: { count: 1, as: 'HOT{n}' } },
  entities: {
    Order: {
      table: 'orders',
      key: { PK: 'CUST#{customer}', SK: 'ORDER#{time}#{id}' },
      attributes: {
        GSI1PK: { text: 'DAY#{date}#{random:8}', share: 0.5 },
        GSI1SK: '{time}',
        total: { number: [1, 500] },
        note: {
          bytes: [
            { bytes: 50, share: 3 },
            { bytes: 900, share: 1 },
          ],
        },
      },
    },
    Profile: {
      table: 'orders',
      key: { PK: 'CUST#{customer}', SK: 'PROFILE' },
      attributes: { name: { bytes: { min: 10, max: 30 } } },
      load: { each: 'customer' },
    },
    HotOrder: { table: 'orders', key: { PK: 'CUST#{hot}', SK: 'ORDER#{time}#{id}' } },
  },
  patterns: {
    place: { put: 'Order', rate: 200 },
    placeHot: { put: 'HotOrder', rate: 1_700 },
    rename: { update: 'Profile', set: { name: 'N{random:100}' }, rate: 40 },
    buy: {
      transact: [{ put: 'Order' }, { update: 'Profile', add: { orders: 1 } }],
      rate: 30,
      keys: { customer: { kind: 'zipf', exponent: 1.1 } },
    },
    profile: { get: 'Profile', rate: 60 },
    orders: { query: 'Order', limit: 10, newestFirst: true, rate: 60 },
    day: { query: 'Order', index: 'ByDay', limit: 10, rate: 20 },
  },
  variants: {
    hot: { change: 'One key for all of them.' },
    sharded: {
      change: 'Ten shards.',
      entities: {
        HotOrder: { table: 'orders', key: { PK: 'CUST#{hot}#{shard:10}', SK: 'ORDER#{time}#{id}' } },
      },
    },
  },
};
