import { operation } from './operation.ts';
import { inputShape } from './shapes/input-shape.ts';

export type DescribeEndpointsInput = Readonly<Record<string, never>>;

export const describeEndpointsShape = inputShape<DescribeEndpointsInput>('DescribeEndpoints', {});

/** A client that discovers endpoints is to stay with the one it has found. */
export const describeEndpoints = operation(describeEndpointsShape, (_engine, _input, caller) => ({
  Endpoints: [
    {
      Address: caller.header('host') ?? `dynamodb.${caller.region}.amazonaws.com`,
      CachePeriodInMinutes: 1440,
    },
  ],
}));
