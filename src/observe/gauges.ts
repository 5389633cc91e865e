import { followerReports } from '../engine/destinations/followers.ts';
import type { Engine } from '../engine/engine.ts';
import { ownCapacities } from '../engine/tables/parts/indexes.ts';
import type { TableRecord } from '../engine/tables/table-record.ts';
import { capacityLimits } from '../model/limits.ts';
import type { Slices } from '../model/slices.ts';
import type { Dimension } from './metric-key.ts';
import type { MetricStore } from './metric-store.ts';
import type { RequestMetrics } from './request-metrics.ts';
import { type HandleScope, SeriesHandle } from './series-handle.ts';
import { dynamoDbNamespace, type TableMetrics } from './table-metrics.ts';

/** A gauge with this value is gone. */
const gone = -1;
const tablesMax = 2_500;
const scopesMax = 1_000;

/** What the gauges know of one table. */
interface SeenTable {
  readonly handles: readonly SeriesHandle[];
  readonly units: ProvisionedUnits;
}

/** The tables of an account in a Region, as they were last looked at. */
class SeenTables {
  readonly all = new Map<string, SeenTable>();
  /** Tables that were changed since. */
  readonly changed = new Set<string>();
  /** The minute of the last look at all of them. */
  minute: number | undefined;
}

/** What it takes to read a table's record and to set its gauges. */
const tableSteps = 300;

/**
 * States of tables and accounts, which stand until they change: provisioned units, maxima, utilisation. Once a minute all
 * tables are looked at, in slices; between, only those that were changed, so that creating a table costs the same however
 * many there are.
 */
export class Gauges {
  readonly #store: MetricStore;
  readonly #requests: RequestMetrics;
  readonly #slices: Slices;
  readonly #scopes = new Map<string, SeenTables>();

  constructor(store: MetricStore, requests: RequestMetrics, slices: Slices) {
    this.#store = store;
    this.#requests = requests;
    this.#slices = slices;
  }

  /** Looks at the tables of a scope: at all once a minute, else at those that were changed. */
  async sample(engine: Engine, scope: HandleScope, minute: number): Promise<void> {
    const seen = this.#seen(scope);
    if (seen.minute !== minute) await this.#sampleAll(engine, scope, seen, minute);
    else if (seen.changed.size > 0) await this.#sampleChanged(engine, scope, seen, minute);
  }

  /** A table has come, changed or gone: the next sample looks at it. */
  tableChanged(scope: HandleScope, tableName: string): void {
    this.#seen(scope).changed.add(tableName);
  }

  #seen({ account, region }: HandleScope): SeenTables {
    const id = `${account}/${region}`;
    let seen = this.#scopes.get(id);
    if (seen === undefined) {
      if (this.#scopes.size >= scopesMax) this.#scopes.clear();
      seen = new SeenTables();
      this.#scopes.set(id, seen);
    }
    return seen;
  }

  async #sampleAll(engine: Engine, scope: HandleScope, seen: SeenTables, minute: number): Promise<void> {
    seen.minute = minute;
    seen.changed.clear();
    const names = await engine.catalogue.names(scope, undefined, tablesMax);
    if (names.length === 0 && seen.all.size === 0) return;
    await this.#slices.spend(names.length);
    const there = new Set(names);
    for (const name of [...seen.all.keys()]) if (!there.has(name)) this.#forget(seen, name, minute);
    for (const name of names) {
      await this.#slices.spend(tableSteps);
      await this.#sampleTable(engine, scope, seen, name, minute);
    }
    this.#setAccount(scope, seen, minute);
  }

  async #sampleChanged(engine: Engine, scope: HandleScope, seen: SeenTables, minute: number): Promise<void> {
    const names = [...seen.changed];
    seen.changed.clear();
    for (const name of names) {
      await this.#slices.spend(tableSteps);
      if (seen.all.has(name) || seen.all.size < tablesMax)
        await this.#sampleTable(engine, scope, seen, name, minute);
    }
    await this.#slices.spend(seen.all.size);
    this.#setAccount(scope, seen, minute);
  }

  async #sampleTable(
    engine: Engine,
    scope: HandleScope,
    seen: SeenTables,
    name: string,
    minute: number,
  ): Promise<void> {
    const record = await engine.catalogue.record(scope, name);
    if (record === undefined) {
      this.#forget(seen, name, minute);
      return;
    }
    const handles = setTable(this.#requests.table(scope, name), record, minute);
    for (const handle of seen.all.get(name)?.handles ?? [])
      if (!handles.includes(handle)) handle.set(gone, minute);
    seen.all.set(name, { handles, units: unitsOf(record) });
  }

  #forget(seen: SeenTables, name: string, minute: number): void {
    for (const handle of seen.all.get(name)?.handles ?? []) handle.set(gone, minute);
    seen.all.delete(name);
  }

  #setAccount(scope: HandleScope, seen: SeenTables, minute: number): void {
    const account = new AccountSums();
    for (const { units } of seen.all.values()) account.add(units);
    for (const [name, unit, value] of account.gauges())
      new SeriesHandle(this.#store, scope, dynamoDbNamespace, name, [], unit, { isGauge: true }).set(
        value,
        minute,
      );
    for (const [name, value] of [...account.usage(), ['TableCount', seen.all.size] as const])
      new SeriesHandle(this.#store, scope, 'AWS/Usage', name, usageDimensions(name), 'None', {
        isGauge: true,
      }).set(value, minute);
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
    ...ownCapacities(description).map(({ index, capacity }) => ({
      index: index.indexName,
      throughput: capacity.throughput,
      limits: capacity.onDemandThroughput,
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

/** The provisioned units of a table with its global indexes: their sums, and the most of one. */
interface ProvisionedUnits {
  readonly read: number;
  readonly write: number;
  readonly readMost: number;
  readonly writeMost: number;
}

const noUnits: ProvisionedUnits = { read: 0, write: 0, readMost: 0, writeMost: 0 };

function unitsOf({ description }: TableRecord): ProvisionedUnits {
  if (description.billing.mode !== 'PROVISIONED') return noUnits;
  let { read, write, readMost, writeMost } = noUnits;
  for (const { throughput } of [
    description.billing,
    ...ownCapacities(description).map(({ capacity }) => capacity),
  ]) {
    read += throughput.ReadCapacityUnits;
    write += throughput.WriteCapacityUnits;
    readMost = Math.max(readMost, throughput.ReadCapacityUnits);
    writeMost = Math.max(writeMost, throughput.WriteCapacityUnits);
  }
  return { read, write, readMost, writeMost };
}

/** The provisioned units of all tables of an account in a Region. */
class AccountSums {
  #read = 0;
  #write = 0;
  #tableRead = 0;
  #tableWrite = 0;

  add({ read, write, readMost, writeMost }: ProvisionedUnits): void {
    this.#read += read;
    this.#write += write;
    this.#tableRead = Math.max(this.#tableRead, readMost);
    this.#tableWrite = Math.max(this.#tableWrite, writeMost);
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
