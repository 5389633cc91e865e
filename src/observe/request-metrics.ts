import type {
  BackgroundEvent,
  Charge,
  DeliveryEvent,
  Observer,
  RequestEvent,
  ThrottleEvent,
  WireRefusal,
} from '../engine/events.ts';
import { indexBehaviours } from '../engine/indexes/index-behaviour.ts';
import type { Table } from '../engine/tables/table-record.ts';
import { type DynamoError, wireForms } from '../model/errors.ts';
import type { LiveRates, TableRates } from './live-rates.ts';
import type { MetricStore } from './metric-store.ts';
import { type HandleScope, SeriesHandle } from './series-handle.ts';
import { sumCharges } from './sum-charges.ts';
import { dynamoDbNamespace, TableMetrics } from './table-metrics.ts';

export interface RequestMetricsDeps {
  readonly store: MetricStore;
  readonly rates: LiveRates;
  readonly nowMs: () => number;
  /** The account and Region of requests that were refused before anybody knew theirs. */
  readonly scope: HandleScope;
}

/** The series and rates of one table. */
interface Recorded {
  readonly metrics: TableMetrics;
  readonly rates: TableRates;
}

const tablesMax = 4_000;

/** Records requests and background work under CloudWatch's names. */
export class RequestMetrics implements Observer {
  readonly #deps: RequestMetricsDeps;
  readonly #byTable = new WeakMap<Table, Recorded>();
  readonly #byName = new Map<string, Recorded>();
  readonly #userErrors = new Map<string, SeriesHandle>();
  #latestTable: Table | undefined;
  #latest: Recorded | undefined;

  constructor(deps: RequestMetricsDeps) {
    this.#deps = deps;
  }

  request(event: RequestEvent): void {
    const nowMs = this.#deps.nowMs();
    const minute = Math.floor(nowMs / 60_000);
    const second = Math.floor(nowMs / 1_000);
    const { touches, outcome } = event;
    const charges = sumCharges(event.charges);
    for (let i = 0; i < charges.length; i++) {
      const charge = charges[i]!;
      const units = this.#consume(charge, minute);
      this.#of(charge.table).rates.units(second, charge.access, units);
    }
    const isError = outcome.kind !== 'answered';
    // Nearly every request touches one table, once.
    const first = touches[0];
    if (first !== undefined) {
      for (let i = 0; i < touches.length; i++) {
        const touch = touches[i]!;
        const { tableName } = touch;
        if (tableName === '' || (i > 0 && isTouchedBefore(touches, i))) continue;
        const recorded =
          touch.table === undefined ? this.#named(touch.scope, tableName) : this.#of(touch.table);
        recorded.rates.request(second, isError, event.durationMs);
        if (touch.access === 'control') continue;
        this.#operation(event, recorded.metrics, touch.streamLabel, minute);
      }
    }
    if (isError) this.#failed(event, minute);
  }

  refused({ status }: WireRefusal): void {
    if (status >= 400 && status < 500)
      this.#userError(this.#deps.scope, Math.floor(this.#deps.nowMs() / 60_000));
  }

  background(event: BackgroundEvent): void {
    const minute = Math.floor(this.#deps.nowMs() / 60_000);
    const { metrics } = this.#named(event.scope, event.tableName);
    if (event.work === 'expiry') {
      if (event.items > 0) metrics.expired.series.add(event.items, 1, minute);
      return;
    }
    if (event.indexName === undefined) return;
    // AWS charges filling apart from what the table's writers consume.
    const index = metrics.index(event.indexName);
    for (const { consumed } of event.charges)
      for (const { units } of consumed.indexes) index.fillUnits.add(units, minute);
    if (event.isLast === true) index.fillProgress.add(100, minute);
  }

  delivered({ scope, tableName, refused, throttled, units }: DeliveryEvent): void {
    const minute = Math.floor(this.#deps.nowMs() / 60_000);
    const { capture } = this.#named(scope, tableName).metrics;
    if (units > 0) capture.units.add(units, minute);
    if (refused > 0) capture.failed.add(refused, minute);
    if (throttled > 0) capture.throttled.add(throttled, minute);
  }

  throttled({ table, index, access, verdict }: ThrottleEvent): void {
    const nowMs = this.#deps.nowMs();
    const { metrics, rates } = this.#of(table);
    const indexName = index?.traits.capacity === 'own' ? index.schema.name : undefined;
    metrics.throttle(indexName, access, verdict.reason, verdict.enforced, Math.floor(nowMs / 60_000));
    rates.throttle(Math.floor(nowMs / 1_000), verdict.enforced);
  }

  /** The series of a table. */
  table(scope: HandleScope, tableName: string): TableMetrics {
    return this.#named(scope, tableName).metrics;
  }

  #operation(
    event: RequestEvent,
    metrics: TableMetrics,
    streamLabel: string | undefined,
    minute: number,
  ): void {
    const { outcome, operation, durationMs } = event;
    if (outcome.kind === 'answered') {
      const latencyMs = Math.round(durationMs * 1_000) / 1_000;
      if (streamLabel !== undefined) {
        if (operation !== 'GetRecords') return;
        const stream = metrics.stream(streamLabel);
        stream.latency.add(latencyMs, minute);
        stream.records.add(event.returnedItems, minute);
        stream.bytes.add(event.readBytes, minute);
        if (event.recordAgeMs !== undefined) stream.age.add(event.recordAgeMs, minute);
        return;
      }
      const recorded = metrics.operation(operation);
      recorded.latency.add(latencyMs, minute);
      if (
        operation === 'Query' ||
        operation === 'Scan' ||
        (operation === 'ExecuteStatement' && isRead(event))
      )
        recorded.returnedItems.add(event.returnedItems, minute);
    } else if (outcome.kind === 'failed' || outcome.error.name === 'InternalServerError')
      metrics.operation(operation).systemErrors.add(1, minute);
    else if (isThrottle(outcome.error)) metrics.operation(operation).throttled.add(1, minute);
    if (event.isInjected) metrics.operation(operation).injected.add(1, minute);
  }

  /** Errors that belong to one table of several, and those of the account. */
  #failed({ outcome, touches, caller }: RequestEvent, minute: number): void {
    if (outcome.kind !== 'refused') return;
    const { error } = outcome;
    const table = (i: number) => {
      const touch = touches[i];
      if (touch === undefined || touch.tableName === '') return undefined;
      return touch.table === undefined ? this.#named(touch.scope, touch.tableName) : this.#of(touch.table);
    };
    if (error.name === 'ConditionalCheckFailedException') table(0)?.metrics.conditionFailures.add(1, minute);
    else if (error.name === 'TransactionConflictException') table(0)?.metrics.conflicts.add(1, minute);
    for (const [i, code] of reasonCodes(error).entries()) {
      if (code === 'ConditionalCheckFailed') table(i)?.metrics.conditionFailures.add(1, minute);
      else if (code === 'TransactionConflict') table(i)?.metrics.conflicts.add(1, minute);
    }
    if (
      wireForms[error.name].status < 500 &&
      error.name !== 'ConditionalCheckFailedException' &&
      !isThrottle(error)
    )
      this.#userError({ account: caller.accountId, region: caller.region }, minute);
  }

  #consume({ table, access, consumed }: Charge, minute: number): number {
    const { metrics } = this.#of(table);
    const { indexes } = consumed;
    let ofTable = consumed.table;
    let units = consumed.table;
    for (let i = 0; i < indexes.length; i++) {
      const arm = indexes[i]!;
      units += arm.units;
      if (indexBehaviours[arm.kind].capacity !== 'own') {
        ofTable += arm.units;
        continue;
      }
      const index = metrics.index(arm.name);
      (access === 'read' ? index.consumedRead : index.consumedWrite).add(arm.units, minute);
    }
    // A read of a global index takes nothing from its table.
    if (ofTable > 0 || indexes.length === 0)
      (access === 'read' ? metrics.consumedRead : metrics.consumedWrite).add(ofTable, minute);
    return units;
  }

  #userError(scope: HandleScope, minute: number): void {
    const id = `${scope.account}/${scope.region}`;
    let handle = this.#userErrors.get(id);
    if (handle === undefined) {
      if (this.#userErrors.size >= tablesMax) this.#userErrors.clear();
      handle = new SeriesHandle(this.#deps.store, scope, dynamoDbNamespace, 'UserErrors', [], 'Count');
      this.#userErrors.set(id, handle);
    }
    handle.add(1, minute);
  }

  #of(table: Table): Recorded {
    if (table === this.#latestTable) return this.#latest!;
    let recorded = this.#byTable.get(table);
    if (recorded === undefined) {
      recorded = this.#named(table.scope, table.name);
      this.#byTable.set(table, recorded);
    }
    this.#latestTable = table;
    this.#latest = recorded;
    return recorded;
  }

  #named(scope: HandleScope, tableName: string): Recorded {
    const id = `${scope.account}/${scope.region}/${tableName}`;
    let recorded = this.#byName.get(id);
    if (recorded === undefined) {
      // Handles are cheap to make again: nothing that was recorded is lost.
      if (this.#byName.size >= tablesMax) this.#byName.clear();
      const { store, rates } = this.#deps;
      recorded = {
        metrics: new TableMetrics(store, scope, tableName),
        rates: rates.of(scope.account, scope.region, tableName),
      };
      this.#byName.set(id, recorded);
    }
    return recorded;
  }
}

function isTouchedBefore(touches: RequestEvent['touches'], i: number): boolean {
  const { tableName, scope } = touches[i]!;
  for (let k = 0; k < i; k++) {
    const before = touches[k]!;
    if (
      before.tableName === tableName &&
      before.scope.region === scope.region &&
      before.scope.account === scope.account
    )
      return true;
  }
  return false;
}

function isRead({ touches }: RequestEvent): boolean {
  return touches[0]?.access === 'read';
}

export function isThrottle({ name, fields }: DynamoError): boolean {
  if (name === 'ProvisionedThroughputExceededException' || name === 'RequestLimitExceeded') return true;
  if (name === 'ThrottlingException') return true;
  if (name !== 'TransactionCanceledException') return false;
  return reasonCodes({ fields }).some(
    (code) => code === 'ThrottlingError' || code === 'ProvisionedThroughputExceeded',
  );
}

/** The codes of the reasons for which a transaction was cancelled, by action. */
export function reasonCodes({ fields }: Pick<DynamoError, 'fields'>): readonly string[] {
  const reasons = fields?.CancellationReasons;
  return Array.isArray(reasons) ? reasons.map(({ Code }: { readonly Code: string }) => Code) : [];
}
