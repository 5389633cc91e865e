import { describe, expect, it } from 'vitest';
import { findAnomalies } from './find-anomalies.ts';
import type { Transaction } from './history.ts';

/** Histories that are known to be right or wrong, and what the judge says of them. */

let clock = 0;
let ids = 0;

type Steps = Partial<Pick<Transaction, 'appends' | 'reads' | 'checks' | 'outcome' | 'startedAt' | 'endedAt'>>;

function transaction(steps: Steps): Transaction {
  clock += 2;
  ids++;
  return {
    id: ids,
    client: 1,
    startedAt: clock,
    endedAt: clock + 1,
    appends: [],
    reads: [],
    checks: [],
    outcome: 'done',
    ...steps,
  };
}

/** Transactions of which none ends before another starts. */
function together(...all: Steps[]): Transaction[] {
  const startedAt = clock + 2;
  clock += 1_000;
  return all.map((steps) => transaction({ startedAt, endedAt: clock, ...steps }));
}

const append = (key: string, value: number) => ({ key, value });
const read = (key: string, ...list: number[]) => ({ key, list });
const check = (key: string, length: number) => ({ key, length });

describe('a history that some order explains', () => {
  it('is told as right, whatever was done at the same time', () => {
    expect(
      findAnomalies([
        ...together(
          { appends: [append('x', 1), append('y', 2)] },
          { appends: [append('x', 3)], checks: [check('y', 1)] },
          { reads: [read('x', 1), read('y', 2)] },
          { reads: [read('x'), read('y')] },
          { appends: [append('x', 9)], checks: [check('y', 7)], outcome: 'refused' },
        ),
        transaction({ reads: [read('x', 1, 3), read('y', 2)] }),
      ]),
    ).toEqual([]);
  });
});

describe('a history that nothing explains', () => {
  it.each<[string, () => Transaction[], RegExp]>([
    [
      'a value of what was refused',
      () => [
        transaction({ appends: [append('x', 1)], outcome: 'refused' }),
        transaction({ reads: [read('x', 1)] }),
      ],
      /although #\d+ .* was refused/,
    ],
    [
      'a value from nowhere',
      () => [transaction({ reads: [read('x', 5)] })],
      /x holds 5, which nobody appended/,
    ],
    [
      'a value twice',
      () => [transaction({ appends: [append('x', 1)] }), transaction({ reads: [read('x', 1, 1)] })],
      /x holds a value twice/,
    ],
    [
      'an update that was lost',
      () => [
        ...together({ appends: [append('x', 1)] }, { appends: [append('x', 2)] }),
        transaction({ reads: [read('x', 2)] }),
      ],
      /x has lost 1/,
    ],
    [
      'two orders of one list',
      () => [
        ...together({ appends: [append('x', 1)] }, { appends: [append('x', 2)] }),
        ...together({ reads: [read('x', 1, 2)] }, { reads: [read('x', 2)] }),
      ],
      /is no beginning of x/,
    ],
    [
      'half of a transaction',
      () => [
        ...together({ appends: [append('x', 1), append('y', 2)] }, { reads: [read('x', 1), read('y')] }),
        transaction({ reads: [read('x', 1), read('y', 2)] }),
      ],
      /did not see in y yet/,
    ],
    [
      'writes in two orders',
      () => [
        ...together(
          { appends: [append('x', 1), append('y', 1)] },
          { appends: [append('x', 2), append('y', 2)] },
        ),
        transaction({ reads: [read('x', 1, 2), read('y', 2, 1)] }),
      ],
      /was followed on x by .* was followed on y by/,
    ],
    [
      'write skew',
      () => [
        ...together(
          { appends: [append('x', 1)], checks: [check('y', 0)] },
          { appends: [append('y', 2)], checks: [check('x', 0)] },
        ),
        transaction({ reads: [read('x', 1), read('y', 2)] }),
      ],
      /did not see in . yet .* did not see in . yet/,
    ],
    [
      'two readers that disagree about what came first',
      () => [
        ...together(
          { appends: [append('x', 1)] },
          { appends: [append('y', 2)] },
          { reads: [read('x', 1), read('y')] },
          { reads: [read('x'), read('y', 2)] },
        ),
        transaction({ reads: [read('x', 1), read('y', 2)] }),
      ],
      /did not see in . yet/,
    ],
    [
      'a condition on a length that was not so',
      () => [
        ...together(
          { appends: [append('x', 1)], checks: [check('x', 0)] },
          { appends: [append('x', 2)], checks: [check('x', 0)] },
        ),
        transaction({ reads: [read('x', 1, 2)] }),
      ],
      /did not see in x yet/,
    ],
    [
      'a read of the past',
      () => [
        transaction({ appends: [append('x', 1)] }),
        transaction({ reads: [read('x')] }),
        transaction({ reads: [read('x', 1)] }),
      ],
      /had ended before/,
    ],
  ])('is told: %s', (_, history, text) => {
    const found = findAnomalies(history());
    expect(found.length).toBeGreaterThan(0);
    expect(found.join('\n')).toMatch(text);
  });
});
