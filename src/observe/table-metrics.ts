import { type ThrottlingCause, type ThrottlingReasonName, throttleMetric } from '../physics/throttling.ts';
import type { Dimension, MetricUnit } from './metric-key.ts';
import type { MetricStore } from './metric-store.ts';
import type { SeriesOptions } from './series.ts';
import { type HandleScope, SeriesHandle } from './series-handle.ts';

export const dynamoDbNamespace = 'AWS/DynamoDB';
/** Throttles that AWS would have made, where physics only watches. The names in it are those of `AWS/DynamoDB`. */
export const shadowNamespace = 'Stator/Shadow';
/** What Lambda measures of a stream's reader on AWS. */
export const streamNamespace = 'Stator/Streams';

const histogram: SeriesOptions = { hasHistogram: true };
const measurement: SeriesOptions = { isMeasurement: true };

/** The series of one table, under CloudWatch's names. Each is made when it gets its first value. */
export class TableMetrics {
  readonly scope: HandleScope;
  readonly tableName: string;
  readonly consumedRead: SeriesHandle;
  readonly consumedWrite: SeriesHandle;
  readonly conditionFailures: SeriesHandle;
  readonly conflicts: SeriesHandle;
  readonly expired: SeriesHandle;
  readonly #store: MetricStore;
  readonly #ofTable: readonly Dimension[];
  readonly #indexes = new Map<string, IndexMetrics>();
  readonly #operations = new Map<string, OperationMetrics>();
  readonly #throttles = new Map<string, SeriesHandle>();
  #stream: StreamMetrics | undefined;
  #capture: CaptureMetrics | undefined;
  #latestThrottle: KnownThrottle | undefined;
  #latestName = '';
  #latest: OperationMetrics | undefined;

  constructor(store: MetricStore, scope: HandleScope, tableName: string) {
    this.#store = store;
    this.scope = scope;
    this.tableName = tableName;
    this.#ofTable = [{ name: 'TableName', value: tableName }];
    this.consumedRead = this.#handle('ConsumedReadCapacityUnits', 'Count', this.#ofTable);
    this.consumedWrite = this.#handle('ConsumedWriteCapacityUnits', 'Count', this.#ofTable);
    this.conditionFailures = this.#handle('ConditionalCheckFailedRequests', 'Count', this.#ofTable);
    this.conflicts = this.#handle('TransactionConflict', 'Count', this.#ofTable);
    this.expired = this.#handle('TimeToLiveDeletedItemCount', 'Count', this.#ofTable);
  }

  index(name: string): IndexMetrics {
    let index = this.#indexes.get(name);
    if (index === undefined) {
      const dimensions = [...this.#ofTable, { name: 'GlobalSecondaryIndexName', value: name }];
      const handle = (metric: string, options?: SeriesOptions) =>
        this.#handle(metric, 'Count', dimensions, options);
      index = {
        consumedRead: handle('ConsumedReadCapacityUnits'),
        consumedWrite: handle('ConsumedWriteCapacityUnits'),
        fillProgress: handle('OnlineIndexPercentageProgress', measurement),
        fillUnits: handle('OnlineIndexConsumedWriteCapacity'),
      };
      this.#indexes.set(name, index);
    }
    return index;
  }

  /** The series of records for Kinesis streams. */
  get capture(): CaptureMetrics {
    if (this.#capture === undefined) {
      const dimensions = [{ name: 'DelegatedOperation', value: 'PutRecord' }, ...this.#ofTable];
      const handle = (metric: string) => this.#handle(metric, 'Count', dimensions);
      this.#capture = {
        age: this.#handle('AgeOfOldestUnreplicatedRecord', 'Milliseconds', dimensions, measurement),
        units: handle('ConsumedChangeDataCaptureUnits'),
        failed: handle('FailedToReplicateRecordCount'),
        throttled: handle('ThrottledPutRecordCount'),
      };
    }
    return this.#capture;
  }

  operation(name: string): OperationMetrics {
    if (this.#latestName === name) return this.#latest!;
    let operation = this.#operations.get(name);
    if (operation === undefined) {
      const dimensions = [...this.#ofTable, { name: 'Operation', value: name }];
      const handle = (metric: string, unit: MetricUnit, options?: SeriesOptions) =>
        this.#handle(metric, unit, dimensions, options);
      operation = {
        latency: handle('SuccessfulRequestLatency', 'Milliseconds', histogram),
        returnedItems: handle('ReturnedItemCount', 'Count', histogram),
        throttled: handle('ThrottledRequests', 'Count'),
        systemErrors: handle('SystemErrors', 'Count'),
        injected: handle('FaultInjectionServiceInducedErrors', 'Count'),
      };
      this.#operations.set(name, operation);
    }
    this.#latestName = name;
    this.#latest = operation;
    return operation;
  }

  /** The series of a stream's GetRecords. */
  stream(label: string): StreamMetrics {
    if (this.#stream?.label === label) return this.#stream;
    const dimensions = [
      ...this.#ofTable,
      { name: 'Operation', value: 'GetRecords' },
      { name: 'StreamLabel', value: label },
    ];
    this.#stream = {
      label,
      records: this.#handle('ReturnedRecordsCount', 'Count', dimensions, histogram),
      bytes: this.#handle('ReturnedBytes', 'Bytes', dimensions, histogram),
      latency: this.#handle('SuccessfulRequestLatency', 'Milliseconds', dimensions, histogram),
      age: this.#handle(
        ...(['IteratorAge', 'Milliseconds'] as const),
        [...this.#ofTable, { name: 'StreamLabel', value: label }],
        ...([measurement, streamNamespace] as const),
      ),
    };
    return this.#stream;
  }

  /** Counts a throttle: once for all causes, once for its own. */
  throttle(
    index: string | undefined,
    access: 'read' | 'write',
    reason: ThrottlingReasonName,
    isEnforced: boolean,
    minute: number,
  ): void {
    // A table without capacity is refused the same thing again and again.
    let known = this.#latestThrottle;
    if (
      known === undefined ||
      known.reason !== reason ||
      known.index !== index ||
      known.access !== access ||
      known.isEnforced !== isEnforced
    ) {
      const kind = access === 'read' ? 'Read' : 'Write';
      const cause = causes.find((each) => reason.includes(each));
      known = {
        ...{ index, access, reason, isEnforced },
        ofAll: this.#throttle(`${kind}ThrottleEvents`, index, isEnforced),
        ofCause: cause && this.#throttle(throttleMetric(cause, access), index, isEnforced),
      };
      this.#latestThrottle = known;
    }
    known.ofAll.add(1, minute);
    known.ofCause?.add(1, minute);
  }

  /** A state of the table or of an index that stands until the next one. */
  gauge(name: string, index: string | undefined): SeriesHandle {
    return this.#kept(`${name} ${index ?? ''}`, () =>
      this.#handle(name, 'Count', this.#dimensionsOf(index), { isGauge: true }),
    );
  }

  #throttle(name: string, index: string | undefined, isEnforced: boolean): SeriesHandle {
    return this.#kept(`${name} ${index ?? ''} ${isEnforced}`, () =>
      this.#handle(
        name,
        'Count',
        this.#dimensionsOf(index),
        undefined,
        isEnforced ? dynamoDbNamespace : shadowNamespace,
      ),
    );
  }

  #kept(id: string, make: () => SeriesHandle): SeriesHandle {
    let handle = this.#throttles.get(id);
    if (handle === undefined) {
      handle = make();
      this.#throttles.set(id, handle);
    }
    return handle;
  }

  #dimensionsOf(index: string | undefined): readonly Dimension[] {
    if (index === undefined) return this.#ofTable;
    return [...this.#ofTable, { name: 'GlobalSecondaryIndexName', value: index }];
  }

  #handle(
    name: string,
    unit: MetricUnit,
    dimensions: readonly Dimension[],
    options?: SeriesOptions,
    namespace = dynamoDbNamespace,
  ): SeriesHandle {
    return new SeriesHandle(this.#store, this.scope, namespace, name, dimensions, unit, options);
  }
}

interface KnownThrottle {
  readonly index: string | undefined;
  readonly access: 'read' | 'write';
  readonly reason: ThrottlingReasonName;
  readonly isEnforced: boolean;
  readonly ofAll: SeriesHandle;
  readonly ofCause: SeriesHandle | undefined;
}

export interface StreamMetrics {
  readonly label: string;
  readonly records: SeriesHandle;
  readonly bytes: SeriesHandle;
  readonly latency: SeriesHandle;
  /** How old the newest record is that a reader gets. */
  readonly age: SeriesHandle;
}

export interface CaptureMetrics {
  readonly age: SeriesHandle;
  readonly units: SeriesHandle;
  readonly failed: SeriesHandle;
  readonly throttled: SeriesHandle;
}

export interface IndexMetrics {
  readonly consumedRead: SeriesHandle;
  readonly consumedWrite: SeriesHandle;
  readonly fillProgress: SeriesHandle;
  readonly fillUnits: SeriesHandle;
}

export interface OperationMetrics {
  readonly latency: SeriesHandle;
  readonly returnedItems: SeriesHandle;
  readonly throttled: SeriesHandle;
  readonly systemErrors: SeriesHandle;
  readonly injected: SeriesHandle;
}

/** The causes in the names of `ThrottlingReasons`; each has a metric of its own. */
const causes: readonly ThrottlingCause[] = [
  'ProvisionedThroughputExceeded',
  'KeyRangeThroughputExceeded',
  'AccountLimitExceeded',
  'MaxOnDemandThroughputExceeded',
];
