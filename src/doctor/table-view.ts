import type { ToldVerdict } from '../engine/capacity/physics-report.ts';
import type { ReportedPattern } from '../observe/patterns/report-patterns.ts';
import type { ReportedSignal } from '../observe/signals/signal-store.ts';
import type { SortKeyFlaw } from './checks/sort-key-flaws.ts';
import type { Endpoint, Follower, TableInsights } from './endpoint.ts';
import type { MetricBook } from './metric-book.ts';
import type { Sample } from './sample.ts';

export interface KeyElement {
  readonly AttributeName: string;
  readonly KeyType: 'HASH' | 'RANGE';
}

export interface IndexDescription {
  readonly IndexName: string;
  readonly IndexStatus?: string;
  readonly Backfilling?: boolean;
  readonly KeySchema: readonly KeyElement[];
  readonly Projection?: { readonly ProjectionType?: string; readonly NonKeyAttributes?: readonly string[] };
  readonly ProvisionedThroughput?: Throughput;
  readonly WarmThroughput?: WarmThroughput;
  readonly ItemCount?: number;
  readonly IndexSizeBytes?: number;
}

interface Throughput {
  readonly ReadCapacityUnits?: number;
  readonly WriteCapacityUnits?: number;
}

interface WarmThroughput {
  readonly ReadUnitsPerSecond?: number;
  readonly WriteUnitsPerSecond?: number;
}

/** What DescribeTable answers, as far as it is read here. */
export interface TableDescription {
  readonly TableName: string;
  readonly TableStatus?: string;
  readonly KeySchema: readonly KeyElement[];
  readonly AttributeDefinitions: readonly {
    readonly AttributeName: string;
    readonly AttributeType: string;
  }[];
  readonly BillingModeSummary?: { readonly BillingMode?: string };
  readonly ProvisionedThroughput?: Throughput;
  readonly WarmThroughput?: WarmThroughput;
  readonly ItemCount?: number;
  readonly TableSizeBytes?: number;
  readonly GlobalSecondaryIndexes?: readonly IndexDescription[];
  readonly LocalSecondaryIndexes?: readonly IndexDescription[];
  readonly StreamSpecification?: { readonly StreamEnabled?: boolean };
  readonly LatestStreamLabel?: string;
}

/** An alarm on a metric of a table. */
export interface AlarmView {
  readonly name: string;
  readonly state: string;
  readonly metric: string;
  readonly table: string;
  readonly index: string | undefined;
  readonly reason: string | undefined;
  readonly sinceMs: number | undefined;
}

/** A table or one of its global indexes, as a place where throughput is used. */
export interface Arm {
  /** Undefined for the table itself. */
  readonly index: string | undefined;
  /** `Orders`, or `Orders/byStatus`. */
  readonly name: string;
  readonly provisioned: { readonly read: number; readonly write: number } | undefined;
}

/** Settings of a table; what could not be seen is undefined. */
export interface TableSettings {
  readonly description: TableDescription;
  readonly hasRecovery: boolean | undefined;
  readonly ttl: { readonly isOn: boolean; readonly attribute: string | undefined } | undefined;
}

/** Everything that the checks of one table look at. */
export interface TableView extends TableSettings {
  readonly name: string;
  readonly arms: readonly Arm[];
  /** The reads and writes of the table, by named pattern; undefined where nobody counts them. */
  readonly patterns: readonly ReportedPattern[] | undefined;
  readonly verdicts: readonly ToldVerdict[] | undefined;
  readonly insights: TableInsights | undefined;
  /** Refusals by key and habits of callers; undefined where nobody watches them. */
  readonly signals: readonly ReportedSignal[] | undefined;
  readonly followers: readonly Follower[] | undefined;
  readonly sample: Sample | undefined;
  /** The sort keys of the sample that do not sort. */
  readonly flaws: readonly SortKeyFlaw[];
  /** The sample before, which tells what grows; undefined at the first look. */
  readonly sampleBefore: Sample | undefined;
  /** Undefined if the alarms could not be seen. */
  readonly alarms: readonly AlarmView[] | undefined;
  /** The dimensions that auto scaling moves, such as `table/Orders write`; undefined if they could not be seen. */
  readonly scaled: ReadonlySet<string> | undefined;
}

/** What all checks share. */
export interface Context {
  readonly endpoint: Endpoint;
  readonly metrics: MetricBook;
  readonly nowMs: number;
}

export function armsOf(description: TableDescription): readonly Arm[] {
  const { TableName, BillingModeSummary, ProvisionedThroughput, GlobalSecondaryIndexes = [] } = description;
  const isOnDemand = BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST';
  const units = (throughput: Throughput | undefined) => {
    const read = throughput?.ReadCapacityUnits ?? 0;
    const write = throughput?.WriteCapacityUnits ?? 0;
    return isOnDemand || (read === 0 && write === 0) ? undefined : { read, write };
  };
  return [
    { index: undefined, name: TableName, provisioned: units(ProvisionedThroughput) },
    ...GlobalSecondaryIndexes.map(({ IndexName, ProvisionedThroughput: own }) => ({
      ...{ index: IndexName, name: `${TableName}/${IndexName}`, provisioned: units(own) },
    })),
  ];
}

export function keyNames(schema: readonly KeyElement[], type: 'HASH' | 'RANGE'): readonly string[] {
  return schema.filter(({ KeyType }) => KeyType === type).map(({ AttributeName }) => AttributeName);
}
