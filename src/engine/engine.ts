import { ParsedExpressions } from '../expressions/parsed-cache.ts';
import { DynamoError, tableNotFound } from '../model/errors.ts';
import { ownCopy } from '../model/json/json-reader.ts';
import type { Hash16 } from '../model/keys/keys.ts';
import { tableLimits } from '../model/limits.ts';
import { type MaybePromise, whenDone } from '../model/maybe-promise.ts';
import { ItemEncoder } from '../model/stored/item-encoder.ts';
import type { Item } from '../model/values/attribute-value.ts';
import type { ReadConsistency } from '../physics/units.ts';
import type { Store } from '../storage/store.ts';
import { type Background, Worker } from './background/background-worker.ts';
import { ChangeLog } from './change-log/change-log.ts';
import { type Clock, nowMs } from './clock.ts';
import { type Deliverer, nowhere } from './destinations/deliverer.ts';
import { Destinations } from './destinations/destinations.ts';
import type { Observer } from './events.ts';
import { noDelay, serviceDelay } from './expiry/expiry-delay.ts';
import { Sweeper } from './expiry/sweeper.ts';
import { Faults } from './faults.ts';
import type { Admission, Authorize } from './gates.ts';
import { IndexFiller } from './indexes/index-filler.ts';
import { IndexLag } from './indexes/index-lag.ts';
import type { Randomness } from './randomness.ts';
import { type ItemRead, readItem } from './reads/read-item.ts';
import { type KeysRead, readItems, type TableItems } from './reads/read-items.ts';
import { type PageRead, readSearchPage, type SearchPlan } from './reads/read-page.ts';
import { itemTouch, type Road } from './road.ts';
import type { Scope } from './store-keys.ts';
import { Catalogue } from './tables/catalogue.ts';
import { removeDroppedEntries } from './tables/dropped-entries.ts';
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
import { eachApart } from './writes/each-apart.ts';
import {
  attributesOf,
  EntryInDoubt,
  type ItemPlan,
  type ItemWrite,
  planItem,
  RefusedWrite,
  stale,
  type WriteOutcome,
  type WriteSettings,
  WriteUnit,
} from './writes/write-item.ts';
import { type TableOutcomes, type TableWrites, writeItems } from './writes/write-items.ts';

export interface EngineOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly h16: Hash16;
  /** `enforce` acts out what the real service would do; `shadow` lets everything happen at once. */
  readonly physics: 'shadow' | 'enforce';
  /** How large an item collection may grow in a table with local indexes; the service's 10 GB unless set. */
  readonly collectionBytesMax?: number;
  /** Waits in real time, at least for the next turn of the event loop, and shorter when the signal is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Takes lines for the person who runs this. */
  readonly log: (line: string) => void;
  /** Where the records of Kinesis destinations go; without it none can be enabled. */
  readonly deliverer?: Deliverer;
  /** Listens to every request and to background work. */
  readonly observer?: Observer;
  /** The operations that a fault may name. Without them it may name any. */
  readonly operations?: readonly string[];
  /** Who may do what. Without it everybody may do everything. */
  readonly authorize?: Authorize;
  /** Which touches there is capacity for. Without it there is always enough. */
  readonly admission?: Admission;
  /**
   * Measures how long requests and the steps of background work take, in milliseconds from any origin. Requests are
   * measured only where an observer is. Without a stopwatch everything takes no time, and expiry never slows down.
   */
  readonly stopwatchMs?: () => number;
}

/** Tables and items on a Store. All state is in the Store or derived from it, so that a fork needs nothing else. */
export class Engine {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly physics: 'shadow' | 'enforce';
  readonly catalogue: Catalogue;
  readonly parsedExpressions = new ParsedExpressions();
  readonly indexFiller: IndexFiller;
  readonly changeLog: ChangeLog;
  readonly sweeper: Sweeper;
  readonly destinations: Destinations;
  readonly faults: Faults;
  readonly observer: Observer | undefined;
  readonly authorize: Authorize | undefined;
  readonly admission: Admission | undefined;
  readonly stopwatchMs: () => number;
  /** Acted out only where physics is: otherwise an index is never behind its table. */
  readonly indexLag: IndexLag | undefined;
  /** Acted out only where physics is: otherwise what meets a transaction waits its turn. */
  readonly inFlight: InFlight | undefined;
  readonly #expiredTokens: ExpiredTokens;
  readonly h16: Hash16;
  readonly #collectionBytesMax: number;
  /** Takes lines for the person who runs this. */
  readonly log: (line: string) => void;
  readonly encoder = new ItemEncoder();
  readonly #missesTold = new Set<string>();
  readonly #ending = new AbortController();
  readonly #dropped: Worker;

  constructor(options: EngineOptions) {
    const {
      store,
      clock,
      random,
      h16,
      physics,
      collectionBytesMax,
      pause,
      log,
      deliverer = nowhere,
    } = options;
    this.store = store;
    this.clock = clock;
    this.random = random;
    this.physics = physics;
    this.catalogue = new Catalogue(store, clock);
    this.inFlight = physics === 'enforce' ? new InFlight() : undefined;
    this.indexLag = physics === 'enforce' ? new IndexLag(clock, random) : undefined;
    this.h16 = h16;
    this.#collectionBytesMax = collectionBytesMax ?? tableLimits.itemCollectionBytesMax;
    this.log = log;
    this.faults = new Faults(options.operations);
    this.observer = options.observer;
    this.authorize = options.authorize;
    this.admission = options.admission;
    this.stopwatchMs = options.stopwatchMs ?? (() => 0);
    const { catalogue } = this;
    const { signal } = this.#ending;
    const background: Background = { clock, pause, stopwatchMs: this.stopwatchMs, signal, log };
    this.#expiredTokens = new ExpiredTokens(store, background);
    this.#dropped = new Worker(background, {
      name: 'Removing the entries of dropped tables and indexes',
      run: () => removeDroppedEntries(store, signal),
    });
    this.indexFiller = new IndexFiller(
      { store, catalogue, h16, nowMs: () => nowMs(clock), observer: options.observer },
      background,
      () => this.sweeper.tablesChanged(),
    );
    this.changeLog = new ChangeLog({ store, random, h16, catalogue, ...background });
    this.destinations = new Destinations(
      { store, random, h16, catalogue, changeLog: this.changeLog, deliverer },
      background,
    );
    this.sweeper = new Sweeper(
      {
        store,
        random,
        h16,
        catalogue,
        inFlight: this.inFlight,
        delay: physics === 'enforce' ? serviceDelay(h16) : noDelay,
        writeSettings: () => this.writeSettings(),
        noted: (outcome) => this.#noted(outcome),
        observer: options.observer,
      },
      background,
    );
  }

  /** The table to read or write items of, or the data plane's error that there is none. */
  table(scope: Scope, name: string): MaybePromise<Table | DynamoError> {
    return whenDone(this.catalogue.table(scope, name), (table) => table ?? this.#missing(scope, name));
  }

  /** Reads an item. `keyOn` checks its key against the table, which may be called again when the table has changed. */
  readItem(
    road: Road,
    name: TableName,
    consistency: ReadConsistency,
    keyOn: (table: Table) => Item | DynamoError,
  ): MaybePromise<ItemRead | DynamoError> {
    return readItem(this, road, name, consistency, keyOn);
  }

  /** Writes an item. `plan` is pure, and called again when the table has changed. */
  writeItem(
    road: Road,
    name: TableName,
    plan: (table: Table) => ItemWrite | DynamoError,
  ): MaybePromise<WriteOutcome | DynamoError> {
    return onTables<ItemPlan, WriteOutcome>(this, road, {
      names: [name],
      plan: (tables) => {
        const write = plan(tables[0]!);
        return write instanceof DynamoError ? write : planItem(tables[0]!, write, this.h16);
      },
      touches: ({ table, key, write }) => [itemTouch('write', table, key, attributesOf(write))],
      run: (planned) => this.#write(road, planned),
    });
  }

  #write(road: Road, plan: ItemPlan): MaybePromise<WriteOutcome | DynamoError | typeof stale> {
    const { store, inFlight } = this;
    // Where everything happens within this turn, nothing can happen to the table in between.
    const isCurrent = store.immediate && inFlight === undefined;
    const unit = new WriteUnit(plan, this.writeSettings(road), isCurrent);
    const written =
      inFlight === undefined ? store.transact(unit) : inFlight.writing(plan.key, () => store.transact(unit));
    return whenDone(written, (result): MaybePromise<WriteOutcome | DynamoError | typeof stale> => {
      if (result instanceof EntryInDoubt) return this.#write(road, { ...plan, doubt: result.key });
      if (result === stale || result instanceof DynamoError) return result;
      road.charge(plan.table, 'write', result.consumed);
      return result instanceof RefusedWrite ? result.error : this.#noted(result);
    });
  }

  /** Reads a page of a Query or Scan. `plan` is called again when the table has changed. */
  readPage<Plan extends SearchPlan>(
    road: Road,
    name: TableName,
    plan: (table: Table, h16: Hash16) => Plan | DynamoError,
  ): MaybePromise<PageRead<Plan> | DynamoError> {
    return readSearchPage(this, road, name, plan);
  }

  /** Reads items of several tables, all in one committed state of the Store. */
  readItems(road: Road, reads: readonly KeysRead[]): MaybePromise<readonly TableItems[] | DynamoError> {
    return readItems(this, road, reads);
  }

  /** Does writes to several tables, each on its own. */
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

  /** Does several things of one request, each with an outcome of its own. */
  eachApart<R>(runs: readonly (() => MaybePromise<R>)[]): MaybePromise<readonly (R | DynamoError)[]> {
    return eachApart(runs, this.log);
  }

  /** Does a transaction of writes and checks: all of it or nothing. */
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

  /** Reads items of several tables in one committed state, as a transaction does: distinct items, or its errors. */
  transactRead(
    road: Road,
    actions: readonly TransactAction<ActionPlan>[],
  ): MaybePromise<TransactRead | DynamoError> {
    return transactRead(this, road, actions);
  }

  /** What is done after each write that was done. */
  #noted(outcome: WriteOutcome): WriteOutcome {
    this.indexLag?.note(outcome);
    if (outcome.expiry !== undefined) this.sweeper.expects(outcome.expiry);
    if (outcome.logged !== undefined) this.changeLog.noteArrival(outcome.logged);
    return outcome;
  }

  /** What the writes of a request have in common; background work has no road and meets no throttles. */
  writeSettings(road?: Road): WriteSettings {
    return {
      h16: this.h16,
      encoder: this.encoder,
      nowMicros: this.clock.nowMicros(),
      collectionBytesMax: this.#collectionBytesMax,
      indexRefusal: road?.indexRefusal,
    };
  }

  /** Removes the entries of dropped tables and indexes, in the background; called after every drop and by `resume`. */
  removeDropped(): void {
    this.#dropped.wake();
  }

  /** Goes on with what a process before this one was killed at; called when a store is opened. */
  resume(): void {
    this.removeDropped();
    this.indexFiller.start();
    this.sweeper.wake();
    this.changeLog.keeper.start();
    this.destinations.start();
  }

  /** Resolves when all that goes on in the background has come to its end. */
  async settled(): Promise<void> {
    await this.indexFiller.settled();
    // What was filled may be due.
    await this.sweeper.settled();
    await this.destinations.settled();
    await Promise.all([
      this.#dropped.settled(),
      this.changeLog.keeper.settled(),
      this.#expiredTokens.settled(),
    ]);
  }

  /** Stops what goes on in the background. The Store is closed by whoever opened it. */
  async close(): Promise<void> {
    this.#ending.abort();
    await this.destinations.ended();
    await this.changeLog.leave();
    await this.settled();
  }

  #missing(scope: Scope, name: string): DynamoError {
    this.noteMissing(scope, name);
    return tableNotFound();
  }

  /** Tells the person who runs this, once for each table, when a table that was asked for exists in another Region. */
  noteMissing(scope: Scope, name: string): void {
    const asked = `${scope.account}/${scope.region}/${name}`;
    if (!this.#missesTold.has(asked) && this.#missesTold.size < missesToldMax) {
      this.#missesTold.add(ownCopy(asked));
      void this.#tellOtherRegions(scope, name);
    }
  }

  /** Regions are worlds apart, and a client with the wrong one is the commonest reason for a missing table. */
  async #tellOtherRegions(scope: Scope, name: string): Promise<void> {
    try {
      const regions = await this.catalogue.regionsWith(scope.account, name);
      const others = regions.filter((region) => region !== scope.region);
      if (others.length > 0)
        this.log(
          `Table ${name} was not found in Region ${scope.region}, but it exists in ${others.join(', ')}.`,
        );
    } catch {
      // The client has its answer; the hint was only a courtesy.
    }
  }
}

const missesToldMax = 1_000;
