import { Portion } from '../../model/slices.ts';
import {
  boolean,
  double,
  integer,
  list,
  map,
  string,
  structure,
  timestamp,
} from '../../operations/shapes/shape.ts';
import type { InputValue } from '../../operations/shapes/shape-types.ts';
import type { StatisticSet } from '../metrics.ts';
import { onMetrics } from './api-intents.ts';
import {
  type CloudWatchError,
  invalidCombination,
  invalidValue,
  missingParameter,
} from './cloudwatch-errors.ts';
import { metricOperation } from './cloudwatch-shapes.ts';
import { metricKey } from './metric-reading.ts';
import { parameterChecks } from './parameter-checks.ts';

const datumShape = structure('MetricDatum', {
  MetricName: string(),
  Dimensions: list(structure('Dimension', { Name: string(), Value: string() })),
  Timestamp: timestamp,
  Value: double(),
  StatisticValues: structure('StatisticSet', {
    SampleCount: double(),
    Sum: double(),
    Minimum: double(),
    Maximum: double(),
  }),
  Values: list(double()),
  Counts: list(double()),
  Unit: string(),
  StorageResolution: integer(),
});
type Datum = InputValue<typeof datumShape>;

const datumsMax = 1_000;
const valuesMax = 150;
/**
 * A POST has 1 MB at most (API reference of PutMetricData). The bytes are counted before compression: AWS's own agent
 * sends gzip and fills its batches so (github.com/aws/amazon-cloudwatch-agent/pull/1437).
 */
const bodyBytesMax = 1024 * 1024;
/** To record a value takes about 1 µs, and to find a series, which may be a new one, several. */
const stepsPerValue = 10;
const stepsPerDatum = 100;
const pastMs = 14 * 86_400_000;
const futureMs = 2 * 3_600_000;
/** CloudWatch takes values between -2^360 and 2^360. */
const valueMax = 2 ** 360;

/** Its mistakes have words of their own, so the shape checks types only. Nothing is recorded unless all of it is right. */
const operation = metricOperation(
  'PutMetricData',
  onMetrics,
  {
    Namespace: string(),
    MetricData: list(datumShape),
    EntityMetricData: list(
      structure('EntityMetricData', {
        Entity: structure('Entity', { KeyAttributes: map(string()), Attributes: map(string()) }),
        MetricData: list(datumShape),
      }),
    ),
    StrictEntityValidation: boolean,
  },
  undefined,
  async (
    { metrics, nowMs, slices },
    { Namespace, MetricData = [], EntityMetricData = [] },
    { accountId, region },
  ) => {
    if (Namespace === undefined || Namespace === '')
      return missingParameter('The parameter Namespace is required.');
    const wrongName = parameterChecks.namespace(Namespace, { allowsAws: false });
    if (wrongName !== undefined) return wrongName;
    const all: readonly (readonly [place: string, datum: Datum])[] = [
      ...MetricData.map((datum, at) => [`MetricData.member.${at + 1}`, datum] as const),
      // Entities only relate telemetry to each other in AWS's console; their metrics are metrics like others.
      ...EntityMetricData.flatMap(({ MetricData: inner = [] }, entity) =>
        inner.map(
          (datum, at) =>
            [`EntityMetricData.member.${entity + 1}.MetricData.member.${at + 1}`, datum] as const,
        ),
      ),
    ];
    if (all.length === 0) return missingParameter('The parameter MetricData is required.');
    if (all.length > datumsMax)
      return invalidValue(`The collection MetricData must not have a size greater than ${datumsMax}.`);
    const now = nowMs();
    const work = new Portion(slices);
    for (const [place, datum] of all) {
      const wrong = datumError(place, datum, now);
      if (wrong !== undefined) return wrong;
      const turn = work.spend(stepsPerDatum + valuesOf(datum));
      if (turn !== undefined) await turn;
    }
    for (const [, datum] of all) {
      const turn = work.spend(stepsPerDatum + stepsPerValue * valuesOf(datum));
      if (turn !== undefined) await turn;
      const { MetricName = '', Unit = 'None', Value, Values, Counts, StatisticValues } = datum;
      const dimensions = (datum.Dimensions ?? []).map(({ Name = '', Value: text = '' }) => ({
        Name,
        Value: text,
      }));
      const key = metricKey({ accountId, region }, { Namespace, MetricName, Dimensions: dimensions });
      const atMs = datum.Timestamp === undefined ? now : datum.Timestamp * 1000;
      if (StatisticValues !== undefined) metrics.recordSet(key, Unit, setOf(StatisticValues), atMs);
      else if (Value !== undefined) metrics.record(key, Unit, Value, 1, atMs);
      else
        for (const [at, value] of Values!.entries())
          metrics.record(key, Unit, value, Counts?.[at] ?? 1, atMs);
    }
    return {};
  },
);

export const putMetricData = { ...operation, bodyBytesMax };

function valuesOf({ Values }: Datum): number {
  return Values?.length ?? 1;
}

function datumError(place: string, datum: Datum, now: number): CloudWatchError | undefined {
  const { Timestamp, Value, Values, Counts, StatisticValues, StorageResolution } = datum;
  const wrong =
    parameterChecks.metricName(`${place}.MetricName`, datum.MetricName) ??
    parameterChecks.dimensions(`${place}.Dimensions`, datum.Dimensions) ??
    parameterChecks.unit(`${place}.Unit`, datum.Unit);
  if (wrong !== undefined) return wrong;
  if (Timestamp !== undefined) {
    if (Timestamp * 1000 < now - pastMs)
      return invalidValue(`The parameter ${place}.Timestamp must specify a time within the past two weeks.`);
    if (Timestamp * 1000 > now + futureMs)
      return invalidValue(
        `The parameter ${place}.Timestamp must specify a time no more than two hours in the future.`,
      );
  }
  if (StorageResolution !== undefined && StorageResolution !== 1 && StorageResolution !== 60)
    return invalidValue(`The parameter ${place}.StorageResolution must be a value in the set [ 1, 60 ].`);
  const given = [
    Value !== undefined && 'Value',
    StatisticValues !== undefined && 'StatisticValues',
    (Values !== undefined || Counts !== undefined) && 'Values',
  ].filter((name) => name !== false);
  if (given.length > 1)
    return invalidCombination(
      `The parameters ${place}.${given[0]} and ${place}.${given[1]} are mutually exclusive and you have specified both.`,
    );
  if (given.length === 0)
    return missingParameter(
      `At least one of the parameters ${place}.Value, ${place}.Values and ${place}.StatisticValues must be specified.`,
    );
  if (Value !== undefined) return valueError(`${place}.Value`, Value);
  if (StatisticValues !== undefined) return setError(`${place}.StatisticValues`, StatisticValues);
  return valuesError(place, Values, Counts);
}

function valueError(parameter: string, value: number): CloudWatchError | undefined {
  if (Number.isNaN(value) || Math.abs(value) > valueMax)
    return invalidValue(`The value ${value} for parameter ${parameter} is invalid.`);
  return undefined;
}

function valuesError(
  place: string,
  values: readonly number[] | undefined,
  counts: readonly number[] | undefined,
): CloudWatchError | undefined {
  if (values === undefined || values.length === 0)
    return missingParameter(`The parameter ${place}.Values is required.`);
  if (values.length > valuesMax)
    return invalidValue(`The collection ${place}.Values must not have a size greater than ${valuesMax}.`);
  if (counts !== undefined && counts.length !== values.length)
    return invalidValue(`The parameters ${place}.Values and ${place}.Counts must be of the same size.`);
  for (const [at, value] of values.entries()) {
    const wrong = valueError(`${place}.Values.member.${at + 1}`, value);
    if (wrong !== undefined) return wrong;
    const count = counts?.[at] ?? 1;
    if (!(count > 0 && count <= Number.MAX_SAFE_INTEGER))
      return invalidValue(`The value ${count} for parameter ${place}.Counts.member.${at + 1} is invalid.`);
  }
  return undefined;
}

function setError(place: string, set: NonNullable<Datum['StatisticValues']>): CloudWatchError | undefined {
  for (const name of ['SampleCount', 'Sum', 'Minimum', 'Maximum'] as const) {
    const value = set[name];
    if (value === undefined) return missingParameter(`The parameter ${place}.${name} is required.`);
    const wrong = valueError(`${place}.${name}`, value);
    if (wrong !== undefined) return wrong;
  }
  const { count, min, max } = setOf(set);
  if (count <= 0) return invalidValue(`The value ${count} for parameter ${place}.SampleCount is invalid.`);
  if (min > max)
    return invalidCombination(`The parameter ${place}.Maximum must be greater than ${place}.Minimum.`);
  return undefined;
}

function setOf(set: NonNullable<Datum['StatisticValues']>): StatisticSet {
  return {
    count: set.SampleCount ?? 0,
    sum: set.Sum ?? 0,
    min: set.Minimum ?? 0,
    max: set.Maximum ?? 0,
  };
}
