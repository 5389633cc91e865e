import { capacityLimits } from '../model/limits.ts';
import { toHex } from '../model/values/hex.ts';
import { onDemandHeadroomFactor } from './constants.ts';
import type { KeyLoad } from './hot-keys.ts';
import type { MinuteLoad } from './load-history.ts';
import type { PhysicsMode } from './modes.ts';
import type { Throughput } from './partition-record.ts';
import type { PartitionEvent, Resource } from './resource.ts';
import type { ThroughputSettings } from './throughput-settings.ts';

/** A table or index as the model sees it: plain data for the control API and the command line. */
export interface ResourceDescription {
  readonly tableName: string;
  readonly indexName: string | undefined;
  readonly arn: string;
  readonly mode: PhysicsMode;
  readonly throughput: ThroughputSettings;
  /** Balances of the table or index; absent where nothing limits it. */
  readonly balances: { readonly read?: Balance; readonly write?: Balance };
  /** Units a second that can be had at once, with keys spread evenly. */
  readonly warm: Throughput;
  readonly onDemandPeak: Throughput;
  readonly partitions: readonly PartitionDescription[];
  /** By minute, oldest first; the last may be under way. */
  readonly lastHour: readonly MinuteLoad[];
  readonly hotKeys: readonly KeyLoad[];
  readonly events: readonly PartitionEvent[];
}

export interface Balance {
  readonly units: number;
  readonly unitsMax: number;
  readonly unitsPerSecond: number;
}

export interface PartitionDescription {
  readonly id: number;
  /** Where it begins: the place in hexadecimal digits and, inside a collection, the sort key's first bytes. */
  readonly from: string;
  /** Its share of the hash space. */
  readonly share: number;
  readonly bytes: number;
  /** Units that it can give at this moment. */
  readonly readBalance: number;
  readonly writeBalance: number;
  readonly readAsked: number;
  readonly writeAsked: number;
  readonly hotMinutes: number;
  readonly lastHour: readonly MinuteLoad[];
}

export function describeResource(resource: Resource, hotKeys: readonly KeyLoad[]): ResourceDescription {
  const { identity, settings, throughput, map, minute } = resource;
  const partitions: PartitionDescription[] = [];
  for (let i = 0; i < map.count; i++) partitions.push(describePartition(resource, i));
  const current: MinuteLoad = {
    minute,
    readUnits: resource.readUnits,
    writeUnits: resource.writeUnits,
    refusedReads: resource.refusedReads,
    refusedWrites: resource.refusedWrites,
  };
  return {
    tableName: identity.tableName,
    indexName: identity.indexName,
    arn: identity.arn,
    mode: settings.mode,
    throughput,
    balances: {
      ...(resource.read.rate < Number.POSITIVE_INFINITY && { read: balanceOf(resource.read) }),
      ...(resource.write.rate < Number.POSITIVE_INFINITY && { write: balanceOf(resource.write) }),
    },
    warm: warmThroughput(resource),
    onDemandPeak: resource.onDemandPeak,
    partitions,
    lastHour: withCurrent(resource.history?.until(minute) ?? [], current),
    hotKeys,
    events: resource.events.slice(),
  };
}

/** `WarmThroughput` of DescribeTable: what was asked for or is there, whichever is more. It never falls. */
export function warmThroughput(resource: Resource): Throughput {
  const { warm, provisionedPeak, onDemandPeak, isOnDemand } = resource;
  const initial = isOnDemand
    ? {
        read: capacityLimits.onDemandInitialReadUnitsPerSecond,
        write: capacityLimits.onDemandInitialWriteUnitsPerSecond,
      }
    : { read: 0, write: 0 };
  // The headroom above a peak is there only when the partitions for it have come.
  const served = (peak: number, isWrite: boolean) =>
    Math.min(peak * onDemandHeadroomFactor, ceilings(resource, isWrite));
  return {
    read: Math.max(warm.read, provisionedPeak.read, initial.read, served(onDemandPeak.read, false)),
    write: Math.max(warm.write, provisionedPeak.write, initial.write, served(onDemandPeak.write, true)),
  };
}

function ceilings({ map }: Resource, isWrite: boolean): number {
  const { partitionReadUnitsPerSecondMax: read, partitionWriteUnitsPerSecondMax: write } = capacityLimits;
  return map.count * (isWrite ? write : read);
}

function describePartition(resource: Resource, index: number): PartitionDescription {
  const { map, minute, nowMs } = resource;
  const { id, place, sort, bytes } = map.entry(index);
  const state = map.stateAt(index);
  state?.advance(nowMs);
  const from = `${place.toString(16).padStart(14, '0')}${sort.length > 0 ? `/${toHex(sort)}` : ''}`;
  const base = { id, from, share: map.share(index), bytes };
  if (state === undefined)
    return {
      ...base,
      readBalance: capacityLimits.partitionReadUnitsPerSecondMax,
      writeBalance: capacityLimits.partitionWriteUnitsPerSecondMax,
      readAsked: 0,
      writeAsked: 0,
      hotMinutes: 0,
      lastHour: [],
    };
  const { readUnits, writeUnits, refusedReads, refusedWrites } = state;
  const current = { minute: state.minute, readUnits, writeUnits, refusedReads, refusedWrites };
  return {
    ...base,
    readBalance: state.read.balance,
    writeBalance: state.write.balance,
    readAsked: state.readAsked.perSecond(nowMs),
    writeAsked: state.writeAsked.perSecond(nowMs),
    hotMinutes: state.hotMinutes,
    lastHour: withCurrent(state.history?.until(minute) ?? [], current),
  };
}

/** The minute under way is not in the history yet. */
function withCurrent(past: readonly MinuteLoad[], current: MinuteLoad): readonly MinuteLoad[] {
  const { readUnits, writeUnits, refusedReads, refusedWrites } = current;
  return readUnits + writeUnits + refusedReads + refusedWrites > 0 ? [...past, current] : past;
}

function balanceOf({ balance, depth, rate }: { balance: number; depth: number; rate: number }): Balance {
  return { units: balance, unitsMax: depth, unitsPerSecond: rate };
}
