import { capacityLimits } from '../model/limits.ts';
import { chooseSplit } from './choose-split.ts';
import {
  heatMinutes,
  heatShare,
  memoryBounds,
  onDemandGrowthMs,
  onDemandHeadroomFactor,
} from './constants.ts';
import { historyMinutes, LoadHistory } from './load-history.ts';
import type { PartitionState } from './partition-state.ts';
import { PositionSample } from './position-sample.ts';
import type { Resource } from './resource.ts';
import { growWhatIsDue, scheduleGrowth } from './resource-growth.ts';

const readHeat = heatShare * 60 * capacityLimits.partitionReadUnitsPerSecondMax;
const writeHeat = heatShare * 60 * capacityLimits.partitionWriteUnitsPerSecondMax;

/**
 * The end of the minute in which a table or index was last used: its load goes into the history, peaks are noted, hot
 * partitions are cut, and growth that is due happens. It runs when somebody asks after the minute is over; minutes
 * without requests have nothing to close.
 */
export function closeMinute(resource: Resource): void {
  const { map, minute } = resource;
  notePeak(resource);
  if (resource.readUnits + resource.writeUnits + resource.refusedReads + resource.refusedWrites > 0) {
    resource.history ??= new LoadHistory();
    resource.history.add(
      minute,
      resource.readUnits,
      resource.writeUnits,
      resource.refusedReads,
      resource.refusedWrites,
    );
  }
  resource.readUnits = 0;
  resource.writeUnits = 0;
  resource.refusedReads = 0;
  resource.refusedWrites = 0;
  const nowMinute = Math.floor(resource.nowMs / 60_000);
  // From the end: a cut moves only the partitions behind it.
  for (let i = map.count - 1; i >= 0; i--) {
    const state = map.stateAt(i);
    if (state === undefined) continue;
    if (state.minute === minute) closePartition(resource, i, state);
    // Idle for an hour: its balances are full and its history is over.
    else if (Math.abs(nowMinute - state.minute) > historyMinutes) resource.dropState(i);
  }
  growWhatIsDue(resource);
}

/** On demand, double of the highest minute so far is served 30 minutes later. */
function notePeak(resource: Resource): void {
  if (!resource.isOnDemand) return;
  const read = Math.max(resource.onDemandPeak.read, Math.ceil(resource.readUnits / 60));
  const write = Math.max(resource.onDemandPeak.write, Math.ceil(resource.writeUnits / 60));
  if (read === resource.onDemandPeak.read && write === resource.onDemandPeak.write) return;
  resource.onDemandPeak = { read, write };
  const wanted = { read: read * onDemandHeadroomFactor, write: write * onDemandHeadroomFactor };
  // Only a peak that needs partitions makes the record worth writing.
  scheduleGrowth(resource, wanted, onDemandGrowthMs);
}

function closePartition(resource: Resource, index: number, state: PartitionState): void {
  const { minute } = resource;
  const isHot = state.readUnits >= readHeat || state.writeUnits >= writeHeat;
  const { readUnits, writeUnits, refusedReads, refusedWrites } = state;
  if (readUnits + writeUnits + refusedReads + refusedWrites > 0)
    resource.historyOf(state)?.add(minute, readUnits, writeUnits, refusedReads, refusedWrites);
  state.readUnits = 0;
  state.writeUnits = 0;
  state.refusedReads = 0;
  state.refusedWrites = 0;
  if (!isHot) {
    state.hotMinutes = 0;
    resource.dropSample(state);
    return;
  }
  state.hotMinutes = state.lastHotMinute === minute - 1 ? state.hotMinutes + 1 : 1;
  state.lastHotMinute = minute;
  const { shared } = resource;
  if (state.sample === undefined && shared.samples < memoryBounds.sampledPartitionsMax) {
    state.sample = new PositionSample(resource.map.idAt(index) * 2654435761 + minute);
    shared.samples++;
    return;
  }
  if (state.hotMinutes >= heatMinutes && state.sample !== undefined) splitForHeat(resource, index, state);
}

/** Whatever is decided, the next decision takes as long again and looks at new positions. */
function splitForHeat(resource: Resource, index: number, state: PartitionState): void {
  const choice = chooseSplit(state.sample!.positions, resource.identity.hasLocalIndexes);
  const id = resource.map.idAt(index);
  state.hotMinutes = 0;
  resource.dropSample(state);
  if ('none' in choice) {
    resource.tell(`Partition ${id} is hot and stays whole: ${choice.none}`);
    return;
  }
  if (!resource.splits || !resource.map.split(index, choice.cut)) return;
  resource.isDirty = true;
  resource.tell(`Partition ${id} split for heat, now ${resource.map.count} partitions`);
}
