import { operation } from './operation.ts';
import { inputShape } from './shapes/input-shape.ts';

export type DescribeEndpointsInput = Readonly<Record<string, never>>;

export const describeEndpointsShape = inputShape<DescribeEndpointsInput>('DescribeEndpoints', {});

/** A client that discovers endpoints is to stay with the one it has found. */
export const describeEndpoints = operation(describeEndpointsShape, (road) => {
  const forbidden = road.passControl();
  if (forbidden !== undefined) return forbidden;
  const { caller } = road;
  const address = caller.header('host') ?? `dynamodb.${caller.region}.amazonaws.com`;
  return { Endpoints: [{ Address: address, CachePeriodInMinutes: 1440 }] };
});
