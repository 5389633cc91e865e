import { capacityLimits } from '../../model/limits.ts';
import type {
  AttributeDefinition,
  Billing,
  BillingMode,
  GlobalIndexDescription,
  OnDemandThroughput,
  ProvisionedThroughput,
  TableClass,
  TableDescription,
  ThroughputDescription,
  WarmThroughput,
} from '../../model/tables/table-description.ts';
import { encryptionOf, globalIndexOf, streamLabel, throughputOf } from './created-table.ts';
import type { IndexUpdate, TableChange } from './requests.ts';
import { decreasesOnDayOf } from './rules/change-quotas.ts';

/** What an update is given beside its request. */
export interface ChangeMoment {
  readonly nowMs: number;
  readonly account: string;
  readonly region: string;
  readonly kmsKeyId: string;
}

/** The table after a checked change. */
export function updatedTable(
  request: TableChange,
  table: TableDescription,
  moment: ChangeMoment,
): TableDescription {
  const { nowMs } = moment;
  const mode = request.billingMode ?? table.billing.mode;
  const { onDemandThroughput, stream, sse, ...rest } = table;
  const ceilings = ceilingsOf(mode, onDemandThroughput, request.onDemandThroughput);
  const nextStream =
    request.stream === undefined
      ? stream
      : request.stream.enabled
        ? { viewType: request.stream.viewType!, label: streamLabel(nowMs) }
        : undefined;
  const nextSse = request.encryption === undefined ? sse : encryptionOf(request.encryption, moment);
  const billing = billingOf(request, table.billing, nowMs);
  const gsis = indexesOf(request, table, mode, nowMs);
  return {
    ...rest,
    billing,
    ...(ceilings && { onDemandThroughput: ceilings }),
    warmThroughput: warmerOf(table.warmThroughput, request.warmThroughput, mode, billing.throughput),
    attributeDefinitions: definitionsOf(request, table, gsis),
    gsis,
    ...(nextStream && { stream: nextStream }),
    deletionProtection: request.deletionProtection ?? table.deletionProtection,
    tableClass: (request.tableClass ?? table.tableClass) as TableClass,
    tableClassChangedAt:
      request.tableClass === undefined ? table.tableClassChangedAt : [...table.tableClassChangedAt, nowMs],
    ...(nextSse && { sse: nextSse }),
    sseChangedAt: request.encryption === undefined ? table.sseChangedAt : [...table.sseChangedAt, nowMs],
  };
}

function billingOf(request: TableChange, billing: Billing, nowMs: number): Billing {
  const mode = request.billingMode ?? billing.mode;
  const switchesToOnDemand = mode === 'PAY_PER_REQUEST' && billing.mode === 'PROVISIONED';
  return {
    mode,
    throughput: changedThroughput(billing.throughput, request.throughput, billing.mode, mode, nowMs),
    switchedToOnDemandAt: switchesToOnDemand
      ? [...billing.switchedToOnDemandAt, nowMs]
      : billing.switchedToOnDemandAt,
    ...(switchesToOnDemand
      ? { onDemandSince: nowMs }
      : billing.onDemandSince !== undefined && { onDemandSince: billing.onDemandSince }),
  };
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
    ...(lowers && { decreasedAt: nowMs, decreasesThatDay: decreasesOnDayOf(nowMs, current) + 1 }),
  };
}

function unitsOf({ ReadCapacityUnits, WriteCapacityUnits }: ProvisionedThroughput): ProvisionedThroughput {
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
  const { onDemandInitialReadUnitsPerSecond, onDemandInitialWriteUnitsPerSecond } = capacityLimits;
  const [read, write] =
    mode === 'PAY_PER_REQUEST'
      ? [onDemandInitialReadUnitsPerSecond, onDemandInitialWriteUnitsPerSecond]
      : [throughput.ReadCapacityUnits, throughput.WriteCapacityUnits];
  return {
    ReadUnitsPerSecond: Math.max(current.ReadUnitsPerSecond, asked?.ReadUnitsPerSecond ?? 0, read),
    WriteUnitsPerSecond: Math.max(current.WriteUnitsPerSecond, asked?.WriteUnitsPerSecond ?? 0, write),
  };
}

/** The indexes there are, changed, without one that is taken away and with one that is added. */
function indexesOf(
  request: TableChange,
  table: TableDescription,
  mode: BillingMode,
  nowMs: number,
): readonly GlobalIndexDescription[] {
  const changes = request.indexes ?? [];
  const deleted = changes.flatMap((change) => (change.kind === 'delete' ? change.indexName : []));
  return [
    ...table.gsis
      .filter(({ indexName }) => !deleted.includes(indexName))
      .map((index) => indexOf(index, request, table.billing.mode, mode, nowMs)),
    ...changes.flatMap((change) => (change.kind === 'create' ? globalIndexOf(change.index, mode) : [])),
  ];
}

/**
 * The definitions of the attributes that key the table or an index, and of no others. They are taken from a request
 * only together with a new index, and an attribute that is defined already keeps its type.
 */
function definitionsOf(
  request: TableChange,
  table: TableDescription,
  gsis: readonly GlobalIndexDescription[],
): readonly AttributeDefinition[] {
  const schemas = [table, ...table.lsis, ...gsis].map(({ keySchema }) => keySchema);
  const used = new Set(schemas.flat().map(({ AttributeName: name }) => name));
  const known = new Set(table.attributeDefinitions.map(({ AttributeName: name }) => name));
  const sent = (request.attributeDefinitions ?? []).filter(({ AttributeName: name }) => !known.has(name));
  return [...table.attributeDefinitions, ...sent].filter(({ AttributeName: name }) => used.has(name));
}

/** The change of an index that stays. */
export function updateOf({ indexes = [] }: TableChange, indexName: string): IndexUpdate | undefined {
  return indexes.find(
    (change): change is IndexUpdate => change.kind === 'update' && change.indexName === indexName,
  );
}

function indexOf(
  index: GlobalIndexDescription,
  request: TableChange,
  from: BillingMode,
  to: BillingMode,
  nowMs: number,
): GlobalIndexDescription {
  const asked = updateOf(request, index.indexName);
  const { onDemandThroughput, ...rest } = index;
  const ceilings = ceilingsOf(to, onDemandThroughput, asked?.onDemandThroughput);
  const throughput = changedThroughput(index.throughput, asked?.throughput, from, to, nowMs);
  return {
    ...rest,
    throughput,
    ...(ceilings && { onDemandThroughput: ceilings }),
    warmThroughput: warmerOf(index.warmThroughput, asked?.warmThroughput, to, throughput),
  };
}
