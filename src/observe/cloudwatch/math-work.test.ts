import { describe, expect, it, vi } from 'vitest';
import { processCaller } from '../../engine/process-caller.ts';
import { DynamoError } from '../../model/errors.ts';
import { Slices, stepsAtOnceMax, stepsPerSlice } from '../../model/slices.ts';
import type { ListedMetric, MinutePoint } from '../metrics.ts';
import type { CloudWatchError } from './cloudwatch-errors.ts';
import { getMetricData } from './get-metric-data.ts';
import { mathStepsMax } from './math-work.ts';

const day = 1_440;
// biome-ignore lint/suspicious/noTemplateCurlyInString: a dynamic label of CloudWatch
const label = '${LABEL}';
const scope = { accountId: '000000000000', region: 'us-east-1' };
const caller = processCaller({ ...scope, accessKeyId: 'a', requestId: 'r', authorize: undefined });

/** So many metrics, each with a point for every minute. */
function metricsOf(count: number) {
  const listed: ListedMetric[] = Array.from({ length: count }, (_, i) => ({
    ...scope,
    ...{ namespace: 'App', name: 'Load', unit: 'Count', dimensions: [{ name: 'Host', value: `h${i}` }] },
  }));
  return {
    list: () => listed,
    read: (_: unknown, from: number, to: number, step = 1) => {
      const points: MinutePoint[] = [];
      for (let minute = from; minute < to; minute += step)
        points.push({ minute, count: 1, sum: 1, min: 1, max: 1, histogram: undefined });
      return points;
    },
    record: () => {},
    recordSet: () => {},
  };
}

/** Runs a request and answers it with the steps of its slices. */
async function ask(metrics: number, input: object) {
  const slices: number[] = [0];
  const counted = new Slices(async () => {
    await Promise.resolve();
    slices.push(0);
  });
  const spend = counted.spend.bind(counted);
  vi.spyOn(counted, 'spend').mockImplementation((steps) => {
    slices[slices.length - 1]! += steps;
    return spend(steps);
  });
  const answer = await getMetricData.handle(
    { metrics: metricsOf(metrics), nowMs: () => 86_400_000 * 15, slices: counted },
    { StartTime: 0, EndTime: 86_400, ...input },
    caller,
  );
  return { answer, slices };
}

const search = (period: number) => `SEARCH('{App,Host} Load', 'Sum', ${period})`;
const expression = (Expression: string) => ({ MetricDataQueries: [{ Id: 'e', Expression }] });

describe('the work of metric math', () => {
  it.each([
    ['nested functions', expression(`${'FILL('.repeat(60)}${search(60)}${', 0)'.repeat(60)}`)],
    [
      'a search beside another',
      expression(`[${Array.from({ length: 40 }, (_, i) => search(60 * (i + 1))).join(',')}] / 2`),
    ],
    ['one search for as long as metrics are kept', { ...expression(search(60)), EndTime: 15 * 86_400 }],
    [
      'arrays of arrays',
      {
        MetricDataQueries: Array.from({ length: 5 }, (_, i) => ({
          Id: `e${i}`,
          Expression:
            i === 0
              ? search(3600)
              : `[${Array(300)
                  .fill(`e${i - 1}`)
                  .join(',')}]`,
        })),
      },
    ],
    [
      'long labels',
      {
        MetricDataQueries: ['a', 'b'].map((Id) => ({
          Id,
          Expression: search(3600),
          Label: label.repeat(1_250),
        })),
      },
    ],
    [
      'an expression for every moment since 1970',
      { ...expression(`${'FILL('.repeat(70)}TIME_SERIES(1)${',0)'.repeat(70)}`), EndTime: 1e9 },
    ],
  ])('is refused beyond the budget: %s', async (_, input) => {
    const { answer, slices } = await ask(500, input);
    expect(answer).toBeInstanceOf(DynamoError);
    expect((answer as CloudWatchError).name).toBe('ValidationError');
    expect((answer as CloudWatchError).message).toContain('5,000,000 datapoints');
    expect(slices.reduce((sum, steps) => sum + steps)).toBeLessThan(2 * mathStepsMax);
    expect(Math.max(...slices)).toBeLessThan(stepsPerSlice + stepsAtOnceMax);
  });

  it('is done in slices within the budget', async () => {
    const { answer, slices } = await ask(500, expression(`SUM(FILL(${search(60)}, 0))`));
    expect(answer).toMatchObject({ MetricDataResults: [{ Id: 'e', StatusCode: 'Complete' }], Messages: [] });
    expect((answer as { MetricDataResults: { Values: number[] }[] }).MetricDataResults[0]!.Values).toEqual(
      Array(day).fill(500),
    );
    expect(slices.length).toBeGreaterThan(20);
    expect(Math.max(...slices)).toBeLessThan(stepsPerSlice + stepsAtOnceMax);
  });

  it('answers percentiles of every minute of a day', async () => {
    const { answer } = await ask(500, expression(search(60).replace('Sum', 'p99')));
    expect(answer).toMatchObject({ NextToken: expect.any(String) });
  });

  it('answers five hundred metrics of more, and says so', async () => {
    const { answer } = await ask(600, expression(search(3600)));
    expect(answer).toMatchObject({
      Messages: [{ Code: 'MaxMetricsExceeded', Value: 'Maximum number of allowed metrics exceeded' }],
    });
    expect((answer as { MetricDataResults: unknown[] }).MetricDataResults).toHaveLength(500);
  });

  it('pages a descending result from its latest points', async () => {
    const input = { ...expression('TIME_SERIES(7)'), MaxDatapoints: 1_000 };
    const first = (await ask(1, input)).answer as Page;
    const second = (await ask(1, { ...input, NextToken: first.NextToken })).answer as Page;
    const times = [first, second].flatMap(({ MetricDataResults }) => MetricDataResults[0]!.Timestamps);
    expect(times).toEqual(Array.from({ length: day }, (_, i) => 86_400 - 60 * (i + 1)));
    expect(second.NextToken).toBeUndefined();
  });
});

interface Page {
  readonly NextToken?: string;
  readonly MetricDataResults: readonly { readonly Timestamps: number[] }[];
}
