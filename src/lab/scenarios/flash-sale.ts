import { count, money, percent } from '../../report/figures.ts';
import { firstMoment, type IncludedScenario, runNamed, timeOf } from '../story.ts';

const table = { name: 'carts', partitionKey: 'PK', sortKey: 'SK' } as const;

/** Ten times the usual traffic within a second, for five minutes. */
export const flashSale: IncludedScenario = {
  scenario: {
    format: 'stator-lab/1',
    name: 'flash-sale',
    description:
      'A flash sale at ten times the usual rate: auto scaling against on demand and scaling beforehand.',
    startAt: '2026-11-27T11:56:00.000Z',
    seconds: 780,
    clients: 60,
    tables: [{ ...table, mode: 'provisioned', provisioned: { read: 50, write: 100 } }],
    keys: { cart: { count: 30_000, as: 'C{n}' } },
    entities: {
      Line: {
        table: 'carts',
        key: { PK: 'CART#{cart}', SK: 'LINE#{id}' },
        attributes: { article: { bytes: 40 }, price: { number: [100, 90_000] } },
      },
    },
    patterns: {
      add: {
        does: 'put an article into a cart',
        put: 'Line',
        rate: 60,
        curve: { kind: 'spike', factor: 10, at: 240, seconds: 300 },
      },
      show: {
        does: 'show a cart',
        query: 'Line',
        rate: 20,
        curve: { kind: 'spike', factor: 10, at: 240, seconds: 300 },
      },
    },
    variants: {
      'auto-scaling': {
        change: 'Provisioned, with auto scaling at 70 % between 100 and 2,000 write units.',
        tables: [
          {
            ...{ ...table, mode: 'provisioned', provisioned: { read: 50, write: 100 } },
            autoScaling: {
              read: { min: 50, max: 2_000, target: 70 },
              write: { min: 100, max: 2_000, target: 70 },
            },
          },
        ],
      },
      'on-demand': { change: 'On demand.', tables: [{ ...table, mode: 'on-demand' }] },
      'scaled-before': {
        change: 'Provisioned for the sale beforehand, as a scheduled action would.',
        tables: [
          {
            ...{ ...table, mode: 'provisioned', provisioned: { read: 300, write: 900 } },
            autoScaling: {
              read: { min: 300, max: 2_000, target: 70 },
              write: { min: 900, max: 2_000, target: 70 },
            },
          },
        ],
      },
    },
  },
  story(runs) {
    const rows = [];
    const scaled = runNamed(runs, 'auto-scaling');
    if (scaled !== undefined) {
      rows.push({
        when: '12:00:00',
        what: 'The sale begins: from 60 writes a second to 600. The burst of the last five minutes carries it at first.',
      });
      const began = firstMoment(scaled, 'throttling');
      if (began !== undefined)
        rows.push({
          when: timeOf(began, scaled),
          what: `The burst is spent: throttling begins. ${count(scaled.totals.throttles)} requests are refused in all, ${percent(scaled.totals.gaveUp / scaled.totals.calls)} of the calls lost.`,
        });
      for (const { at, text } of scaled.moments
        .filter(({ kind, text: what }) => kind === 'capacity' && what.includes('write'))
        .slice(0, 3))
        rows.push({ when: at.slice(11, 19), what: text });
    }
    for (const run of runs)
      rows.push({
        when: run.name,
        what: `${run.change} ${count(run.totals.throttles)} throttles, ${count(run.totals.gaveUp)} calls lost, ${money(run.totals.cost)} for these ${count(run.seconds / 60)} minutes.`,
      });
    return rows;
  },
};
