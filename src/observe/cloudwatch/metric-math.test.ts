import { describe, expect, it } from 'vitest';
import { DynamoError } from '../../model/errors.ts';
import { Slices } from '../../model/slices.ts';
import { MetricStore } from '../metric-store.ts';
import { planQueries } from './metric-queries.ts';
import { metricKey } from './metric-reading.ts';
import { runQueries } from './run-queries.ts';
import { SeriesList } from './series-list.ts';
import type { TimeSeries } from './time-series.ts';

const start = Date.parse('2026-03-03T10:00:00Z');
const scope = { accountId: '000000000000', region: 'us-east-1' };

/** Two metrics: `a` has 1, 2, 4 in minutes 0, 1, 3; `b` has 10, 20, 30, 40 in minutes 0 to 3. */
function store(): MetricStore {
  const metrics = new MetricStore({ nowMs: () => start + 600_000 });
  const put = (name: string, minute: number, value: number) =>
    metrics.record(
      metricKey(scope, { Namespace: 'App', MetricName: name, Dimensions: [{ Name: 'Host', Value: name }] }),
      ...(['Count', value, 1, start + minute * 60_000] as const),
    );
  for (const [minute, value] of [
    [0, 1],
    [1, 2],
    [3, 4],
  ] as const)
    put('alpha', minute, value);
  for (const [minute, value] of [
    [0, 10],
    [1, 20],
    [2, 30],
    [3, 40],
  ] as const)
    put('beta', minute, value);
  return metrics;
}

const metric = (Id: string, MetricName: string) => ({
  Id,
  MetricStat: {
    Metric: { Namespace: 'App', MetricName, Dimensions: [{ Name: 'Host', Value: MetricName }] },
    Period: 60,
    Stat: 'Sum',
  },
});

async function computed(Expression: string): Promise<unknown> {
  const planned = planQueries([metric('a', 'alpha'), metric('b', 'beta'), { Id: 'e', Expression }]);
  if (planned instanceof DynamoError) return planned.message;
  const window = { start: start / 1000, end: start / 1000 + 240 };
  const values = await runQueries(
    { metrics: store(), scope, window, slices: new Slices(() => Promise.resolve()) },
    planned,
  );
  if (values instanceof DynamoError) return values.message;
  const value = values.get('e')!;
  if (value instanceof SeriesList) return value.all.map(shown);
  return typeof value === 'object' ? shown(value) : value;
}

/** The values by minute; a minute without one is left out. */
function shown({ times, values }: TimeSeries): Record<number, number> {
  return Object.fromEntries(times.map((time, at) => [(time - start / 1000) / 60, values[at]!]));
}

describe('metric math', () => {
  it.each([
    ['a + b', { 0: 11, 1: 22, 3: 44 }],
    ['b - a * 2 ^ 2', { 0: 6, 1: 12, 3: 24 }],
    ['-a', { 0: -1, 1: -2, 3: -4 }],
    ['(b - 10) / (b - 10)', { 1: 1, 2: 1, 3: 1 }],
    ['100 * a / b', { 0: 10, 1: 10, 3: 10 }],
    ['2 ^ 3 ^ 2', 512],
    ['SUM(b)', 100],
    ['AVG(b)', 25],
    ['MIN(b) + MAX(b)', 50],
    ['STDDEV(b)', Math.sqrt(125)],
    ['SUM([a, b])', { 0: 11, 1: 22, 2: 30, 3: 44 }],
    ['AVG(METRICS())', { 0: 5.5, 1: 11, 2: 30, 3: 22 }],
    ['MAX(METRICS("a"))', { 0: 1, 1: 2, 3: 4 }],
    ['RATE(b)', { 1: 1 / 6, 2: 1 / 6, 3: 1 / 6 }],
    ['RATE(a)', { 1: 1 / 60, 3: 2 / 120 }],
    ['DIFF(a)', { 1: 1, 3: 2 }],
    ['DIFF_TIME(a)', { 1: 60, 3: 120 }],
    ['b / PERIOD(b)', { 0: 10 / 60, 1: 20 / 60, 2: 0.5, 3: 40 / 60 }],
    ['RUNNING_SUM(a)', { 0: 1, 1: 3, 3: 7 }],
    ['FILL(a, 0)', { 0: 1, 1: 2, 2: 0, 3: 4 }],
    ['FILL(a, REPEAT)', { 0: 1, 1: 2, 2: 2, 3: 4 }],
    ['FILL(a, LINEAR)', { 0: 1, 1: 2, 2: 3, 3: 4 }],
    ['FILL(a, b)', { 0: 1, 1: 2, 2: 30, 3: 4 }],
    ['a > 1', { 0: 0, 1: 1, 3: 1 }],
    ['a > 1 AND b < 40', { 0: 0, 1: 1, 3: 0 }],
    ['a == 1 || b >= 40', { 0: 1, 1: 0, 3: 1 }],
    ['IF(b > 20, b)', { 2: 30, 3: 40 }],
    ['IF(b > 20, b, 0)', { 0: 0, 1: 0, 2: 30, 3: 40 }],
    ['IF(1, a, b)', { 0: 1, 1: 2, 3: 4 }],
    ['CEIL(a / 3)', { 0: 1, 1: 1, 3: 2 }],
    ['FLOOR(a / 3)', { 0: 0, 1: 0, 3: 1 }],
    ['ABS(a - 3)', { 0: 2, 1: 1, 3: 1 }],
    ['TIME_SERIES(5)', { 0: 5, 1: 5, 2: 5, 3: 5 }],
    ['METRIC_COUNT(METRICS())', 2],
    ['DATAPOINT_COUNT(a)', 3],
    ['HOUR(b)', { 0: 10, 1: 10, 2: 10, 3: 10 }],
    [
      '[a, b] * 2',
      [
        { 0: 2, 1: 4, 3: 8 },
        { 0: 20, 1: 40, 2: 60, 3: 80 },
      ],
    ],
    ['SORT(METRICS(), MAX, DESC, 1)', [{ 0: 10, 1: 20, 2: 30, 3: 40 }]],
    ["SUM(SEARCH('{App,Host} MetricName=\"beta\"', 'Sum', 60))", { 0: 10, 1: 20, 2: 30, 3: 40 }],
    ["METRIC_COUNT(SEARCH('alpha OR beta', 'Sum', 60))", 2],
    ["METRIC_COUNT(SEARCH('NOT alpha', 'Sum', 60))", 1],
    ["SEARCH('gamma', 'Sum', 60)", []],
    ["SEARCH('gamma', 'Sum', 60) * 2", []],
    ["SUM(SEARCH('gamma', 'Sum', 60))", {}],
    ["MAX(SEARCH('gamma', 'Sum', 60)) + 1", {}],
    ["FIRST(SEARCH('gamma', 'Sum', 60))", []],
    ["FILL(LAST(SEARCH('gamma', 'Sum', 60)), 0)", []],
    ["SORT(SEARCH('gamma', 'Sum', 60), SUM, DESC)", []],
    ["METRIC_COUNT(SEARCH('gamma', 'Sum', 60))", 0],
  ])('%s', async (expression, expected) => {
    const value = await computed(expression);
    if (typeof expected === 'number') expect(value).toBeCloseTo(expected, 12);
    else expect(value).toEqual(expected);
  });

  it.each([
    ['a +', "Error in expression 'e': Unexpected end of expression"],
    ['a b', "Error in expression 'e': Unexpected 'b'"],
    ['c * 2', "Error in expression 'e': Unrecognized identifier: 'c'"],
    ['e + 1', "Error in expression 'e': Expressions refer to each other in a circle"],
    ['WHAT(a)', "Error in expression 'e': Unknown function: WHAT"],
    ['SUM()', "Error in expression 'e': Unsupported arguments passed to function SUM"],
    ['a + "x"', "Error in expression 'e': Unsupported operand types for '+'"],
    ['a ; b', "Error in expression 'e': Unexpected character ';'"],
    [`${'('.repeat(500)}a${')'.repeat(500)}`, "Error in expression 'e': The expression is nested too deeply"],
    [
      "SEARCH('alpha', 'Sum', 7)",
      "Error in expression 'e': The period 7 of SEARCH is not 1, 5, 10, 20, 30 or a multiple of 60",
    ],
    [
      'SELECT AVG(x) FROM y',
      "Error in expression 'e': Metrics Insights queries (SELECT) are not supported by Stator",
    ],
  ])('refuses %s', async (expression, message) => {
    expect(await computed(expression)).toBe(message);
  });
});
