import { capacityLimits } from '../model/limits.ts';
import { operation } from './operation.ts';
import { inputShape } from './shapes/input-shape.ts';

export type DescribeLimitsInput = Readonly<Record<string, never>>;

export const describeLimitsShape = inputShape<DescribeLimitsInput>('DescribeLimits', {});

export const describeLimits = operation(
  describeLimitsShape,
  (road) =>
    road.passControl() ?? {
      AccountMaxReadCapacityUnits: capacityLimits.accountUnitsPerSecondMax,
      AccountMaxWriteCapacityUnits: capacityLimits.accountUnitsPerSecondMax,
      TableMaxReadCapacityUnits: capacityLimits.tableUnitsPerSecondMax,
      TableMaxWriteCapacityUnits: capacityLimits.tableUnitsPerSecondMax,
    },
);
