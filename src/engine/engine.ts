import { ParsedExpressions } from '../expressions/parsed-cache.ts';
import { DynamoError, tableNotFound } from '../model/errors.ts';
import { ownCopy } from '../model/json/json-reader.ts';
import type { Hash16 } from '../model/keys/keys.ts';
import { tableLimits } from '../model/limits.ts';
import { type MaybePromise, whenDone } from '../model/maybe-promise.ts';
import { Slices } from '../model/slices.ts';
import { ItemEncoder } from '../model/stored/item-encoder.ts';
import { defaultTableQuotas, type TableQuotas } from '../model/tables/table-quotas.ts';
import type { Item } from '../model/values/attribute-value.ts';
import type { PhysicsEffect, PhysicsMode, PhysicsOverrides } from '../physics/modes.ts';
import type { ReadConsistency } from '../physics/units.ts';
import { type Clock, nowMs } from '../runtime/clock.ts';
import type { Randomness } from '../runtime/randomness.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Store } from '../storage/store.ts';
import type { Background } from './background/background-worker.ts';
import { JobRunner } from './background/job-runner.ts';
import { Capacity } from './capacity/capacity.ts';
import type { StoredModes, TableEffects } from './capacity/mode-settings.ts';
import { ModelledDelay } from './capacity/modelled-delay.ts';
import { PartitionRecords } from './capacity/partition-records.ts';
import type { TableResources } from './capacity/table-resources.ts';
import { ChangeLog } from './change-log/change-log.ts';
import { type Deliverer, nowhere } from './destinations/deliverer.ts';
import { Destinations } from './destinations/destinations.ts';
import type { Observer } from './events.ts';
import { serviceDelay } from './expiry/expiry-delay.ts';
import { Sweeper } from './expiry/sweeper.ts';
import { Faults } from './faults.ts';
import type { Admission, Restrict } from './gates.ts';
import { IndexFiller } from './indexes/index-filler.ts';
import { IndexLag } from './indexes/index-lag.ts';
import { Past } from './past.ts';
import { type ItemRead, readItem } from './reads/read-item.ts';
import { type KeysRead, readItems, type TableItems } from './reads/read-items.ts';
import { type PageRead, readSearchPage, type SearchPlan } from './reads/read-page.ts';
import { IndexThrottle, itemTouch, type Road } from './road.ts';
import { StaleReads } from './stale-reads.ts';
import type { Scope } from './store-keys.ts';
import { Catalogue } from './tables/catalogue.ts';
import { droppedEntriesJobs } from './tables/dropped-entries.ts';
import type { Table } from './tables/table-record.ts';
import { onTables, type TableName } from './tables/table-requests.ts';
import { InFlight } from './transactions/in-flight.ts';
import { ExpiredTokens, Replay } from './transactions/request-tokens.ts';
import type { ActionPlan, TransactAction } from './transactions/transact-actions.ts';
import {
  type TransactRead,
  type TransactWrite,
  transactRead,
  transactWrite,
} from './transactions/transact-items.ts';
import type { TransferTools } from './transfers/objects.ts';
import { Transfers } from './transfers/transfers.ts';
import { eachApart } from './writes/each-apart.ts';
import { unitLimits } from './writes/evaluation.ts';
import { LongEvaluations } from './writes/long-evaluations.ts';
import {
  attributesOf,
  type ItemPlan,
  type ItemWrite,
  planItem,
  RefusedWrite,
  stale,
  type WriteOutcome,
  type WriteSettings,
} from './writes/write-item.ts';
import { type TableOutcomes, type TableWrites, writeItems } from './writes/write-items.ts';
import { writeOne } from './writes/write-one.ts';

export interface EngineOptions {
  readonly store: Store;
  /** Time and chance. */
  readonly runtime: Runtime;
  readonly h16: Hash16;
  /** What of the service's physics is modelled and acted out; a mode stands for all its effects. */
  readonly physics: PhysicsMode | PhysicsOverrides;
  /** Settings of single tables, by ARN. */
  readonly tablePhysics?: ReadonlyMap<string, PhysicsOverrides>;
  /** How large an item collection may grow in a table with local indexes; the service's 10 GB unless set. */
  readonly collectionBytesMax?: number;
  /** Quotas of tables; those of a new account unless set. */
  readonly quotas?: Partial<TableQuotas>;
  /** The slices that all long work of the database shares. */
  readonly slices?: Slices;
  /** Takes lines for the person who runs this. */
  readonly log: (line: string) => void;
  /** Delivers records to Kinesis destinations. Without it, no destination can be enabled. */
  readonly deliverer?: Deliverer;
  /** Where the buckets of exports and imports are. Without it, there are none. */
  readonly transferTools?: TransferTools;
  /** Receives an event for every request and every step of background work. */
  readonly observer?: Observer;
  /** The operation names that a fault may use. Without the list, a fault may use any name. */
  readonly operations?: readonly string[];
  /** Restricts planned requests. An engine of the past allows reads only. */
  readonly restrict?: Restrict;
  /** Which touches there is capacity for; the engine's own physical model unless given. */
  readonly admission?: Admission;
}

/**
 * Tables and items on a Store. All state is in the Store or derived from it, so a fork of the Store is a fork of the
 * engine.
 */
export class Engine {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly catalogue: Catalogue;
  /** The physical model: the partitions of tables, what they give, and what is acted out of it. */
  readonly capacity: Capacity;
  readonly parsedExpressions = new ParsedExpressions();
  readonly slices: Slices;
  readonly longEvaluations: LongEvaluations;
  readonly indexFiller: IndexFiller;
  readonly changeLog: ChangeLog;
  readonly sweeper: Sweeper;
  readonly destinations: Destinations;
  /** Point-in-time recovery, backups and restores. */
  readonly past: Past;
  /** Exports and imports of tables. */
  readonly transfers: Transfers;
  /** The work on new indexes, backups, restores, exports and imports, and on what was dropped. */
  readonly jobs: JobRunner;
  readonly faults: Faults;
  readonly observer: Observer | undefined;
  readonly restrict: Restrict | undefined;
  readonly admission: Admission;
  readonly stopwatchMs: () => number;
  readonly partitionRecords: PartitionRecords;
  readonly #indexLag: IndexLag;
  readonly #staleReads: StaleReads;
  readonly #inFlight = new InFlight();
  readonly #expiredTokens: ExpiredTokens;
  readonly h16: Hash16;
  readonly quotas: TableQuotas;
  readonly #collectionBytesMax: number;
  /** Writes a line for the operator. */
  readonly log: (line: string) => void;
  readonly encoder = new ItemEncoder();
  readonly #missesTold = new Set<string>();
  readonly #ending = new AbortController();

  constructor(options: EngineOptions) {
    const { store, runtime, h16, physics, collectionBytesMax, log } = options;
    const { clock, random, pause, stopwatchMs } = runtime;
    const deliverer = options.deliverer ?? nowhere;
    this.store = store;
    this.slices = options.slices ?? new Slices(() => pause(0, this.#ending.signal));
    this.runtime = runtime;
    this.longEvaluations = new LongEvaluations(this.slices);
    this.clock = clock;
    this.random = random;
    this.catalogue = new Catalogue(store, clock);
    const settings = typeof physics === 'string' ? { mode: physics } : physics;
    this.capacity = new Capacity(
      { store, clock, log, observer: options.observer },
      settings,
      options.tablePhysics,
    );
    this.stopwatchMs = stopwatchMs;
    this.partitionRecords = new PartitionRecords({
      ...{ store, clock, random, log, pause, stopwatchMs },
      capacity: this.capacity,
      signal: this.#ending.signal,
    });
    this.#indexLag = new IndexLag(clock, random);
    this.#staleReads = new StaleReads(clock, random);
    this.h16 = h16;
    this.quotas = { ...defaultTableQuotas, ...options.quotas };
    this.#collectionBytesMax = collectionBytesMax ?? tableLimits.itemCollectionBytesMax;
    this.log = log;
    this.faults = new Faults(options.operations);
    this.observer = options.observer;
    this.restrict = options.restrict;
    this.admission = options.admission ?? this.capacity;
    const { catalogue } = this;
    const { signal } = this.#ending;
    const background: Background = { clock, pause, stopwatchMs, signal, log };
    this.#expiredTokens = new ExpiredTokens(store, background);
    const begun = () => this.jobs.wake();
    this.indexFiller = new IndexFiller({
      ...{ store, catalogue, h16, log, begun, observer: options.observer },
      nowMs: () => nowMs(clock),
      filledExpiries: () => this.sweeper.tablesChanged(),
    });
    this.changeLog = new ChangeLog({ store, random, h16, catalogue, capacity: this.capacity, ...background });
    this.destinations = new Destinations(
      { store, random, h16, catalogue, changeLog: this.changeLog, deliverer, observer: options.observer },
      background,
    );
    this.sweeper = new Sweeper(
      {
        store,
        random,
        h16,
        catalogue,
        inFlightOf: (table) => this.inFlightOf(table),
        delay: new ModelledDelay(this.capacity.modes, serviceDelay(h16)),
        writeSettings: () => this.writeSettings(),
        noted: (outcome) => this.#noted(outcome),
        observer: options.observer,
      },
      background,
    );
    this.past = new Past({ store, catalogue, random, h16, begun }, background);
    this.transfers = new Transfers(
      {
        ...{ store, catalogue, random, begun, slices: this.slices, tools: options.transferTools },
        writeSettings: () => this.writeSettings(),
      },
      background,
    );
    const { imports, exports } = this.transfers;
    const { jobs } = this.past.backups;
    const kinds = [this.indexFiller, jobs, imports, exports, droppedEntriesJobs(store, signal)];
    this.jobs = new JobRunner({ store, random, kinds }, background);
    this.capacity.modes.onChange(() => this.sweeper.tablesChanged());
  }

  /** Whether an effect of the physical model is acted out for a table. */
  acts(effect: PhysicsEffect, { scope, name }: Pick<Table, 'scope' | 'name'>): boolean {
    return this.capacity.modes.acts(effect, scope, name);
  }

  /** Likewise for a request that administers a table: the record tells what was set for it, if it exists. */
  effectsOf(scope: Scope, tableName: string, record: StoredModes = {}): TableEffects {
    return this.capacity.modes.effectsOf(scope, tableName, record);
  }

  /** The items under write, where transactions on a table that meet are refused; undefined where they wait their turn. */
  inFlightOf(table: Table): InFlight | undefined {
    return this.acts('transactionConflicts', table) ? this.#inFlight : undefined;
  }

  /** What readers still see of a global index, where it lags behind its table. */
  indexLagOf(table: Table): IndexLag | undefined {
    return this.acts('indexLag', table) ? this.#indexLag : undefined;
  }

  /** What eventually consistent reads of a table may still see. */
  staleReadsOf(table: Table): StaleReads | undefined {
    return this.acts('staleReads', table) ? this.#staleReads : undefined;
  }

  /**
   * Lets a transaction be under way for as long as the service takes for it, so that others can meet it. On a clock that
   * is moved by hand that is one turn of the event loop, which is the same on every machine.
   */
  transactionTime(): Promise<void> {
    return this.#underWay(transactionMs);
  }

  /** Likewise for a single write or those of a batch, which a TransactGetItems can meet. */
  writeTime(): Promise<void> {
    return this.#underWay(writeMs);
  }

  #underWay([least, most]: readonly [number, number]): Promise<void> {
    return this.runtime.sleep(
      this.clock.onMove === undefined ? least + this.random.next() * (most - least) : 0,
    );
  }

  /** Finds a table for a request that reads or writes items. A missing table is a ResourceNotFoundException. */
  table(scope: Scope, name: string): MaybePromise<Table | DynamoError> {
    return whenDone(this.catalogue.table(scope, name), (table): MaybePromise<Table | DynamoError> => {
      if (table === undefined) return this.#missing(scope, name);
      return this.capacity.knows(table) ? table : whenDone(this.capacity.load(table), () => table);
    });
  }

  /**
   * The state of a table in the physical model, with its newest settings, for requests that administer it. Undefined
   * while the table is being created or deleted.
   */
  modelled(scope: Scope, name: string): MaybePromise<TableResources | undefined> {
    return whenDone(this.catalogue.table(scope, name), (table): MaybePromise<TableResources | undefined> => {
      if (table === undefined) return undefined;
      const found = () => this.capacity.find(scope, name);
      return this.capacity.knows(table) ? found() : whenDone(this.capacity.load(table), found);
    });
  }

  /** Reads an item. `keyOn` checks the key against the table. It is called again if the table has changed. */
  readItem(
    road: Road,
    name: TableName,
    consistency: ReadConsistency,
    keyOn: (table: Table) => Item | DynamoError,
  ): MaybePromise<ItemRead | DynamoError> {
    return readItem(this, road, name, consistency, keyOn);
  }

  /** Writes an item. `plan` is pure and is called again if the table has changed. */
  writeItem(
    road: Road,
    name: TableName,
    plan: (table: Table) => ItemWrite | DynamoError,
  ): MaybePromise<WriteOutcome | DynamoError> {
    return onTables<ItemPlan, WriteOutcome>(this, road, {
      names: [name],
      writes: true,
      plan: (tables) => {
        const write = plan(tables[0]!);
        return write instanceof DynamoError ? write : planItem(tables[0]!, write, this.h16);
      },
      touches: ({ table, key, write }) => [
        itemTouch('write', table, key, () => attributesOf(write), undefined, write.putBytes),
      ],
      run: (planned) => this.#write(road, planned),
    });
  }

  #write(road: Road, plan: ItemPlan): MaybePromise<WriteOutcome | DynamoError | typeof stale> {
    return whenDone(writeOne(this, road, plan), (result) => {
      if (result === stale || result instanceof DynamoError) return result;
      if (result instanceof IndexThrottle) {
        road.countThrottle(result);
        return result.error;
      }
      road.charge(plan.table, 'write', result.consumed);
      return result instanceof RefusedWrite ? result.error : this.#noted(result);
    });
  }

  /** Reads a page of a Query or Scan. `plan` is called again if the table has changed. */
  readPage<Plan extends SearchPlan>(
    road: Road,
    name: TableName,
    plan: (table: Table, h16: Hash16) => Plan | DynamoError,
  ): MaybePromise<PageRead<Plan> | DynamoError> {
    return readSearchPage(this, road, name, plan);
  }

  /** Reads items of several tables in one committed state of the Store. */
  readItems(road: Road, reads: readonly KeysRead[]): MaybePromise<readonly TableItems[] | DynamoError> {
    return readItems(this, road, reads);
  }

  /** Runs writes to several tables, each as a unit of its own. */
  writeItems(
    road: Road,
    writes: readonly TableWrites[],
  ): MaybePromise<readonly TableOutcomes[] | DynamoError> {
    return whenDone(writeItems(this, road, writes), (outcomes) => {
      if (!(outcomes instanceof DynamoError))
        for (const outcome of outcomes.flat()) if (outcome !== undefined) this.#noted(outcome);
      return outcomes;
    });
  }

  /** Runs independent parts of one request. Each part has its own outcome. */
  eachApart<R>(runs: readonly (() => MaybePromise<R>)[]): MaybePromise<readonly (R | DynamoError)[]> {
    return eachApart(runs, this.log);
  }

  /** Runs a transaction of writes and checks: all of them or none. */
  transactWrite(
    road: Road,
    request: TransactWrite,
  ): MaybePromise<readonly WriteOutcome[] | Replay | DynamoError> {
    return whenDone(transactWrite(this, road, request), (result) => {
      if (result instanceof Replay || result instanceof DynamoError) return result;
      if (request.token !== undefined) this.#expiredTokens.noteNew();
      for (const outcome of result) this.#noted(outcome);
      return result;
    });
  }

  /** Reads distinct items of several tables in one committed state, with the errors of a transaction. */
  transactRead(
    road: Road,
    actions: readonly TransactAction<ActionPlan>[],
  ): MaybePromise<TransactRead | DynamoError> {
    return transactRead(this, road, actions);
  }

  /** Tells index lag, expiry and change log about a committed write. */
  #noted(outcome: WriteOutcome): WriteOutcome {
    const { capacity } = this;
    const { table } = outcome;
    capacity.noteGrowth(outcome);
    if (capacity.modes.isAnyEnforced) {
      if (this.acts('indexLag', table))
        this.#indexLag.note(outcome, capacity.modes.lagOf(table.scope, table.name));
      if (this.acts('staleReads', table)) this.#staleReads.note(outcome);
    }
    if (outcome.expiry !== undefined) this.sweeper.expects(outcome.expiry);
    if (outcome.logged !== undefined) this.changeLog.noteArrival(outcome.logged);
    return outcome;
  }

  /** The settings shared by all writes of a request. Background work has no road and is never throttled. */
  writeSettings(road?: Road): WriteSettings {
    return {
      h16: this.h16,
      encoder: this.encoder,
      nowMicros: this.clock.nowMicros(),
      collectionBytesMax: this.#collectionBytesMax,
      indexRefusal: road?.indexRefusal,
      unitLimits,
    };
  }

  /** Resumes the background work of an earlier process. Called when a store is opened. */
  resume(): void {
    this.sweeper.wake();
    this.changeLog.keeper.start();
    this.destinations.start();
    this.past.keeper.wake();
    this.jobs.wake();
  }

  /** Resumes the background work of the database that this one is a fork of. */
  resumeFork(): void {
    this.sweeper.wakeIfAny();
    this.destinations.start();
    this.past.keeper.wakeIfAny();
    this.jobs.wakeIfAny();
  }

  /** Resolves when all background work is done, or waits for a later virtual time. */
  settled(): Promise<void> {
    return this.runtime.settle(this.#rests());
  }

  async #rests(): Promise<void> {
    await this.jobs.settled();
    // Newly filled expiry entries may be due already.
    await this.sweeper.settled();
    await this.destinations.settled();
    await this.partitionRecords.settled();
    // A job that ends may end the history of its table, and the reverse.
    await this.jobs.settled();
    await this.past.keeper.settled();
    await this.jobs.settled();
    await Promise.all([this.changeLog.settled(), this.#expiredTokens.settled()]);
  }

  /** Stops all background work. Whoever opened the Store closes it. */
  async close(): Promise<void> {
    this.#ending.abort();
    await this.destinations.ended();
    await this.changeLog.leave();
    await this.#rests();
    await this.past.leave();
  }

  #missing(scope: Scope, name: string): DynamoError {
    this.noteMissing(scope, name);
    return tableNotFound();
  }

  /** Tells the operator that a missing table exists in another Region, once for each table. */
  noteMissing(scope: Scope, name: string): void {
    const asked = `${scope.account}/${scope.region}/${name}`;
    if (!this.#missesTold.has(asked) && this.#missesTold.size < missesToldMax) {
      this.#missesTold.add(ownCopy(asked));
      void this.#tellOtherRegions(scope, name);
    }
  }

  /** Regions share nothing, and a client with the wrong Region is the commonest cause of a missing table. */
  async #tellOtherRegions(scope: Scope, name: string): Promise<void> {
    try {
      const regions = await this.catalogue.regionsWith(scope.account, name);
      const others = regions.filter((region) => region !== scope.region);
      if (others.length > 0)
        this.log(
          `Table ${name} was not found in Region ${scope.region}, but it exists in ${others.join(', ')}.`,
        );
    } catch {
      // The client has its answer. The log line is only a hint, so its failure is ignored.
    }
  }
}

const missesToldMax = 1_000;
/**
 * About four times as long as a single write (paper: ATC 2023), which takes a few milliseconds; the bounds are ours.
 */
const transactionMs = [5, 15] as const;
const writeMs = [1.25, 3.75] as const;
