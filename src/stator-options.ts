import { type AlarmActionMap, alarmActionsProblem } from './alarm-actions.ts';
import type { Observer } from './engine/events.ts';
import type { KinesisOptions } from './kinesis/choose-deliverer.ts';
import type { KinesisCredentials } from './kinesis/stream-deliverer.ts';
import type { Authorize } from './model/access/authorize.ts';
import {
  type Check,
  checkOptions,
  mustBe,
  mustBeBoolean,
  mustBeFunction,
  mustBeRegion,
  mustBeText,
  mustBeWholeNumber,
  mustHave,
  type OptionChecks,
} from './model/check-options.ts';
import { globalIndexesQuotaMax, type TableQuotas } from './model/tables/table-quotas.ts';
import type { S3Options } from './objects/choose-objects.ts';
import type { S3Credentials } from './objects/s3-objects.ts';
import { isTracingApi, type TracingApi } from './observe/tracing/tracing-api.ts';
import { mustBeStoreChoice, type StoreChoice } from './open-store.ts';
import type { PhysicsMode } from './physics/modes.ts';
import { mustBePhysics, type PhysicsOptions } from './physics-option.ts';
import type { Clock } from './runtime/clock.ts';

/** Options of `Stator.open`. All may be left out: a database in memory, on the machine's clock. */
export interface StatorOptions {
  /** The place of the data; by default in memory. */
  readonly store?: StoreChoice;
  /** The clock; a test can move a `VirtualClock`. */
  readonly clock?: Clock;
  /** The seed that makes ids and delays repeatable; with memory and a virtual clock, the whole run. */
  readonly seed?: number;
  /**
   * What AWS's hardware would do to this workload. `off`: nothing is modelled. `shadow` (default): nothing is refused or
   * delayed, but what would have been is kept for `/_stator/physics`. `enforce`: it is acted out. An object switches
   * single effects on and off, and gives single tables settings of their own.
   */
  readonly physics?: PhysicsMode | PhysicsOptions;
  /** The Region of callers that name none. */
  readonly region?: string;
  /** The size limit of an item collection in a table with local indexes; by default 10 GB, as on the service. */
  readonly itemCollectionBytesMax?: number;
  /** Quotas of an account that AWS raises on request, or had otherwise before. */
  readonly quotas?: Partial<TableQuotas>;
  /**
   * The target of the records of Kinesis destinations. By default they are written to files in the data directory,
   * and a database in memory keeps them in memory (`kinesisRecords`). A database on PostgreSQL has no default place
   * for them.
   */
  readonly kinesis?: KinesisOptions;
  /** Where the buckets of exports and imports are: a directory, or an S3 endpoint. Without it both are refused. */
  readonly s3?: S3Options;
  /**
   * Keeps metrics, access patterns and live rates of this database (`patterns`, `/_stator/metrics`). False by
   * default in a program; the command line says true.
   */
  readonly observe?: boolean;
  /** What the actions of CloudWatch alarms do, by the names that alarms call them. Other names do nothing. */
  readonly alarmActions?: AlarmActionMap;
  /** Observes every request, requests refused at the wire, and background work. */
  readonly observer?: Observer;
  /**
   * Makes an OpenTelemetry span of every request. `true` needs the package `@opentelemetry/api`; a program may also pass
   * the module itself. False by default.
   */
  readonly tracing?: boolean | TracingApi;
  /**
   * Judges every request, whichever door it came through, by what it wants and before anything is looked up. Undefined
   * permits, an error refuses. An exception or any other answer refuses too, and is logged. By default everything is
   * permitted.
   */
  readonly authorize?: Authorize;
  /** Takes log lines for the operator; by default they are dropped. */
  readonly log?: (line: string) => void;
  /** Adds stacks to logged errors of the store, at most once a second. */
  readonly debug?: boolean;
}

/** A clock and a seed for a fork. */
export interface ForkOptions {
  readonly clock?: Clock;
  readonly seed?: number;
}

const mustBeClock: Check = mustBe(
  'a clock such as new VirtualClock(Date.now())',
  (value) => typeof value === 'object' && value !== null && typeof (value as Clock).nowMicros === 'function',
);

const mustBeSeed = mustBe('a whole number', (value) => Number.isSafeInteger(value));

const forkChecks: OptionChecks<ForkOptions> = { clock: mustBeClock, seed: mustBeSeed };

const credentialsChecks: OptionChecks<KinesisCredentials & S3Credentials> = {
  accessKeyId: mustBeText,
  secretAccessKey: mustBeText,
  sessionToken: mustBeText,
};

const mustBeEndpoint = mustBe(
  'a URL such as "http://127.0.0.1:4566", or "aws"',
  (value) => value === 'aws' || (typeof value === 'string' && /^https?:\/\/./.test(value)),
);

const kinesisChecks: OptionChecks<KinesisOptions> = {
  endpoint: mustBeEndpoint,
  credentials: mustHave(credentialsChecks),
  directory: mustBeText,
};

const s3Checks: OptionChecks<S3Options> = {
  endpoint: mustBeEndpoint,
  credentials: mustHave(credentialsChecks),
  directory: mustBeText,
};

const quotaChecks: OptionChecks<Partial<TableQuotas>> = {
  globalIndexes: mustBeWholeNumber(1, globalIndexesQuotaMax),
  switchesToOnDemandPerDay: mustBeWholeNumber(1),
};

/** The checks of the options of a database in memory, which has no `store`. */
export const inMemoryChecks: OptionChecks<Omit<StatorOptions, 'store'>> = {
  ...forkChecks,
  physics: mustBePhysics,
  region: mustBeRegion,
  itemCollectionBytesMax: mustBeWholeNumber(1),
  quotas: mustHave(quotaChecks),
  kinesis: mustHave(kinesisChecks),
  s3: mustHave(s3Checks),
  observe: mustBeBoolean,
  alarmActions: (value, name) => {
    const problem = alarmActionsProblem(value);
    return problem && `${name} ${problem}`;
  },
  observer: mustBe(
    'an object with the functions of an observer',
    (value) => typeof value === 'object' && value !== null,
  ),
  tracing: mustBe(
    'true, false or the module @opentelemetry/api',
    (value) => typeof value === 'boolean' || isTracingApi(value),
  ),
  authorize: mustBeFunction,
  log: mustBeFunction,
  debug: mustBeBoolean,
};

const statorChecks: OptionChecks<StatorOptions> = { store: mustBeStoreChoice, ...inMemoryChecks };

export function checkStatorOptions(options: StatorOptions): void {
  checkOptions(options, statorChecks, 'Stator.open');
}

export function checkInMemoryOptions(options: Omit<StatorOptions, 'store'>): void {
  checkOptions(options, inMemoryChecks, 'Stator.inMemory');
}

export function checkForkOptions(options: ForkOptions): void {
  checkOptions(options, forkChecks, 'fork');
}
