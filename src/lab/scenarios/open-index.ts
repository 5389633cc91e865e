import { count, percent } from '../../report/figures.ts';
import { firstMoment, type IncludedScenario, patternOf, runNamed, timeOf } from '../story.ts';

const attributes = {
  GSI1SK: '{time}#{id}',
  customer: { bytes: 24 },
  total: { number: [1, 90_000] },
} as const;

/** Most orders are open, so that the queue of open orders takes nearly all writes of the table under one key. */
export const openIndex: IncludedScenario = {
  scenario: {
    format: 'stator-lab/1',
    name: 'open-index',
    description:
      'STATUS#OPEN as the key of an index: the index has one hot key, and refuses the writes of its table.',
    startAt: '2026-06-01T18:00:00.000Z',
    seconds: 60,
    clients: 60,
    tables: [
      {
        ...{ name: 'orders', partitionKey: 'PK', sortKey: 'SK' },
        warm: { write: 6_000, read: 18_000 },
        indexes: [
          {
            ...{ name: 'ByStatus', partitionKey: 'GSI1PK', sortKey: 'GSI1SK', project: 'ALL' },
            warm: { write: 6_000, read: 18_000 },
          },
        ],
      },
    ],
    keys: { order: { count: 200_000, as: 'O{n}' } },
    entities: {
      Order: {
        table: 'orders',
        key: { PK: 'ORDER#{order}', SK: 'META' },
        attributes: { GSI1PK: 'STATUS#OPEN', ...attributes },
      },
    },
    patterns: {
      place: { does: 'place an order', put: 'Order', rate: 1_600 },
      next: { does: 'the oldest open orders', query: 'Order', index: 'ByStatus', limit: 25, rate: 20 },
    },
    variants: {
      status: { change: 'Open orders have STATUS#OPEN as the partition key of the index.' },
      sharded: {
        change: 'Open orders are spread over STATUS#OPEN#<0..9>; the queue is ten queries, merged.',
        entities: {
          Order: {
            table: 'orders',
            key: { PK: 'ORDER#{order}', SK: 'META' },
            attributes: { GSI1PK: 'STATUS#OPEN#{shard:10}', ...attributes },
          },
        },
        patterns: {
          next: {
            does: 'the oldest open orders, from ten shards',
            ...{ query: 'Order', index: 'ByStatus', limit: 25, shards: 10, rate: 20 },
          },
        },
      },
    },
  },
  story(runs) {
    const rows = [];
    const before = runNamed(runs, 'status');
    const after = runNamed(runs, 'sharded');
    if (before !== undefined) {
      const place = patternOf(before, 'place')!;
      const [table, index] = before.arms;
      rows.push({
        when: timeOf(firstMoment(before, 'throttling'), before),
        what: `The index takes 1,000 writes a second under STATUS#OPEN, and the table waits for its index: ${count(index!.throttles)} refusals come from the index, ${count(table!.throttles)} from the table, and ${percent(place.gaveUp / place.calls)} of the orders are lost.`,
      });
    }
    if (after !== undefined)
      rows.push({
        when: 'sharded',
        what: `Ten shards: ${count(after.totals.throttles)} throttles; the busiest key of the index takes ${count(after.arms[1]!.hotKeys[0]?.write ?? 0)} a second. Reading the queue costs ten queries instead of one.`,
      });
    return rows;
  },
};
