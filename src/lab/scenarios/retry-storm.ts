import { count, percent, shortNumber } from '../../report/figures.ts';
import type { IncludedScenario } from '../story.ts';

/** A burst of a minute above what is provisioned, met by many functions that all try again. */
export const retryStorm: IncludedScenario = {
  scenario: {
    format: 'stator-lab/1',
    name: 'retry-storm',
    description:
      'A burst above the limit, and what clients make of it: ten attempts in quick succession, three, four with long pauses, none, or adaptive ones.',
    startAt: '2026-06-03T09:00:00.000Z',
    seconds: 240,
    clients: 400,
    tables: [
      {
        ...{ name: 'sessions', partitionKey: 'PK', mode: 'provisioned' },
        provisioned: { read: 100, write: 250 },
      },
    ],
    keys: { session: { count: 50_000, as: 'S{n}' } },
    entities: {
      Session: {
        table: 'sessions',
        key: { PK: 'SESSION#{session}' },
        attributes: { data: { bytes: { min: 1_100, max: 2_000 } } },
      },
    },
    patterns: {
      touch: {
        does: 'save a session, two units each',
        put: 'Session',
        rate: 200,
        curve: {
          kind: 'steps',
          steps: [
            { factor: 1, seconds: 60 },
            { factor: 3, seconds: 90 },
            { factor: 0.5, seconds: 90 },
          ],
        },
      },
    },
    variants: {
      eager: {
        change: 'The legacy mode of botocore: ten attempts each, doubling from 50 ms, with no budget.',
        retry: 'legacy',
      },
      before: {
        change: 'The standard mode until 10 November 2026: three attempts, half a second apart.',
        retry: 'standard-2025',
      },
      standard: { change: 'The standard mode since then: four attempts, from a second on.' },
      adaptive: {
        change: 'The adaptive mode: every client slows down when it is throttled.',
        retry: 'adaptive',
      },
      none: { change: 'No retries: what is refused is lost at once.', retry: 'none' },
    },
  },
  story(runs) {
    return runs.map((run) => {
      const { totals, patterns } = run;
      return {
        when: run.name,
        what: `${run.change} ${count(totals.throttles)} refusals for ${count(totals.calls)} calls, ${shortNumber(totals.requests / Math.max(1, totals.calls))} requests for each; ${percent(totals.gaveUp / totals.calls)} are lost, 99 in 100 end within ${shortNumber((patterns[0]?.p99Ms ?? 0) / 1000)} seconds.`,
      };
    });
  },
};
