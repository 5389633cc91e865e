import { count } from '../../report/figures.ts';
import { firstMoment, type IncludedScenario, runNamed, timeOf } from '../story.ts';

/** All of a day's readings under one partition key: however large the table is, one partition takes them all. */
export const dateKey: IncludedScenario = {
  scenario: {
    format: 'stator-lab/1',
    name: 'date-key',
    description: 'The date as partition key: a whole day of sensor readings on one partition.',
    startAt: '2026-06-01T12:00:00.000Z',
    seconds: 60,
    clients: 40,
    tables: [{ name: 'readings', partitionKey: 'PK', sortKey: 'SK', warm: { write: 8_000, read: 24_000 } }],
    keys: { device: { count: 5_000, as: 'D{n}' } },
    entities: {
      Reading: {
        table: 'readings',
        key: { PK: 'DATE#{date}', SK: '{time}#{device}#{id}' },
        attributes: { value: { number: [0, 4_095] }, note: { bytes: { min: 20, max: 120 } } },
      },
    },
    patterns: {
      store: { does: 'store a reading', put: 'Reading', rate: 1_800 },
      recent: { does: 'the latest readings', query: 'Reading', limit: 100, newestFirst: true, rate: 5 },
    },
    variants: {
      date: { change: 'The partition key is the date.' },
      'date-shards': {
        change: 'The partition key is the date and one of ten shards; a day is read with ten queries.',
        entities: {
          Reading: {
            table: 'readings',
            key: { PK: 'DATE#{date}#{shard:10}', SK: '{time}#{device}#{id}' },
            attributes: { value: { number: [0, 4_095] }, note: { bytes: { min: 20, max: 120 } } },
          },
        },
        patterns: {
          recent: {
            does: 'the latest readings, from ten shards',
            ...{ query: 'Reading', limit: 100, newestFirst: true, shards: 10, rate: 5 },
          },
        },
      },
      device: {
        change:
          'The partition key is the device, and the time the sort key; a device is read with one query.',
        entities: {
          Reading: {
            table: 'readings',
            key: { PK: 'DEVICE#{device}', SK: '{time}#{id}' },
            attributes: { value: { number: [0, 4_095] }, note: { bytes: { min: 20, max: 120 } } },
          },
        },
      },
    },
  },
  story(runs) {
    const rows = [];
    const before = runNamed(runs, 'date');
    if (before !== undefined) {
      const began = firstMoment(before, 'throttling');
      rows.push({
        when: timeOf(began, before),
        what: `Throttling begins: ${before.arms[0]!.partitions} partitions, and the day is on one of them. ${count(before.totals.throttles)} requests are refused, ${count(before.totals.gaveUp)} readings are lost.`,
      });
    }
    for (const name of ['date-shards', 'device']) {
      const run = runNamed(runs, name);
      if (run !== undefined)
        rows.push({
          when: name,
          what: `${run.change} ${count(run.totals.throttles)} throttles; the busiest partition gives ${count(Math.max(...run.arms[0]!.heat.flatMap(({ load }) => load)) * 1_000)} of 1,000 writes a second.`,
        });
    }
    return rows;
  },
};
