/// <reference lib="esnext.disposable" preserve="true" />
import { configuredActions } from './alarm-actions.ts';
import { awsApis } from './aws-apis.ts';
import { controlApi } from './control/control-api.ts';
import { Namespaces } from './control/namespaces.ts';
import { dynamoDbServices, operationNames } from './dynamodb-service.ts';
import { reportTable, type TableReport } from './engine/capacity/physics-report.ts';
import { enforcedProblem } from './engine/capacity/several-processes.ts';
import { type CheckOptions, checkDatabase } from './engine/check/check-database.ts';
import type { CheckReport } from './engine/check/check-report.ts';
import type { Deliverer } from './engine/destinations/deliverer.ts';
import { Engine } from './engine/engine.ts';
import { joinObservers, type Observer } from './engine/events.ts';
import type { Faults } from './engine/faults.ts';
import { countSeededOpening } from './engine/tables/seeded-openings.ts';
import { FailureLog, operatorLog } from './failure-log.ts';
import { newHash16 } from './hash16.ts';
import { chooseDeliverer } from './kinesis/choose-deliverer.ts';
import { type KinesisRecord, MemoryDeliverer } from './kinesis/memory-deliverer.ts';
import { checkListenOptions } from './listen-options.ts';
import { type Authorize, failClosed } from './model/access/authorize.ts';
import {
  checkOptions,
  mustBeFunction,
  mustBeSignal,
  mustBeWholeNumber,
  shown,
} from './model/check-options.ts';
import type { Hash16 } from './model/keys/keys.ts';
import { Monitoring, resumeMonitoring } from './monitoring.ts';
import { chooseObjects } from './objects/choose-objects.ts';
import { Observation } from './observe/observation.ts';
import { type PatternReport, reportPatterns } from './observe/patterns/report-patterns.ts';
import { openDatabaseStore, storePlace } from './open-store.ts';
import type { NamedHandler } from './operations/operation.ts';
import { type Explanation, explainStatement } from './operations/partiql/explain-statement.ts';
import type { AttributeValueInput } from './operations/shapes/plain-attribute-value.ts';
import { outsideActions, outsideDeliverer, outsideTools } from './outside.ts';
import { PastMethods } from './past-methods.ts';
import type { PhysicsOverrides } from './physics/modes.ts';
import { readPhysics } from './physics-option.ts';
import { ChangeFeed, type FollowOptions } from './plain/follow-changes.ts';
import { newAnswerReader } from './plain/from-wire.ts';
import { type CallOptions, callChecks, callPlain, defaultAccountId, permit } from './plain/plain-call.ts';
import { type Chance, forkedChance } from './runtime/chance.ts';
import { type Clock, forkedClock, nowMs, VirtualClock } from './runtime/clock.ts';
import { machine } from './runtime/machine/machine.ts';
import { chanceOf, runtimeOf } from './runtime/machine/runtime-of.ts';
import type { Runtime } from './runtime/runtime.ts';
import { clientConfig, sdkClient, sdkDocumentClient, sdkStreamsClient } from './sdk/sdk-client.ts';
import type {
  DynamoDBClient,
  DynamoDBClientConfig,
  DynamoDBDocumentClient,
  DynamoDBStreamsClient,
  TranslateConfig,
} from './sdk/sdk-types.ts';
import { type ListenOptions, type StatorServer, serve } from './server.ts';
import {
  checkForkOptions,
  checkInMemoryOptions,
  checkStatorOptions,
  type ForkOptions,
  type StatorOptions,
} from './stator-options.ts';
import { stayAlive } from './stay-alive.ts';
import { MemoryStore } from './storage/memory/memory-store.ts';
import type { Store } from './storage/store.ts';
import { observersOf } from './tracing.ts';
import { openDoor } from './wire/authenticate.ts';
import type { Pages } from './wire/pages.ts';
import { type LogFailure, RequestHandler } from './wire/request-handler.ts';
import { newRequestId } from './wire/request-id.ts';

/**
 * Makes a database refuse requests of this process for a reason, or accept them again. It is a function for
 * `stator/testing`, not a method that every user would see.
 */
export let refuseRequests: (db: Stator, reason: string | undefined) => void;

/** A database: one Store, an engine on it, and the ways to call it. */
export class Stator extends PastMethods {
  static {
    refuseRequests = (db, reason) => {
      if (!db.#closed) db.#refusal = reason;
    };
  }

  readonly region: string;
  /** Judges what every caller wants, through any door. Undefined permits everything. */
  readonly authorize: Authorize | undefined;
  readonly clock: Clock;
  /** Time and chance of this database. `restore` replaces the chance. */
  #runtime: Runtime;
  readonly log: (line: string) => void;
  /** Logs a request that failed through no fault of the client. */
  readonly logFailure: LogFailure;
  readonly #options: StatorOptions;
  readonly #servers: StatorServer[] = [];
  readonly #answers = newAnswerReader();
  readonly #h16: Hash16;
  readonly #deliverer: Deliverer;
  /** Those who get every event beside the observation. */
  readonly #observers: readonly Observer[];
  /** Metrics, access patterns and live rates. Without the option `observe` it has only metrics that were put. */
  readonly observation: Observation;
  #store: Store;
  #engine: Engine;
  #requests: RequestHandler | undefined;
  #monitoring: Monitoring | undefined;
  #namespaces: Namespaces<Stator> | undefined;
  #closed = false;
  /** The reason why requests are refused, if they are. */
  #refusal: string | undefined;

  private constructor(
    store: Store,
    clock: Clock,
    chance: Chance,
    h16: Hash16,
    options: StatorOptions,
    modes?: Modes,
  ) {
    super();
    this.#store = store;
    this.#options = options;
    this.#runtime = runtimeOf(clock, chance, store instanceof MemoryStore);
    if (store instanceof MemoryStore) store.turn = this.#runtime.turn;
    this.#h16 = h16;
    this.#deliverer = chooseDeliverer(options.kinesis ?? {}, storePlace(store, options.store));
    this.clock = clock;
    this.region = options.region ?? 'us-east-1';
    this.log = operatorLog(options.log);
    this.logFailure = new FailureLog({ log: this.log, debug: options.debug ?? false }).add;
    this.authorize = options.authorize && failClosed(options.authorize, this.logFailure);
    this.#observers = observersOf(options, this.log);
    this.observation = new Observation({
      nowMs: () => this.nowMs(),
      runtime: this.#runtime,
      log: this.log,
      scope: { account: defaultAccountId, region: this.region },
      isOn: options.observe === true,
      others: this.#observers,
    });
    this.#engine = this.#newEngine(modes ?? readPhysics(options.physics ?? 'shadow', this.region));
  }

  static async open(options: StatorOptions = {}): Promise<Stator> {
    checkStatorOptions(options);
    const clock = options.clock ?? machine.clock;
    const store = await openDatabaseStore(options.store ?? 'memory', () => clock.nowMicros());
    const isLasting = options.seed !== undefined && !(store instanceof MemoryStore);
    const chance = chanceOf(options.seed, isLasting ? await countSeededOpening(store) : 0);
    const db = new Stator(store, clock, chance, newHash16(), options);
    const problem = store.exclusive ? undefined : enforcedProblem(db.engine.capacity);
    if (problem !== undefined) {
      await db.close();
      throw new Error(problem);
    }
    db.engine.resume();
    db.#resumeMonitoring();
    return db;
  }

  /** Creates an empty database in memory, at once and without a promise. */
  static inMemory(options: Omit<StatorOptions, 'store'> = {}): Stator {
    checkInMemoryOptions(options);
    const clock = options.clock ?? machine.clock;
    return new Stator(new MemoryStore(), clock, chanceOf(options.seed), newHash16(), options);
  }

  /** The engine: tables and items. `restore` replaces it. */
  get engine(): Engine {
    return this.#engine;
  }

  /** Metrics, alarms and auto scaling, made when somebody asks for them. `restore` replaces them. */
  get monitoring(): Monitoring {
    this.#monitoring ??= new Monitoring({
      slices: this.observation.slices,
      engine: this.#engine,
      metrics: this.observation,
      countsRequests: this.observation.isOn,
      actions: outsideActions(configuredActions(this.#options.alarmActions ?? {}), this.#runtime.outside),
      runtime: this.#runtime,
      log: this.log,
    });
    return this.#monitoring;
  }

  /** The injected faults, for testing how a program handles errors. `restore` removes them. */
  get faults(): Faults {
    return this.#engine.faults;
  }

  /**
   * Copies the whole database in constant time. Neither database sees the other's changes. Only a database in memory
   * can be forked. A virtual clock is copied too, and then runs on its own. With a seed, all copies have the same ids
   * and delays, which differ from the original's.
   */
  fork(options: ForkOptions = {}): Stator {
    checkForkOptions(options);
    this.#checkReady();
    const { clock, seed } = options;
    this.#engine.partitionRecords.flush();
    const store = this.#memory().fork();
    const chance = forkedChance(this.#runtime.chance, seed);
    const { modes } = this.#engine.capacity;
    const db = new Stator(
      ...([store, clock ?? forkedClock(this.clock), chance, this.#h16, this.#options, modes] as const),
    );
    db.engine.resumeFork();
    db.#resumeMonitoring();
    return db;
  }

  /**
   * Replaces the content of this database by a fork of another one, in constant time. All clients and servers of this
   * database stay connected. Running requests finish on the old content.
   */
  restore(from: Stator): void {
    if (!(from instanceof Stator))
      throw new TypeError(`restore takes another Stator in memory, and not ${shown(from)}`);
    this.#memory();
    const before = this.#engine;
    from.#engine.partitionRecords.flush();
    const store = from.#memory().fork();
    store.turn = this.#runtime.turn;
    this.#store = store;
    this.#runtime = this.#runtime.withChance(forkedChance(from.#runtime.chance));
    if (this.clock instanceof VirtualClock) this.clock.setMs(from.clock.nowMicros() / 1000);
    this.#engine = this.#newEngine(before.capacity.modes);
    this.#engine.resumeFork();
    void this.#monitoring?.close();
    this.#monitoring = undefined;
    this.#resumeMonitoring();
    void before.close();
  }

  /** Whether this database can be forked and restored. */
  get isForkable(): boolean {
    return this.#store instanceof MemoryStore;
  }

  /** A client of the AWS SDK whose requests never touch a socket. Needs the package `@aws-sdk/client-dynamodb`. */
  client(config?: DynamoDBClientConfig): DynamoDBClient {
    return sdkClient(this, config);
  }

  /** An SDK client for plain JavaScript values. Needs the package `@aws-sdk/lib-dynamodb`. */
  documentClient(config?: DynamoDBClientConfig, translateConfig?: TranslateConfig): DynamoDBDocumentClient {
    return sdkDocumentClient(this, config, translateConfig);
  }

  /** An SDK client for the streams of tables. Needs the package `@aws-sdk/client-dynamodb-streams`. */
  streamsClient(config?: DynamoDBClientConfig): DynamoDBStreamsClient {
    return sdkStreamsClient(this, config);
  }

  /** The configuration of `client()`, for programs that create clients themselves: `new DynamoDBClient(…)`. */
  clientConfig(config?: DynamoDBClientConfig): DynamoDBClientConfig {
    return clientConfig(this, config);
  }

  /** The handler for whole requests in this process: what an HTTP client sends, without a socket. */
  get requests(): RequestHandler {
    this.#checkReady();
    this.#requests ??= new RequestHandler({
      services: [...dynamoDbServices(() => this.#engine), ...awsApis(() => this.monitoring)],
      authenticate: openDoor(),
      authorize: this.authorize,
      random: () => this.#runtime.words(),
      region: this.region,
      log: this.log,
      observer: this.#observer,
      logFailure: this.logFailure,
    });
    return this.#requests;
  }

  newRequestId(): string {
    return newRequestId(this.#runtime.words);
  }

  /**
   * Resolves when all background work is done. After a virtual clock was moved, everything that is due at the new
   * time has then happened: expired items are gone, for example. Work that waits for a later time, such as a delivery
   * that failed and will be tried again, goes on when the clock gets there.
   */
  async settled(): Promise<void> {
    await stayAlive(async () => {
      for (const part of [this.#engine, this.#monitoring, this.observation]) await part?.settled();
    });
  }

  nowMs(): number {
    return nowMs(this.clock);
  }

  /**
   * Checks that items, indexes, counters, tables and the change log agree. It only reads, and the database may be
   * used meanwhile.
   */
  async check(options: CheckOptions = {}): Promise<CheckReport> {
    checkOptions(options, { onProgress: mustBeFunction, signal: mustBeSignal }, 'check');
    const pace = { nowMs: machine.stopwatchMs, pause: machine.turn, standsStill: false };
    return checkDatabase(this.#store, this.#h16, { ...options, ...pace });
  }

  /**
   * Explains a PartiQL statement (which operation, by which key, on which index) and its cost, without running it.
   * Parameters may be left out. It refuses a statement that ExecuteStatement would refuse.
   */
  async explain(
    statement: string,
    parameters?: readonly AttributeValueInput[],
    options?: CallOptions,
  ): Promise<Explanation> {
    if (typeof statement !== 'string')
      throw new TypeError(
        `explain takes a statement, such as "SELECT * FROM orders", and not ${shown(statement)}`,
      );
    if (options !== undefined) checkOptions(options, callChecks, 'explain');
    const input = { Statement: statement, ...(parameters && { Parameters: parameters }) };
    return this.call(explainStatement, input, options);
  }

  /**
   * The access patterns of the last minutes: how often, how fast, what they consumed, how they failed. Needs the option
   * `observe`. The same as `GET /_stator/patterns`.
   */
  async patterns(options: { readonly minutes?: number } = {}): Promise<PatternReport> {
    checkOptions(options, { minutes: mustBeWholeNumber(1, 21_600) }, 'patterns');
    this.#checkReady();
    return reportPatterns(this.observation, this.nowMs(), options.minutes ?? 60);
  }

  /**
   * What AWS's hardware would have done to the load of a table: its partitions, the load of the last hour, verdicts in
   * words, and what each minute would have cost. The same as `GET /_stator/physics/<table>`.
   */
  async physics(tableName: string, options: CallOptions = {}): Promise<TableReport> {
    checkOptions(options, callChecks, 'physics');
    this.#checkReady();
    await permit(this, 'stator:ReadPhysics', tableName, options);
    const { region = this.region, accountId: account = defaultAccountId } = options;
    const report = await reportTable(this.#engine, { account, region }, tableName);
    if (report === undefined) throw new Error(`There is no table ${shown(tableName)} in Region ${region}`);
    return report;
  }

  /**
   * Follows the changes of a table until the signal is aborted, the loop is left, or the table is deleted: `for await
   * (const change of db.follow('orders'))`. Rejects with a `ServiceError` if the table does not exist.
   */
  follow(tableName: string, options: FollowOptions = {}): ChangeFeed {
    this.#checkReady();
    return new ChangeFeed(this, tableName, options);
  }

  /** The latest 10,000 records that a database in memory delivered to a Kinesis stream, oldest first. */
  kinesisRecords(streamArn: string): readonly KinesisRecord[] {
    if (!(this.#deliverer instanceof MemoryDeliverer))
      throw new Error(
        'Only a database in memory without a Kinesis endpoint or directory keeps records itself',
      );
    return this.#deliverer.records(streamArn);
  }

  /**
   * Serves this database over HTTP. Closing the database closes the server; it can also be closed by itself before.
   */
  async listen(options: ListenOptions = {}): Promise<StatorServer> {
    checkListenOptions(options);
    if (this.#closed) throw new Error(closedText);
    this.#namespaces ??= new Namespaces<Stator>(this);
    const namespaces = this.#namespaces;
    const pages = options.studio === true ? await this.#studio(options) : undefined;
    const server = await serve(
      {
        engineOf: ({ accessKeyId }) => namespaces.databaseOf(accessKeyId).engine,
        monitoringOf: ({ accessKeyId }) => namespaces.databaseOf(accessKeyId).monitoring,
        region: this.region,
        authorize: this.authorize,
        random: () => this.#runtime.words(),
        log: this.log,
        observer: this.#observer,
        logFailure: this.logFailure,
        control: (guard) => controlApi(namespaces, guard),
        ...(pages && { pages }),
      },
      options,
    );
    // The database was closed meanwhile, so nothing else would close the server.
    if (this.#closed) {
      await server.close();
      throw new Error(closedText);
    }
    this.#servers.push(server);
    return server;
  }

  /** Closes the servers, ends the background work, and closes the Store. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#refusal = closedText;
    await Promise.all(this.#servers.map((server) => server.close()));
    await this.#namespaces?.close();
    await this.#monitoring?.close();
    await this.observation.close();
    await this.#engine.close();
    await this.#store.close();
  }

  /**
   * `using db = base.fork()`: closes the database at the end of the block without waiting for it; `await using`
   * waits.
   */
  [Symbol.dispose](): void {
    void this.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  protected override call<Output>(
    operation: NamedHandler,
    input: object,
    options?: CallOptions,
  ): Promise<Output> {
    if (this.#refusal !== undefined) return Promise.reject(new Error(this.#refusal));
    return callPlain(this, operation, input, options, this.#answers);
  }

  #newEngine({ server, configured }: Modes): Engine {
    const { itemCollectionBytesMax, quotas } = this.#options;
    const observer = this.#observer;
    const tools = chooseObjects(this.#options.s3 ?? {}, this.region);
    const { outside } = this.#runtime;
    // Events cost something, and one who only wants refusals at the wire gets those from there.
    const isTold = observer?.request ?? observer?.background ?? observer?.throttled;
    const engine = new Engine({
      store: this.#store,
      runtime: this.#runtime,
      h16: this.#h16,
      physics: server,
      tablePhysics: configured,
      ...(itemCollectionBytesMax !== undefined && { collectionBytesMax: itemCollectionBytesMax }),
      ...(quotas !== undefined && { quotas }),
      slices: this.observation.slices,
      log: this.log,
      ...(isTold !== undefined && observer !== undefined && { observer }),
      deliverer: outsideDeliverer(this.#deliverer, outside),
      ...(tools && { transferTools: outsideTools(tools, outside) }),
      operations: operationNames,
    });
    this.observation.attach(engine);
    return engine;
  }

  /** Gets all events; undefined where nobody wants them, which costs requests nothing. */
  get #observer(): Observer | undefined {
    return this.observation.isOn ? this.observation : joinObservers(this.#observers);
  }

  /** Loaded on demand: a program that embeds a database has no use for it. */
  async #studio({ auth = 'open' }: ListenOptions): Promise<Pages> {
    const { studioPages } = await import('./studio/studio-pages.ts');
    return studioPages({ region: this.region, auth });
  }

  #resumeMonitoring(): void {
    resumeMonitoring(this.#store, this.log, () => (this.#closed ? undefined : this.monitoring));
  }

  #checkReady(): void {
    if (this.#refusal !== undefined) throw new Error(this.#refusal);
  }

  #memory(): MemoryStore {
    if (this.#closed) throw new Error(closedText);
    if (this.#store instanceof MemoryStore) return this.#store;
    throw new Error('Only a database in memory can be forked: open it with { store: "memory" }');
  }
}

/** What of the physical model is acted out, for the server and for single tables. */
interface Modes {
  readonly server: PhysicsOverrides;
  readonly configured: ReadonlyMap<string, PhysicsOverrides>;
}

const closedText = 'The database is closed';
