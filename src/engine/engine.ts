import { ParsedExpressions } from '../expressions/parsed-cache.ts';
import type { Item } from '../model/attribute-value.ts';
import { DynamoError, tableNotFound } from '../model/errors.ts';
import { ItemEncoder } from '../model/item-encoder.ts';
import { ownCopy } from '../model/json-reader.ts';
import { type Hash16, type PrimaryKey, tableKey } from '../model/keys.ts';
import { tableLimits } from '../model/limits.ts';
import { type MaybePromise, whenDone } from '../model/maybe-promise.ts';
import { primaryKeyOf } from '../model/table-schema.ts';
import type { Store } from '../storage/store.ts';
import { Catalogue } from './catalogue.ts';
import { ChangeLog } from './change-log/change-log.ts';
import { type Clock, nowMs } from './clock.ts';
import { type Deliverer, nowhere } from './destinations/deliverer.ts';
import { Destinations } from './destinations/destinations.ts';
import { removeDroppedEntries } from './dropped-entries.ts';
import { eachApart } from './each-apart.ts';
import { noDelay, serviceDelay } from './expiry/expiry-delay.ts';
import { Sweeper } from './expiry/sweeper.ts';
import { Faults } from './faults.ts';
import { InFlight } from './in-flight.ts';
import { IndexFiller } from './index-filler.ts';
import { IndexLag } from './index-lag.ts';
import type { Randomness } from './randomness.ts';
import { readItems, type TableItems } from './read-items.ts';
import { type PageRead, type QueryPlan, readQueryPage } from './read-page.ts';
import { ExpiredTokens, Replay } from './request-tokens.ts';
import type { Scope } from './store-keys.ts';
import { sameEpoch, type Table } from './table-record.ts';
import { type TableRequest, unlessStale } from './table-requests.ts';
import type { ActionPlan, TransactAction } from './transact-actions.ts';
import { type TransactWrite, transactRead, transactWrite } from './transact-items.ts';
import {
  EntryInDoubt,
  type ItemWrite,
  planItem,
  stale,
  type WriteOutcome,
  type WriteSettings,
  WriteUnit,
} from './write-item.ts';
import { type TableOutcomes, writeItems } from './write-items.ts';

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
  readonly faults = new Faults();
  /** Acted out only where physics is: otherwise an index is never behind its table. */
  readonly indexLag: IndexLag | undefined;
  /** Acted out only where physics is: otherwise what meets a transaction waits its turn. */
  readonly inFlight: InFlight | undefined;
  readonly #expiredTokens: ExpiredTokens;
  readonly h16: Hash16;
  readonly #collectionBytesMax: number;
  readonly #log: (line: string) => void;
  readonly encoder = new ItemEncoder();
  readonly #missesTold = new Set<string>();
  readonly #ending = new AbortController();
  #removing: Promise<void> | undefined;

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
    this.#expiredTokens = new ExpiredTokens(store, clock);
    this.h16 = h16;
    this.#collectionBytesMax = collectionBytesMax ?? tableLimits.itemCollectionBytesMax;
    this.#log = log;
    const { catalogue } = this;
    const { signal } = this.#ending;
    this.indexFiller = new IndexFiller(
      { store, catalogue, h16, nowMs: () => nowMs(clock) },
      { pause, signal, log, filledExpiries: () => this.sweeper.tablesChanged() },
    );
    this.changeLog = new ChangeLog({ store, clock, random, h16, catalogue, pause, signal, log });
    this.destinations = new Destinations(
      { store, clock, h16, catalogue, changeLog: this.changeLog, deliverer, pause, log },
      { random, signal },
    );
    this.sweeper = new Sweeper(
      {
        store,
        clock,
        random,
        h16,
        catalogue,
        inFlight: this.inFlight,
        delay: physics === 'enforce' ? serviceDelay(h16) : noDelay,
        writeSettings: () => this.writeSettings(),
        noted: (outcome) => this.#noted(outcome),
      },
      { pause, signal, log },
    );
  }

  /** The table to read or write items of, or the data plane's error that there is none. */
  table(scope: Scope, name: string): MaybePromise<Table | DynamoError> {
    return whenDone(this.catalogue.table(scope, name), (table) => table ?? this.#missing(scope, name));
  }

  /** Reads an item as it is stored; undefined when there is none. */
  readItem(
    scope: Scope,
    name: string,
    plan: (table: Table) => Item | DynamoError,
  ): MaybePromise<Uint8Array | undefined | DynamoError> {
    return whenDone(this.table(scope, name), (table) => {
      if (table instanceof DynamoError) return table;
      const key = plan(table);
      if (key instanceof DynamoError) {
        return unlessStale(this, table, key, () => this.readItem(scope, name, plan));
      }
      return whenDone(this.readKnown(table, primaryKeyOf(table.schema, key)), (found) =>
        found === stale ? this.readItem(scope, name, plan) : found,
      );
    });
  }

  /** Reads an item of a table as it is known, unless it has changed since. */
  readKnown(table: Table, key: PrimaryKey): MaybePromise<Uint8Array | undefined | typeof stale> {
    const stored = tableKey(table.prefix, key, this.h16);
    if (this.store.exclusive) return this.store.get(stored);
    return whenDone(this.store.getMany([table.epochKey, stored]), ([epoch, found]) => {
      if (sameEpoch(epoch, table.epoch)) return found;
      this.catalogue.forget(table);
      return stale;
    });
  }

  /** Plans a write on the table as it is known, does it, and plans again should the table have changed. */
  writeItem(
    scope: Scope,
    name: string,
    plan: (table: Table) => ItemWrite | DynamoError,
  ): MaybePromise<WriteOutcome | DynamoError> {
    return whenDone(this.table(scope, name), (table) =>
      table instanceof DynamoError ? table : this.writeKnown(table, plan),
    );
  }

  /** The same, for those who know the table already. */
  writeKnown(
    table: Table,
    plan: (table: Table) => ItemWrite | DynamoError,
  ): MaybePromise<WriteOutcome | DynamoError> {
    const write = plan(table);
    const again = () => this.writeItem(table.scope, table.name, plan);
    return write instanceof DynamoError
      ? unlessStale(this, table, write, again)
      : this.#writeTo(table, write, undefined, again);
  }

  #writeTo(
    table: Table,
    write: ItemWrite,
    doubt: Uint8Array | undefined,
    planAgain: () => MaybePromise<WriteOutcome | DynamoError>,
  ): MaybePromise<WriteOutcome | DynamoError> {
    const plan = planItem(table, write, this.h16, doubt);
    const { store, inFlight } = this;
    // Where all happens within this turn, nothing can happen to the table in between.
    const isCurrent = store.immediate && inFlight === undefined;
    const unit = new WriteUnit(plan, this.writeSettings(), isCurrent);
    const written =
      inFlight === undefined ? store.transact(unit) : inFlight.writing(plan.key, () => store.transact(unit));
    return whenDone(written, (outcome) => {
      if (outcome instanceof EntryInDoubt) return this.#writeTo(table, write, outcome.key, planAgain);
      if (outcome !== stale) return this.#noted(outcome);
      this.catalogue.forget(table);
      return planAgain();
    });
  }

  /** Plans a page of a Query or Scan on the table as it is known, reads it, and plans again should it have changed. */
  readPage<Plan extends QueryPlan>(
    scope: Scope,
    name: string,
    plan: (table: Table, h16: Hash16) => Plan | DynamoError,
  ): MaybePromise<PageRead<Plan> | DynamoError> {
    return readQueryPage(this, this.h16, scope, name, plan);
  }

  /** Reads items of several tables, all in one committed state of the Store. */
  readItems(requests: readonly TableRequest<Item>[]): MaybePromise<readonly TableItems[] | DynamoError> {
    return readItems(this, this.h16, requests);
  }

  /** Does writes to several tables, each on its own. */
  writeItems(
    requests: readonly TableRequest<ItemWrite>[],
  ): MaybePromise<readonly TableOutcomes[] | DynamoError> {
    const { inFlight } = this;
    const written = writeItems(this, requests, { inFlight, log: this.#log, ...this.writeSettings() });
    return whenDone(written, (outcomes) => {
      if (!(outcomes instanceof DynamoError))
        for (const outcome of outcomes.flat()) if (outcome !== undefined) this.#noted(outcome);
      return outcomes;
    });
  }

  /** Does several things of one request, each with an outcome of its own. */
  eachApart<R>(runs: readonly (() => MaybePromise<R>)[]): MaybePromise<readonly (R | DynamoError)[]> {
    return eachApart(runs, this.#log);
  }

  /** Does a transaction of writes and checks: all of it or nothing. */
  transactWrite(request: TransactWrite): MaybePromise<readonly WriteOutcome[] | Replay | DynamoError> {
    return whenDone(transactWrite(this, request), (result) => {
      if (result instanceof Replay || result instanceof DynamoError) return result;
      if (request.token !== undefined) this.#removeExpiredTokens();
      for (const outcome of result) this.#noted(outcome);
      return result;
    });
  }

  /** Reads items of several tables in one committed state, as a transaction does: distinct items, or its errors. */
  transactRead(
    actions: readonly TransactAction<ActionPlan>[],
  ): MaybePromise<readonly (Uint8Array | undefined)[] | DynamoError> {
    return transactRead(this, this.h16, actions);
  }

  /** What is done after each write that was done. */
  #noted<Outcome extends WriteOutcome | DynamoError>(outcome: Outcome): Outcome {
    if (outcome instanceof DynamoError) return outcome;
    this.indexLag?.note(outcome);
    if (outcome.expiry !== undefined) this.sweeper.expects(outcome.expiry);
    if (outcome.logged !== undefined) this.changeLog.noteArrival(outcome.logged);
    return outcome;
  }

  #removeExpiredTokens(): void {
    this.#expiredTokens.noteNew((error) => {
      if (!this.#ending.signal.aborted) this.#log(`Removing expired request tokens failed: ${String(error)}`);
    });
  }

  writeSettings(): WriteSettings {
    return {
      h16: this.h16,
      encoder: this.encoder,
      nowMicros: this.clock.nowMicros(),
      collectionBytesMax: this.#collectionBytesMax,
    };
  }

  /**
   * Removes what dropped tables and indexes left behind, in the background; called after every drop and by `resume`.
   * A failure is told and leaves the work to the next call.
   */
  removeDropped(): void {
    const remove = () => removeDroppedEntries(this.store, this.#ending.signal);
    this.#removing = (this.#removing ?? Promise.resolve()).then(remove).catch((error: unknown) => {
      if (!this.#ending.signal.aborted)
        this.#log(`Removing the entries of dropped tables and indexes failed: ${String(error)}`);
    });
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
    await Promise.all([this.#removing, this.changeLog.keeper.settled(), this.#expiredTokens.settled()]);
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
        this.#log(
          `Table ${name} was not found in Region ${scope.region}, but it exists in ${others.join(', ')}.`,
        );
    } catch {
      // The client has its answer; the hint was only a courtesy.
    }
  }
}

const missesToldMax = 1_000;
