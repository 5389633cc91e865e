import { count, money, percent } from '../../report/figures.ts';
import { firstMoment, type IncludedScenario, patternOf, runNamed, timeOf } from '../story.ts';

const base = { name: 'events', partitionKey: 'PK', sortKey: 'SK', mode: 'provisioned' } as const;
const byType = { name: 'ByType', partitionKey: 'GSI1PK', sortKey: 'GSI1SK' } as const;

/** The table has room for its writes, its index a third of it. The burst of five minutes hides that for a while. */
export const thinIndex: IncludedScenario = {
  scenario: {
    format: 'stator-lab/1',
    name: 'thin-index',
    description:
      'An index with less throughput than its table: fine while its burst lasts, then the table is refused.',
    startAt: '2026-06-01T10:00:00.000Z',
    seconds: 480,
    clients: 40,
    tables: [
      {
        ...base,
        provisioned: { read: 100, write: 700 },
        indexes: [{ ...byType, project: 'ALL', provisioned: { read: 100, write: 200 } }],
      },
    ],
    keys: { user: { count: 20_000, as: 'U{n}' }, type: { count: 40, as: 'TYPE{n}' } },
    entities: {
      Event: {
        table: 'events',
        key: { PK: 'USER#{user}', SK: '{time}#{id}' },
        attributes: { GSI1PK: '{type}', GSI1SK: '{time}', body: { bytes: { min: 100, max: 600 } } },
      },
      PlainEvent: {
        table: 'events',
        key: { PK: 'USER#{user}', SK: '{time}#{id}' },
        attributes: { body: { bytes: { min: 100, max: 600 } } },
      },
    },
    patterns: { append: { does: 'append an event', put: 'Event', rate: 500 } },
    variants: {
      thin: { change: 'The table has 700 write units, its index 200.' },
      equal: {
        change: 'The index has as many write units as the table.',
        tables: [
          {
            ...base,
            provisioned: { read: 100, write: 700 },
            indexes: [{ ...byType, project: 'ALL', provisioned: { read: 100, write: 700 } }],
          },
        ],
      },
      sparse: {
        change: 'Only the quarter of the events that anybody looks for is in the index, with its keys alone.',
        tables: [
          {
            ...base,
            provisioned: { read: 100, write: 700 },
            indexes: [{ ...byType, project: 'KEYS_ONLY', provisioned: { read: 100, write: 200 } }],
          },
        ],
        patterns: {
          append: { does: 'append an event that is looked for', put: 'Event', rate: 125 },
          appendPlain: { does: 'append an event that is not', put: 'PlainEvent', rate: 375 },
        },
      },
    },
  },
  story(runs) {
    const rows = [];
    const thin = runNamed(runs, 'thin');
    if (thin !== undefined) {
      const append = patternOf(thin, 'append')!;
      rows.push(
        {
          when: timeOf(undefined, thin),
          what: 'The index is asked for 500 writes a second and has 200; unused units of the last five minutes cover the rest, and nobody notices.',
        },
        {
          when: timeOf(firstMoment(thin, 'throttling'), thin),
          what: `The burst is spent. The table uses ${percent(thin.totals.busiestShare)} of its own units and is refused all the same: ${count(thin.totals.throttles)} throttles, ${percent(append.gaveUp / append.calls)} of the events lost.`,
        },
      );
    }
    for (const name of ['equal', 'sparse']) {
      const run = runNamed(runs, name);
      if (run !== undefined)
        rows.push({
          when: name,
          what: `${run.change} ${count(run.totals.throttles)} throttles, ${money((run.totals.cost / run.seconds) * 3_600 * 730)} a month for this capacity.`,
        });
    }
    return rows;
  },
};
