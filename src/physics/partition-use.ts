import { capacityLimits } from '../model/limits.ts';

/** The units that one partition gives a second (HowItWorks.Partitions). */
export const partitionCeilings = {
  read: capacityLimits.partitionReadUnitsPerSecondMax,
  write: capacityLimits.partitionWriteUnitsPerSecondMax,
} as const;

/** The share of a partition that so many units a second take; above 1 it is throttled. */
export function partitionUse({ read, write }: { readonly read: number; readonly write: number }): number {
  return Math.max(read / partitionCeilings.read, write / partitionCeilings.write);
}
