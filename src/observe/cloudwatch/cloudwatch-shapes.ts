import type { Slices } from '../../model/slices.ts';
import { apiOperations } from '../../operations/api/api-operation.ts';
import {
  boolean,
  double,
  integer,
  list,
  oneOf,
  required,
  string,
  structure,
  timestamp,
} from '../../operations/shapes/shape.ts';
import type { InputValue } from '../../operations/shapes/shape-types.ts';
import type { Metrics } from '../metrics.ts';
import { shapeError } from './cloudwatch-errors.ts';

/** What the operations on metrics work with. */
export interface MetricContext {
  readonly metrics: Metrics;
  readonly nowMs: () => number;
  /** Long work lets other requests through. */
  readonly slices: Slices;
}

export const metricOperation = apiOperations<MetricContext>('cloudwatch', shapeError);

export const name255 = string({ min: 1, max: 255 });
const metricDimension = structure('Dimension', {
  Name: required(name255),
  Value: required(string({ min: 1, max: 1024 })),
});
export const metricDimensions = list(metricDimension, { max: 30 });

export const standardUnits = [
  ...['Seconds', 'Microseconds', 'Milliseconds'],
  ...['Bytes', 'Kilobytes', 'Megabytes', 'Gigabytes', 'Terabytes'],
  ...['Bits', 'Kilobits', 'Megabits', 'Gigabits', 'Terabits', 'Percent', 'Count'],
  ...['Bytes/Second', 'Kilobytes/Second', 'Megabytes/Second', 'Gigabytes/Second', 'Terabytes/Second'],
  ...['Bits/Second', 'Kilobits/Second', 'Megabits/Second', 'Gigabits/Second', 'Terabits/Second'],
  ...['Count/Second', 'None'],
] as const;
export const standardUnit = oneOf(...standardUnits);

export const metricShape = structure('Metric', {
  Namespace: name255,
  MetricName: name255,
  Dimensions: metricDimensions,
});

export const metricDataQuery = structure('MetricDataQuery', {
  Id: required(name255),
  MetricStat: structure('MetricStat', {
    Metric: required(metricShape),
    Period: required(integer({ min: 1 })),
    Stat: required(string()),
    Unit: standardUnit,
  }),
  Expression: string({ min: 1, max: 2048 }),
  Label: string(),
  ReturnData: boolean,
  Period: integer({ min: 1 }),
  AccountId: name255,
});
export type MetricDataQuery = InputValue<typeof metricDataQuery>;

export const message = structure('MessageData', { Code: string(), Value: string() });
export const scanBy = oneOf('TimestampDescending', 'TimestampAscending');

export const metricDataResult = structure('MetricDataResult', {
  Id: string(),
  Label: string(),
  Timestamps: list(timestamp),
  Values: list(double()),
  StatusCode: string(),
  Messages: list(message),
});
