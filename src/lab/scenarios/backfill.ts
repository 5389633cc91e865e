import { count, percent, shortNumber } from '../../report/figures.ts';
import { firstMoment, type IncludedScenario, patternOf } from '../story.ts';

/** A backfill adds an attribute to every item while customers use the table. */
export const backfill: IncludedScenario = {
  scenario: {
    format: 'stator-lab/1',
    name: 'backfill',
    description: 'A backfill at full speed beside live traffic, against one that is held back.',
    startAt: '2026-06-02T10:00:00.000Z',
    seconds: 420,
    clients: 40,
    tables: [
      {
        ...{ name: 'profiles', partitionKey: 'PK', sortKey: 'SK', mode: 'provisioned' },
        provisioned: { read: 300, write: 500 },
      },
    ],
    keys: { customer: { count: 60_000, as: 'C{n}' } },
    entities: {
      Profile: {
        table: 'profiles',
        key: { PK: 'CUSTOMER#{customer}', SK: 'PROFILE' },
        attributes: { mail: { bytes: 30 }, address: { bytes: { min: 200, max: 600 } } },
        load: { each: 'customer' },
      },
    },
    patterns: {
      save: { does: 'save a profile', update: 'Profile', set: { seen: '{time}' }, rate: 200 },
      open: { does: 'open a profile', get: 'Profile', rate: 200 },
    },
    variants: {
      'full-speed': {
        change: 'The backfill writes as fast as its workers can: 2,000 items a second.',
        patterns: {
          fill: {
            does: 'add the new attribute, unless it is there',
            update: 'Profile',
            ...{ set: { GSI3PK: 'REGION#{random:20}' }, condition: 'attribute_not_exists(GSI3PK)' },
            ...{ rate: 2_000, times: 60_000, keys: { customer: { kind: 'sequence' } } },
          },
        },
      },
      'held-back': {
        change: 'The backfill takes 180 write units a second, what the customers leave with some to spare.',
        patterns: {
          fill: {
            does: 'add the new attribute, unless it is there',
            update: 'Profile',
            ...{ set: { GSI3PK: 'REGION#{random:20}' }, condition: 'attribute_not_exists(GSI3PK)' },
            ...{ rate: 180, times: 60_000, keys: { customer: { kind: 'sequence' } } },
          },
        },
      },
    },
  },
  story(runs) {
    return runs.map((run) => {
      const [save, fill] = [patternOf(run, 'save')!, patternOf(run, 'fill')!];
      const done = firstMoment(run, 'done');
      const missing = fill.calls - fill.answered - fill.conditionFailed;
      return {
        when: run.name,
        what: `${run.change} ${done === undefined ? `${count(fill.answered)} items are done after ${count(run.seconds / 60)} minutes and it goes on` : `It ends after ${count(done.second)} seconds with ${count(missing)} items left out`}. Customers meanwhile: ${percent(save.gaveUp / save.calls)} of their writes lost, 99 in 100 within ${shortNumber(save.p99Ms)} ms.`,
      };
    });
  },
};
