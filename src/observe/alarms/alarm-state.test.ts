import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { type AlarmSettings, type MissingData, missingDataOf, type StateValue } from './alarm-record.ts';
import { type AlarmRule, stateAfter, type Verdict } from './alarm-state.ts';
import { stateReason } from './alarm-words.ts';

const kept: StateValue = 'OK';

/** `X` breaches, `0` does not, `-` is missing; oldest first. */
function verdicts(text: string): Verdict[] {
  return [...text.replaceAll(' ', '')].map((mark) => (mark === '-' ? undefined : mark === 'X'));
}

describe('the tables of the documentation', () => {
  const treatments: readonly MissingData[] = ['missing', 'ignore', 'breaching', 'notBreaching'];
  const retained = 'INSUFFICIENT_DATA' as const;

  /** Three of three. */
  it.each([
    ['0 - X - X', ['OK', 'OK', 'OK', 'OK']],
    ['0 - - - -', ['OK', 'OK', 'OK', 'OK']],
    ['- - - - -', ['INSUFFICIENT_DATA', retained, 'ALARM', 'OK']],
    ['0 X X - X', ['ALARM', 'ALARM', 'ALARM', 'ALARM']],
    ['- - X - -', ['ALARM', retained, 'ALARM', 'OK']],
  ])('3 of 3: %s', (points, expected) => {
    expect(
      treatments.map((missingData) =>
        stateAfter(verdicts(points), { datapointsToAlarm: 3, evaluationPeriods: 3, missingData }, retained),
      ),
    ).toEqual(expected);
  });

  it.each([
    ['0 - X - X', ['ALARM', 'ALARM', 'ALARM', 'ALARM']],
    ['0 0 X 0 X', ['ALARM', 'ALARM', 'ALARM', 'ALARM']],
    ['0 - X - -', ['OK', 'OK', 'ALARM', 'OK']],
    ['- - - - 0', ['OK', 'OK', 'ALARM', 'OK']],
    ['- - - X -', ['ALARM', retained, 'ALARM', 'OK']],
  ])('2 of 3: %s', (points, expected) => {
    expect(
      treatments.map((missingData) =>
        stateAfter(verdicts(points), { datapointsToAlarm: 2, evaluationPeriods: 3, missingData }, retained),
      ),
    ).toEqual(expected);
  });

  it('makes no premature alarm of one late point', () => {
    const rule: AlarmRule = { datapointsToAlarm: 3, evaluationPeriods: 3, missingData: 'missing' };
    expect(stateAfter(verdicts('- - - - X'), rule, kept)).toBe(kept);
  });
});

/** The same in another way: every missing point is replaced in turn, and the points are counted by hand. */
function naive(points: readonly Verdict[], rule: AlarmRule, before: StateValue): StateValue {
  const { datapointsToAlarm: m, evaluationPeriods: n, missingData } = rule;
  const newestFirst = [...points].reverse();
  const real: { readonly breaches: boolean; readonly age: number }[] = [];
  newestFirst.forEach((point, i) => {
    if (point !== undefined && real.length < n) real.push({ breaches: point, age: i + 1 });
  });
  let breaching = 0;
  for (const { breaches } of real) if (breaches) breaching++;
  let fill = n - real.length;
  if (missingData === 'breaching') while (fill-- > 0) breaching++;
  const isEnough = breaching >= m;
  if (missingData === 'breaching' || missingData === 'notBreaching' || real.length === n)
    return isEnough ? 'ALARM' : 'OK';
  if (real.length === 0) return missingData === 'ignore' ? before : 'INSUFFICIENT_DATA';
  if (isEnough) return 'ALARM';
  if (real.some(({ breaches }) => !breaches)) return 'OK';
  const oldest = Math.max(...real.map(({ age }) => age));
  return missingData === 'missing' && oldest >= m ? 'ALARM' : before;
}

describe('the state after an evaluation', () => {
  const point = fc.constantFrom<Verdict>(true, false, undefined);
  const rule = fc.integer({ min: 1, max: 8 }).chain((evaluationPeriods) =>
    fc.record({
      evaluationPeriods: fc.constant(evaluationPeriods),
      datapointsToAlarm: fc.integer({ min: 1, max: evaluationPeriods }),
      missingData: fc.constantFrom<MissingData>('missing', 'ignore', 'breaching', 'notBreaching'),
    }),
  );
  const before = fc.constantFrom<StateValue>('OK', 'ALARM', 'INSUFFICIENT_DATA');

  it('is that of the naive model', () => {
    assertProperty(
      fc.property(
        rule.chain((one) =>
          fc.tuple(
            fc.constant(one),
            fc.array(point, { minLength: one.evaluationPeriods + 2, maxLength: one.evaluationPeriods + 2 }),
          ),
        ),
        before,
        ([one, points], state) => {
          expect(stateAfter(points, one, state)).toBe(naive(points, one, state));
        },
      ),
      { numRuns: propertyRuns(3000) },
    );
  });

  it('with all points there is simply M of N', () => {
    assertProperty(
      fc.property(rule, before, fc.infiniteStream(fc.boolean()), (one, state, stream) => {
        const points = [...stream.take(one.evaluationPeriods + 2)];
        const breaching = points.slice(-one.evaluationPeriods).filter(Boolean).length;
        expect(stateAfter(points, one, state)).toBe(breaching >= one.datapointsToAlarm ? 'ALARM' : 'OK');
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});

describe('an alarm that says nothing about missing data', () => {
  const watching = (Namespace: string, isMath: boolean, missingData?: MissingData) => {
    const metric = { Namespace, MetricName: 'm', Dimensions: [] };
    const watched = isMath
      ? { Metrics: [{ Id: 'm', MetricStat: { Metric: metric, Period: 60, Stat: 'Sum' } }] }
      : { ...metric, Statistic: 'Sum', Period: 60 };
    return missingDataOf({ watched, missingData } as unknown as AlarmSettings);
  };

  it.each([true, false])(
    'ignores it on metrics of DynamoDB, as on the service (in metric math: %s)',
    (isMath) => {
      expect(watching('AWS/DynamoDB', isMath)).toBe('ignore');
      expect(watching('AWS/DynamoDB', isMath, 'breaching')).toBe('breaching');
      expect(watching('App', isMath)).toBe('missing');
    },
  );
});

it('the reason of a state is worded as on the service', () => {
  const settings = { evaluationPeriods: 1, comparison: 'GreaterThanThreshold', threshold: 5 };
  const time = Date.UTC(2022, 3, 26, 3, 6) / 1000;
  const reason = (value: number, more: object, from: StateValue, to: StateValue) =>
    stateReason({ ...settings, ...more } as unknown as AlarmSettings, from, to, [
      { time: time - 60, value: undefined },
      { time, value },
    ]);
  expect(reason(7.25, {}, 'OK', 'ALARM')).toBe(
    'Threshold Crossed: 1 out of the last 1 datapoints [7.25 (26/04/22 03:06:00)] was greater than the threshold (5.0) (minimum 1 datapoint for OK -> ALARM transition).',
  );
  expect(reason(0, {}, 'ALARM', 'OK')).toBe(
    'Threshold Crossed: 1 out of the last 1 datapoints [0.0 (26/04/22 03:06:00)] was not greater than the threshold (5.0) (minimum 1 datapoint for ALARM -> OK transition).',
  );
  expect(reason(9, { evaluationPeriods: 3 }, 'OK', 'ALARM')).toContain(
    '1 out of the last 3 datapoints [9.0 (26/04/22 03:06:00)] was greater than the threshold (5.0) (minimum 3 datapoints',
  );
});
