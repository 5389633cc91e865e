import { capacityLimits } from '../../model/limits.ts';
import type {
  BillingMode,
  CapacityDescription,
  OnDemandThroughput,
  ProvisionedThroughput,
  ThroughputDescription,
  WarmThroughput,
} from '../../model/tables/table-description.ts';
import { decreasesToday } from '../../physics/change-budgets.ts';
import type { RequestedCapacity } from '../control/requests.ts';
import { type Described, seconds } from './parts/table-part.ts';

/** The capacity of a table, or of an index that has its own: how it begins, changes and is described. */

export function createdCapacity(request: RequestedCapacity, mode: BillingMode): CapacityDescription {
  const { throughput, onDemandThroughput, warmThroughput } = request;
  const [read, write] = mode === 'PAY_PER_REQUEST' ? initialOnDemand : unitsIn(throughput);
  return {
    throughput: throughputOf(mode, throughput),
    ...(onDemandThroughput && { onDemandThroughput }),
    warmThroughput: {
      ReadUnitsPerSecond: warmThroughput?.ReadUnitsPerSecond ?? read,
      WriteUnitsPerSecond: warmThroughput?.WriteUnitsPerSecond ?? write,
    },
  };
}

export function changedCapacity(
  current: CapacityDescription,
  request: RequestedCapacity | undefined,
  from: BillingMode,
  to: BillingMode,
  nowMs: number,
): CapacityDescription {
  const throughput = changedThroughput(current.throughput, request?.throughput, from, to, nowMs);
  const ceilings = ceilingsOf(to, current.onDemandThroughput, request?.onDemandThroughput);
  return {
    throughput,
    ...(ceilings && { onDemandThroughput: ceilings }),
    warmThroughput: warmerOf(current.warmThroughput, request?.warmThroughput, to, throughput),
  };
}

/** On-demand tables and indexes report zero units. */
function throughputOf(
  mode: BillingMode,
  provisioned: ProvisionedThroughput | undefined,
): ThroughputDescription {
  const [ReadCapacityUnits, WriteCapacityUnits] = mode === 'PROVISIONED' ? unitsIn(provisioned) : [0, 0];
  return { ReadCapacityUnits, WriteCapacityUnits, decreasesThatDay: 0 };
}

/** A mix of up and down counts as a decrease; coming from on-demand, nothing is lowered or raised. */
function changedThroughput(
  current: ThroughputDescription,
  asked: ProvisionedThroughput | undefined,
  from: BillingMode,
  to: BillingMode,
  nowMs: number,
): ThroughputDescription {
  if (to === 'PAY_PER_REQUEST') return from === to ? current : throughputOf(to, undefined);
  if (asked === undefined) return current;
  if (from === 'PAY_PER_REQUEST') return { ...current, ...unitsOf(asked) };
  const lowers =
    asked.ReadCapacityUnits < current.ReadCapacityUnits ||
    asked.WriteCapacityUnits < current.WriteCapacityUnits;
  const raises =
    asked.ReadCapacityUnits > current.ReadCapacityUnits ||
    asked.WriteCapacityUnits > current.WriteCapacityUnits;
  return {
    ...current,
    ...unitsOf(asked),
    ...(raises && { increasedAt: nowMs }),
    ...(lowers && { decreasedAt: nowMs, decreasesThatDay: decreasesToday(current, nowMs) + 1 }),
  };
}

export function unitsOf({
  ReadCapacityUnits,
  WriteCapacityUnits,
}: ProvisionedThroughput): ProvisionedThroughput {
  return { ReadCapacityUnits, WriteCapacityUnits };
}

/** Ceilings are merged member by member; -1 takes one away, and so does a switch to provisioned throughput. */
function ceilingsOf(
  mode: BillingMode,
  current: OnDemandThroughput | undefined,
  asked: OnDemandThroughput | undefined,
): OnDemandThroughput | undefined {
  if (mode === 'PROVISIONED') return undefined;
  const merged = Object.entries({ ...current, ...asked }).filter(([, value]) => value !== -1);
  return merged.length === 0 ? undefined : Object.fromEntries(merged);
}

/** Warm throughput follows what was ever provisioned or had on demand, and only upwards. */
function warmerOf(
  current: Required<WarmThroughput>,
  asked: WarmThroughput | undefined,
  mode: BillingMode,
  throughput: ProvisionedThroughput,
): Required<WarmThroughput> {
  const [read, write] = mode === 'PAY_PER_REQUEST' ? initialOnDemand : unitsIn(throughput);
  return {
    ReadUnitsPerSecond: Math.max(current.ReadUnitsPerSecond, asked?.ReadUnitsPerSecond ?? 0, read),
    WriteUnitsPerSecond: Math.max(current.WriteUnitsPerSecond, asked?.WriteUnitsPerSecond ?? 0, write),
  };
}

type Units = readonly [read: number, write: number];

const initialOnDemand: Units = [
  capacityLimits.onDemandInitialReadUnitsPerSecond,
  capacityLimits.onDemandInitialWriteUnitsPerSecond,
];

function unitsIn(throughput: ProvisionedThroughput | undefined): Units {
  return [throughput?.ReadCapacityUnits ?? 0, throughput?.WriteCapacityUnits ?? 0];
}

export function describedCapacity(
  { throughput, onDemandThroughput, warmThroughput }: CapacityDescription,
  indexName: string | undefined,
  { nowMs, isWarming }: Described,
): object {
  const { increasedAt, decreasedAt } = throughput;
  return {
    ProvisionedThroughput: {
      ...(increasedAt !== undefined && { LastIncreaseDateTime: seconds(increasedAt) }),
      ...(decreasedAt !== undefined && { LastDecreaseDateTime: seconds(decreasedAt) }),
      NumberOfDecreasesToday: decreasesToday(throughput, nowMs),
      ...unitsOf(throughput),
    },
    ...(onDemandThroughput && { OnDemandThroughput: onDemandThroughput }),
    WarmThroughput: { ...warmThroughput, Status: isWarming(indexName) ? 'UPDATING' : 'ACTIVE' },
  };
}
