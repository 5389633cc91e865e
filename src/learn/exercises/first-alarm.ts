import { stateAfter } from '../../observe/alarms/alarm-state.ts';
import { appTable } from '../app-table.ts';
import type { Bench } from '../bench.ts';
import type { Exercise } from '../exercise.ts';
import { typed } from '../items.ts';
import { throttleNames } from '../ledger.ts';
import { mustHold } from '../lesson.ts';

const file = 'alarm.json';
const minutes = 40;
/** Large items, so that few requests make many units. */
const unitsEach = 100;

const metricNames = [
  'WriteThrottleEvents',
  'ConsumedWriteCapacityUnits',
  'ConditionalCheckFailedRequests',
] as const;
const comparisons = {
  GreaterThanThreshold: (value: number, threshold: number) => value > threshold,
  GreaterThanOrEqualToThreshold: (value: number, threshold: number) => value >= threshold,
  LessThanThreshold: (value: number, threshold: number) => value < threshold,
};
const treatments = ['missing', 'notBreaching', 'breaching', 'ignore'] as const;

interface Alarm {
  readonly MetricName: (typeof metricNames)[number];
  readonly ComparisonOperator: keyof typeof comparisons;
  readonly Threshold: number;
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm: number;
  readonly TreatMissingData: (typeof treatments)[number];
}

type Minute = Readonly<Record<(typeof metricNames)[number], number | undefined>>;

export const firstAlarm: Exercise = {
  id: 'first-alarm',
  files: [file],
  topics: ['observability'],
  async judge(bench) {
    let alarm: Alarm | undefined;
    await bench.step('It is an alarm', async () => {
      alarm = readAlarm(await bench.fields(file));
      return undefined;
    });
    const evening = async (load: Load) => statesOf(alarm!, await play(bench, load));
    await bench.step('Monday: one bad minute, and nobody is woken', async () => {
      const states = await evening({ sale: () => 0, hot: (minute) => (minute === 17 ? 1 : 0) });
      const rang = states.indexOf('ALARM');
      mustHold(rang < 0, () => ({
        saw: `It rings at ${clock(rang)}, although there was one minute with throttles only, and the SDK has repeated the writes.`,
        rule: 'One bad minute is no incident. Ask for several of the last minutes: DatapointsToAlarm of EvaluationPeriods.',
        topic: 'observability',
      }));
      return undefined;
    });
    await bench.step('Friday: the sale, and nobody is woken', async () => {
      const states = await evening({
        sale: (minute) => (minute > 8 && minute < 17 ? 25 : 0),
        hot: () => 0,
      });
      const rang = states.indexOf('ALARM');
      mustHold(rang < 0, () => ({
        saw: `It rings at ${clock(rang)}: traffic is high, and every write succeeds.`,
        rule: 'High consumption is what the table is for. Alarm on what users feel: throttles and errors.',
        topic: 'observability',
      }));
      return undefined;
    });
    await bench.step('Sunday: somebody is woken in time, and it ends', async () => {
      const states = await evening({
        sale: () => 0,
        hot: (minute) => (minute >= 10 && minute < 22 ? 1 : 0),
      });
      const rang = states.indexOf('ALARM');
      mustHold(rang >= 10, () => ({
        saw:
          rang < 0
            ? 'It never rings, and writes are throttled for twelve minutes.'
            : `It rings at ${clock(rang)}, before anything has happened.`,
        rule: whySilent(alarm!),
        topic: 'observability',
      }));
      mustHold(rang <= 16, () => ({
        saw: `It rings at ${clock(rang)}; the throttles began at ${clock(10)}.`,
        rule: 'The more minutes an alarm waits for, the later it comes. Three of five is a usual compromise.',
        topic: 'observability',
      }));
      const last = states[35]!;
      mustHold(last === 'OK', () => ({
        saw: `At ${clock(35)}, 13 minutes after the last throttle, the alarm is in ${last}.`,
        rule:
          alarm!.TreatMissingData === 'notBreaching'
            ? `It looks at the last ${alarm!.EvaluationPeriods} minutes, and rings as long as ${alarm!.DatapointsToAlarm} of them were bad. Fewer minutes forget sooner.`
            : 'Minutes without throttles have no datapoint. Say what that means: TreatMissingData notBreaching.',
        topic: 'observability',
      }));
      return `rings at ${clock(rang)}, OK again at ${clock(states.indexOf('OK', rang))}`;
    });
  },
};

function whySilent({ MetricName, ComparisonOperator, Threshold }: Alarm): string {
  if (MetricName === 'ConsumedWriteCapacityUnits')
    return 'Consumed capacity says nothing about it: the table uses a third of what it could. WriteThrottleEvents does.';
  if (MetricName === 'ConditionalCheckFailedRequests')
    return 'A condition that was false is no throttled write. WriteThrottleEvents counts those.';
  return ComparisonOperator === 'LessThanThreshold'
    ? 'Throttles are bad when there are many: the comparison is the wrong way round.'
    : `A minute of the import has fewer throttles than ${Threshold}, and every one is a write that had to wait. A low threshold with several minutes is quiet too.`;
}

function readAlarm(given: Readonly<Record<string, unknown>>): Alarm {
  const words: readonly [string, readonly string[]][] = [
    ['MetricName', metricNames],
    ['ComparisonOperator', Object.keys(comparisons)],
    ['TreatMissingData', treatments],
  ];
  for (const [name, allowed] of words)
    mustHold(allowed.includes(String(given[name])), () => ({
      saw: `${name} is ${JSON.stringify(given[name])}.`,
      rule: `It is one of ${allowed.join(', ')}.`,
    }));
  for (const [name, fixed] of [
    ['Period', 60],
    ['Statistic', 'Sum'],
  ] as const)
    mustHold(given[name] === undefined || given[name] === fixed, () => ({
      saw: `${name} is ${JSON.stringify(given[name])}.`,
      rule: `Here it is ${fixed}, and may be left out: each minute is judged by the number of its events.`,
    }));
  mustHold(typeof given.Threshold === 'number', () => ({
    saw: `Threshold is ${JSON.stringify(given.Threshold)}.`,
    rule: 'It is a number.',
  }));
  const { EvaluationPeriods: periods, DatapointsToAlarm: points = periods } = given;
  mustHold(
    Number.isInteger(periods) &&
      Number.isInteger(points) &&
      Number(points) >= 1 &&
      Number(periods) >= Number(points),
    () => ({
      saw: `EvaluationPeriods is ${JSON.stringify(periods)}, DatapointsToAlarm ${JSON.stringify(points)}.`,
      rule: 'They are whole numbers from 1, and there cannot be more datapoints than periods.',
    }),
  );
  return { ...given, DatapointsToAlarm: points } as unknown as Alarm;
}

interface Load {
  /** Large writes of many tenants in a minute, beside the usual small ones. */
  readonly sale: (minute: number) => number;
  /** Seconds of import in a minute. */
  readonly hot: (minute: number) => number;
}

/** Plays an evening on the engine and keeps its metrics, minute by minute. */
async function play(bench: Bench, { sale, hot }: Load): Promise<Minute[]> {
  const lab = await bench.lab({ tables: [appTable({ warm: [12_000, 8_000] })], physics: 'enforce' });
  const note = 'x'.repeat(unitsEach * 1024 - 100);
  const series: Minute[] = [];
  for (let minute = 0; minute < minutes; minute++) {
    let used = 0;
    let throttled = 0;
    const put = async (PK: string, units: number) => {
      const item = { PK, SK: 'E', ...(units > 1 && { note }) };
      await lab.db.putItem({ TableName: 'app', Item: typed(item) }).then(
        () => {
          used += units;
        },
        (error: Error) => {
          if (!throttleNames.includes(error.name)) throw error;
          throttled++;
        },
      );
    };
    for (let i = 0; i < 20; i++) await put(`TENANT#${i}`, 1);
    for (let i = 0; i < sale(minute); i++) {
      await put(`TENANT#${i}`, unitsEach);
      lab.clock.advanceMs(500);
    }
    if (hot(minute) > 0) for (let i = 0; i < 26; i++) await put('TENANT#import', unitsEach);
    lab.clock.advanceMs(60_000 - sale(minute) * 500);
    series.push({
      WriteThrottleEvents: throttled === 0 ? undefined : throttled,
      ConsumedWriteCapacityUnits: used,
      ConditionalCheckFailedRequests: undefined,
    });
  }
  return series;
}

/** The state of the alarm after each minute, by the service's own rule. */
function statesOf(alarm: Alarm, series: readonly Minute[]): string[] {
  const states: string[] = [];
  const breaches = comparisons[alarm.ComparisonOperator];
  const rule = {
    datapointsToAlarm: alarm.DatapointsToAlarm,
    evaluationPeriods: alarm.EvaluationPeriods,
    missingData: alarm.TreatMissingData,
  };
  for (let minute = 0; minute < series.length; minute++) {
    const verdicts = series
      .slice(Math.max(0, minute + 1 - alarm.EvaluationPeriods - 2), minute + 1)
      .map((one) => {
        const value = one[alarm.MetricName];
        return value === undefined ? undefined : breaches(value, alarm.Threshold);
      });
    states.push(stateAfter(verdicts, rule, (states.at(-1) ?? 'INSUFFICIENT_DATA') as 'OK'));
  }
  return states;
}

function clock(minute: number): string {
  return `20:${String(minute).padStart(2, '0')}`;
}
