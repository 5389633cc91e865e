import { onAccount } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { list, long, required, string, structure } from '../shapes/shape.ts';

const describeEndpointsShape = inputShape('DescribeEndpoints', {});
export interface DescribeEndpointsInput extends InputOf<typeof describeEndpointsShape> {}

const describeEndpointsOutput = outputShape({
  Endpoints: required(
    list(structure('Endpoint', { Address: required(string()), CachePeriodInMinutes: required(long()) })),
  ),
});
export interface DescribeEndpointsOutput extends OutputOf<typeof describeEndpointsOutput> {}

/** A client that discovers endpoints is to stay with the one it has found. */
export const describeEndpoints = operation<DescribeEndpointsInput, DescribeEndpointsOutput>(
  describeEndpointsShape,
  describeEndpointsOutput,
  onAccount,
  (road) => {
    const forbidden = road.passControl();
    if (forbidden !== undefined) return forbidden;
    const { caller } = road;
    const address = caller.header('host') ?? `dynamodb.${caller.region}.amazonaws.com`;
    return { Endpoints: [{ Address: address, CachePeriodInMinutes: 1440 }] };
  },
);
