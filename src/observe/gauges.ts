import { followerReports } from '../engine/destinations/followers.ts';
import type { Engine } from '../engine/engine.ts';
import type { TableRecord } from '../engine/tables/table-record.ts';
import { capacityLimits } from '../model/limits.ts';
import type { Dimension } from './metric-key.ts';
import type { MetricStore } from './metric-store.ts';
import type { RequestMetrics } from './request-metrics.ts';
import { type HandleScope, SeriesHandle } from './series-handle.ts';
import { dynamoDbNamespace, type TableMetrics } from './table-metrics.ts';

/** A gauge with this value is gone. */
const gone = -1;
const tablesMax = 2_500;

/** States of tables and accounts, which stand until they change: provisioned units, maxima, utilisation. */
export class Gauges {
  readonly #store: MetricStore;
  readonly #requests: RequestMetrics;
  /** The gauges of tables that there were at the last look, by scope and name. */
  readonly #seen = new Map<string, Map<string, readonly SeriesHandle[]>>();
  readonly #sampled = new Map<string, number>();

  constructor(store: MetricStore, requests: RequestMetrics) {
    this.#store = store;
    this.#requests = requests;
  }

  /** Looks at the tables of a scope, at most once a minute. */
  async sample(engine: Engine, scope: HandleScope, minute: number): Promise<void> {
    const id = `${scope.account}/${scope.region}`;
    if (this.#sampled.get(id) === minute) return;
    if (this.#sampled.size > 1_000) this.#sampled.clear();
    this.#sampled.set(id, minute);
    const { catalogue } = engine;
    const names = await catalogue.names(scope, undefined, tablesMax);
    const before = this.#seen.get(id) ?? new Map<string, readonly SeriesHandle[]>();
    if (names.length === 0 && before.size === 0) return;
    const current = new Map<string, readonly SeriesHandle[]>();
    const account = new AccountSums();
    for (const name of names) {
      const record = await catalogue.record(scope, name);
      if (record === undefined) continue;
      account.add(record);
      current.set(name, setTable(this.#requests.table(scope, name), record, minute));
    }
    for (const [name, handles] of before)
      for (const handle of handles)
        if (!current.get(name)?.some((each) => each === handle)) handle.set(gone, minute);
    this.#seen.set(id, current);
    for (const [name, unit, value] of account.gauges())
      new SeriesHandle(this.#store, scope, dynamoDbNamespace, name, [], unit, { isGauge: true }).set(
        value,
        minute,
      );
    for (const [name, value] of [...account.usage(), ['TableCount', names.length] as const])
      new SeriesHandle(this.#store, scope, 'AWS/Usage', name, usageDimensions(name), 'None', {
        isGauge: true,
      }).set(value, minute);
  }

  /** Lets the next sample look, however soon it comes. */
  forgetSample({ account, region }: HandleScope): void {
    this.#sampled.delete(`${account}/${region}`);
  }

  /** The progress of indexes that are being filled, and how far Kinesis destinations are behind. */
  async sampleWork(engine: Engine, minute: number): Promise<void> {
    for (const { scope, tableName, indexName, itemsSeen, items } of await engine.indexFiller.underway())
      if (indexName !== undefined)
        this.#requests
          .table(scope, tableName)
          .index(indexName)
          .fillProgress.add(Math.min(99, Math.floor((100 * itemsSeen) / Math.max(1, items))), minute);
    for (const { account, region, table, kinesis, behindMs } of await followerReports(engine)) {
      if (kinesis === undefined) continue;
      this.#requests.table({ account, region }, table).capture.age.add(behindMs, minute);
    }
  }
}

function usageDimensions(resource: string): readonly Dimension[] {
  return [
    { name: 'Class', value: 'None' },
    { name: 'Resource', value: resource },
    { name: 'Service', value: 'DynamoDB' },
    { name: 'Type', value: 'Resource' },
  ];
}

/** Sets the gauges of a table and its global indexes, and answers those that apply to it. */
function setTable(metrics: TableMetrics, { description }: TableRecord, minute: number): SeriesHandle[] {
  const isProvisioned = description.billing.mode === 'PROVISIONED';
  const set: SeriesHandle[] = [];
  const put = (name: string, index: string | undefined, value: number | undefined) => {
    if (value === undefined || value <= 0) return;
    const handle = metrics.gauge(name, index);
    handle.set(value, minute);
    set.push(handle);
  };
  const arms = [
    { index: undefined, throughput: description.billing.throughput, limits: description.onDemandThroughput },
    ...description.gsis.map(({ indexName, throughput, onDemandThroughput }) => ({
      index: indexName,
      throughput,
      limits: onDemandThroughput,
    })),
  ];
  for (const { index, throughput, limits } of arms) {
    if (isProvisioned) {
      put('ProvisionedReadCapacityUnits', index, throughput.ReadCapacityUnits);
      put('ProvisionedWriteCapacityUnits', index, throughput.WriteCapacityUnits);
    } else {
      put('OnDemandMaxReadRequestUnits', index, limits?.MaxReadRequestUnits);
      put('OnDemandMaxWriteRequestUnits', index, limits?.MaxWriteRequestUnits);
    }
  }
  return set;
}

/** The provisioned units of all tables of an account in a Region. */
class AccountSums {
  #read = 0;
  #write = 0;
  #tableRead = 0;
  #tableWrite = 0;

  add({ description }: TableRecord): void {
    if (description.billing.mode !== 'PROVISIONED') return;
    const all = [description.billing.throughput, ...description.gsis.map(({ throughput }) => throughput)];
    for (const { ReadCapacityUnits: read, WriteCapacityUnits: write } of all) {
      this.#read += read;
      this.#write += write;
      this.#tableRead = Math.max(this.#tableRead, read);
      this.#tableWrite = Math.max(this.#tableWrite, write);
    }
  }

  usage(): readonly (readonly [name: string, value: number])[] {
    return [
      ['AccountProvisionedReadCapacityUnits', this.#read],
      ['AccountProvisionedWriteCapacityUnits', this.#write],
    ];
  }

  gauges(): readonly (readonly [name: string, unit: string, value: number])[] {
    const { accountUnitsPerSecondMax: account, tableUnitsPerSecondMax: table } = capacityLimits;
    const percent = (units: number, of: number) => (100 * units) / of;
    return [
      ['AccountMaxReads', 'Count', account],
      ['AccountMaxWrites', 'Count', account],
      ['AccountMaxTableLevelReads', 'Count', table],
      ['AccountMaxTableLevelWrites', 'Count', table],
      ['AccountProvisionedReadCapacityUtilization', 'Percent', percent(this.#read, account)],
      ['AccountProvisionedWriteCapacityUtilization', 'Percent', percent(this.#write, account)],
      ['MaxProvisionedTableReadCapacityUtilization', 'Percent', percent(this.#tableRead, table)],
      ['MaxProvisionedTableWriteCapacityUtilization', 'Percent', percent(this.#tableWrite, table)],
    ];
  }
}
