import { capacityLimits } from '../../model/limits.ts';
import { onAccount } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { long, required } from '../shapes/shape.ts';

const describeLimitsShape = inputShape('DescribeLimits', {});
export interface DescribeLimitsInput extends InputOf<typeof describeLimitsShape> {}

const describeLimitsOutput = outputShape({
  AccountMaxReadCapacityUnits: required(long()),
  AccountMaxWriteCapacityUnits: required(long()),
  TableMaxReadCapacityUnits: required(long()),
  TableMaxWriteCapacityUnits: required(long()),
});
export interface DescribeLimitsOutput extends OutputOf<typeof describeLimitsOutput> {}

export const describeLimits = operation<DescribeLimitsInput, DescribeLimitsOutput>(
  describeLimitsShape,
  describeLimitsOutput,
  onAccount,
  (road) =>
    road.passControl() ?? {
      AccountMaxReadCapacityUnits: capacityLimits.accountUnitsPerSecondMax,
      AccountMaxWriteCapacityUnits: capacityLimits.accountUnitsPerSecondMax,
      TableMaxReadCapacityUnits: capacityLimits.tableUnitsPerSecondMax,
      TableMaxWriteCapacityUnits: capacityLimits.tableUnitsPerSecondMax,
    },
);
