import { capacityLimits } from '../model/limits.ts';
import { chooseSplit } from './choose-split.ts';
import { memoryBounds, onDemandGrowthMs, warmUpMs } from './constants.ts';
import type { Throughput } from './partition-record.ts';
import type { Resource } from './resource.ts';

/** How the partition map of a table or index grows: for settings, for peaks, for size. Heat is in `close-minute.ts`. */

/** What the settings of throughput need: the provisioned rate at once, on demand what was ever provisioned. */
export function growForSettings(resource: Resource): void {
  const { throughput } = resource;
  if (resource.isOnDemand) {
    const { onDemandInitialReadUnitsPerSecond, onDemandInitialWriteUnitsPerSecond } = capacityLimits;
    const read = Math.max(onDemandInitialReadUnitsPerSecond, resource.provisionedPeak.read);
    const write = Math.max(onDemandInitialWriteUnitsPerSecond, resource.provisionedPeak.write);
    grow(resource, { read, write }, false, 'on-demand mode');
  } else {
    const peak = higher(resource.provisionedPeak, throughput);
    if (peak !== resource.provisionedPeak) {
      resource.provisionedPeak = peak;
      resource.isDirty = true;
    }
    grow(resource, throughput, true, 'provisioned throughput');
  }
  const warm = higher(resource.warm, { read: throughput.warmRead ?? 0, write: throughput.warmWrite ?? 0 });
  if (warm === resource.warm) return;
  resource.warm = warm;
  resource.isDirty = true;
  scheduleGrowth(resource, warm, warmUpMs);
}

/** Partitions for a rate, when their time has come. */
export function scheduleGrowth(resource: Resource, rate: Throughput, delayMs: number): void {
  if (resource.map.fits(rate.read, rate.write, false)) return;
  const dueMs = resource.nowMs + delayMs;
  resource.growths.push({ read: rate.read, write: rate.write, dueMs });
  if (resource.growths.length > memoryBounds.pendingGrowthsMax) resource.growths.shift();
  resource.isDirty = true;
}

/** Carries out what is due. A clock that was set back must not put growth off for longer than it ever takes. */
export function growWhatIsDue(resource: Resource): void {
  if (resource.growths.length === 0) return;
  const { nowMs } = resource;
  const waiting = [];
  for (const growth of resource.growths) {
    if (growth.dueMs > nowMs) {
      waiting.push({ ...growth, dueMs: Math.min(growth.dueMs, nowMs + onDemandGrowthMs) });
      continue;
    }
    resource.isDirty = true;
    if (resource.splits) grow(resource, growth, false, 'peaks and warm throughput');
  }
  resource.growths = waiting;
}

/** A partition above 10 GB is halved. One collection is cut by its sort keys, unless local indexes hold it together. */
export function growForBytes(resource: Resource, index: number | undefined): void {
  if (!resource.splits) return;
  const { map, identity } = resource;
  const cuts = map.growForBytes();
  if (cuts > 0) cutsMade(resource, cuts, 'more than 10 GB in a partition');
  if (index === undefined || cuts > 0 || identity.hasLocalIndexes) return;
  const positions = map.stateAt(index)?.sample?.positions;
  if (positions === undefined) return;
  const choice = chooseSplit(positions, false);
  if ('cut' in choice && map.split(index, choice.cut))
    cutsMade(resource, 1, 'more than 10 GB in a collection');
}

function grow(resource: Resource, { read, write }: Throughput, shared: boolean, why: string): void {
  const cuts = resource.map.growFor(read, write, shared);
  if (cuts > 0) cutsMade(resource, cuts, why);
}

function cutsMade(resource: Resource, cuts: number, why: string): void {
  resource.isDirty = true;
  resource.tell(`${cuts} partition${cuts === 1 ? '' : 's'} added, now ${resource.map.count}: ${why}`);
}

function higher(known: Throughput, other: Throughput): Throughput {
  if (other.read <= known.read && other.write <= known.write) return known;
  return { read: Math.max(known.read, other.read), write: Math.max(known.write, other.write) };
}
