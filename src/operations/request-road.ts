import type { StreamNote } from '../engine/change-log/stream-note.ts';
import type { Consumed } from '../engine/consumed.ts';
import type { Engine } from '../engine/engine.ts';
import type { Caller, Charge, RequestOutcome } from '../engine/events.ts';
import { faultErrors } from '../engine/faults.ts';
import { isObserverRequest } from '../engine/observer-request.ts';
import {
  controlTouch,
  type IndexRefusal,
  type IndexThrottle,
  Refusals,
  type Road,
  streamTouch,
  type Touch,
} from '../engine/road.ts';
import type { Table } from '../engine/tables/table-record.ts';
import { type Authorize, eachRefusal, firstRefusal } from '../model/access/authorize.ts';
import type { Intent } from '../model/access/intent.ts';
import { DynamoError } from '../model/errors.ts';
import { type MaybePromise, whenDone } from '../model/maybe-promise.ts';
import { equalBytes } from '../model/values/bytes.ts';
import { nowMs } from '../runtime/clock.ts';
import { Judgement } from './judgement.ts';
import { tableReference } from './table-reference.ts';

/**
 * The road of one request: `shape → authorize → plan → faults → admit → run → meter → tell`. The operation checks the
 * shape, plans and runs. This class does the other stages, for every operation and every entry point alike.
 */
export class RequestRoad implements Road {
  readonly operation: string;
  readonly engine: Engine;
  readonly caller: Caller;
  readonly #input: unknown;
  /** Whether the request only observes: the stages after authorization do not see it. */
  readonly #isObserver: boolean;
  #hasPassed = false;
  /** The accounts of the permitted intents. Undefined if nobody judges the caller. */
  #permitted: Set<string> | undefined;
  #denials: readonly (DynamoError | undefined)[] = noDenials;
  /** The verdict of the caller's authorizer, if there is one. */
  #judgement: Judgement | undefined;
  #lostAnswer: DynamoError | undefined;
  #touches: readonly Touch[] = noTouches;
  #charges: readonly Charge[] | undefined;
  /** Whether the service would have refused the request, so that it is charged nothing. */
  #isShadowed = false;
  /** Likewise of the entries of a batch: their keys. */
  #shadowedKeys: Set<Uint8Array> | undefined;
  #returnedItems = 0;
  #readItems = 0;
  #readBytes = 0;
  #recordAgeMs: number | undefined;
  #isInjected = false;
  #isReplay = false;
  #isStale = false;
  readonly #startedMs: number;

  constructor(operation: string, engine: Engine, caller: Caller, input: unknown) {
    this.operation = operation;
    this.engine = engine;
    this.caller = caller;
    this.#input = input;
    this.#isObserver = isObserverRequest(operation, caller);
    this.#startedMs = engine.observer === undefined ? 0 : engine.stopwatchMs();
  }

  get indexRefusal(): IndexRefusal | undefined {
    return this.engine.admission?.indexRefusal;
  }

  /**
   * Asks the caller's authorizer about every intent of the request, before anything is looked up. Answers the refusal of
   * the whole request. A batch of statements fails in part: its refusals are `denials`.
   */
  authorize(intents: () => readonly Intent[], authorize: Authorize): MaybePromise<DynamoError | undefined> {
    this.#judgement = new Judgement(() => this.#judge(intents(), authorize));
    return this.#judgement.judge();
  }

  #judge(intents: readonly Intent[], authorize: Authorize): MaybePromise<DynamoError | undefined> {
    if (intents.length === 0) throw new Error(`${this.operation} names no intent`);
    const isEach = isDeniedInPart.has(this.operation);
    const verdict: MaybePromise<readonly (DynamoError | undefined)[] | DynamoError | undefined> = isEach
      ? eachRefusal(authorize, intents, this.caller)
      : firstRefusal(authorize, intents, this.caller);
    return whenDone(verdict, (judged) => {
      if (judged instanceof DynamoError) return judged;
      const before = this.#denials;
      if (judged !== undefined) this.#denials = judged;
      // A statement that was permitted may have run: a later refusal is that of the whole request.
      const late =
        this.#permitted && judged?.find((error, i) => error !== undefined && before[i] === undefined);
      this.#permitted = new Set();
      for (const [i, { account }] of intents.entries())
        if (account !== undefined && this.#denials[i] === undefined) this.#permitted.add(account);
      return late;
    });
  }

  rejudge(tables: readonly (Table | DynamoError)[]): MaybePromise<DynamoError | undefined> {
    return this.#judgement?.rejudge(tables);
  }

  /** Looks up a table that the request names, for its authorizer. Undefined if there is none of this name. */
  tableNamed(named: string): MaybePromise<Table | undefined> {
    const reference = tableReference(named, this.caller);
    if (reference instanceof DynamoError) return undefined;
    const found = this.engine.table(reference.scope, reference.tableName);
    return whenDone(found, (table) => {
      const known = table instanceof DynamoError ? undefined : table;
      this.#judgement?.note(reference, known);
      return known;
    });
  }

  /** The refused parts of a request that fails in part, by the positions of its intents. */
  get denials(): readonly (DynamoError | undefined)[] {
    return this.#denials;
  }

  /** A request that reaches beyond its intents is a defect, and must not be answered. */
  #checkPermitted(touches: readonly Touch[]): void {
    for (const { scope } of touches)
      if (!this.#permitted!.has(scope.account))
        throw new Error(
          `${this.operation} touches account ${scope.account}, which none of its intents names`,
        );
  }

  /** Injects faults and admits, in this order. */
  pass(touches: () => readonly Touch[]): Refusals | undefined {
    this.#hasPassed = true;
    const { restrict, faults, admission, observer } = this.engine;
    const isAdmitted = admission === undefined || admission.isOff === true;
    const isFree = restrict === undefined && this.#permitted === undefined;
    if (isFree && faults.isEmpty && isAdmitted && observer === undefined) return undefined;
    const touched = touches();
    if (this.#permitted !== undefined) this.#checkPermitted(touched);
    this.#touches = this.#touches.length === 0 ? touched : [...this.#touches, ...touched];
    const forbidden = restrict?.(this.operation, this.caller, touched);
    if (forbidden?.some(isError)) return new Refusals(forbidden, true);
    if (this.#isObserver) return undefined;
    const fault = this.#injected(touched);
    if (fault !== undefined) return fault;
    if (isAdmitted) return undefined;
    const judgement = admission.admit(touched, this.caller);
    if (judgement === undefined) return undefined;
    if (judgement.shadowed !== undefined) this.#shadow(judgement.shadowed);
    const { refused } = judgement;
    return refused?.some(isError) ? new Refusals(refused, false) : undefined;
  }

  /** A batch loses the entries that would have been refused; any other request would have failed as a whole. */
  #shadow(touches: readonly Touch[]): void {
    if (!failsInPart.has(this.operation)) {
      this.#isShadowed = true;
      return;
    }
    this.#shadowedKeys ??= new Set();
    for (const { key } of touches) if (key !== undefined) this.#shadowedKeys.add(key);
  }

  /** Passes a request that administers a table, or that names none. */
  passControl(tableName?: string, account = this.caller.accountId): DynamoError | undefined {
    const { region } = this.caller;
    return this.pass(() => [controlTouch({ account, region }, tableName)])?.first;
  }

  /** Passes a request that reads a stream, or one of its shards. */
  passStream({ account, region, tableName, label }: StreamNote, shard?: number): DynamoError | undefined {
    return this.pass(() => [streamTouch({ account, region }, tableName, label, shard)])?.first;
  }

  charge(table: Table, access: 'read' | 'write', consumed: Consumed): void {
    const { admission, observer } = this.engine;
    if ((admission === undefined || admission.isOff === true) && observer === undefined) return;
    this.chargeTogether([{ table, access, consumed }]);
  }

  chargeEach(table: Table, access: 'read' | 'write', consumed: readonly Consumed[]): void {
    const { admission, observer } = this.engine;
    const isCharged =
      admission !== undefined && admission.isOff !== true && !this.#isShadowed && !this.#isObserver;
    if (!isCharged && observer === undefined) return;
    const charges = consumed.map((each): Charge => ({ table, access, consumed: each }));
    if (isCharged) {
      const real =
        this.#shadowedKeys === undefined ? charges : charges.filter((each) => !this.#isShadow(each));
      if (real.length > 0) admission.charge(real, this.#touches);
    }
    if (observer !== undefined) this.#note(charges);
  }

  chargeTogether(charges: readonly Charge[]): void {
    const { admission, observer } = this.engine;
    const isCharged = admission !== undefined && admission.isOff !== true && !this.#isObserver;
    if (isCharged && !this.#isShadow(charges[0])) admission.charge(charges, this.#touches);
    if (observer !== undefined) this.#note(charges);
  }

  #note(charges: readonly Charge[]): void {
    this.#charges = this.#charges === undefined ? charges : [...this.#charges, ...charges];
  }

  #isShadow(charge: Charge | undefined): boolean {
    if (this.#isShadowed) return true;
    const key = charge?.consumed.first;
    if (key === undefined || this.#shadowedKeys === undefined) return false;
    if (this.#shadowedKeys.has(key)) return true;
    // A request that was planned again has the same keys in other arrays.
    if (this.#touches.some((touch) => touch.key === key)) return false;
    for (const shadowed of this.#shadowedKeys) if (equalBytes(shadowed, key)) return true;
    return false;
  }

  countThrottle(throttle: IndexThrottle): void {
    this.engine.admission?.countThrottle?.(throttle);
  }

  noteReplay(): void {
    this.#isReplay = true;
  }

  noteStale(): void {
    this.#isStale = true;
  }

  /** Counts the items of the answer, and the items that were read for it, with their size. */
  returns(items: number, bytes: number, read = items): void {
    this.#returnedItems += items;
    this.#readItems += read;
    this.#readBytes += bytes;
  }

  /** Counts the records that GetRecords returns. */
  returnsRecords(records: number, bytes: number, newestMicros: number | undefined): void {
    this.returns(records, bytes);
    if (newestMicros === undefined) return;
    this.#recordAgeMs = Math.max(0, nowMs(this.engine.clock) - Math.floor(newestMicros / 1_000));
  }

  /** Ends the request: replaces the answer if a fault loses it, and sends the event to the observer. */
  ended<A>(answer: A | DynamoError): A | DynamoError {
    const isError = answer instanceof DynamoError;
    if (!isError && !this.#hasPassed) throw new Error(`${this.operation} answered without passing its road`);
    // If the operation fails, its own error wins over the injected fault.
    const final = isError ? answer : (this.#lostAnswer ?? answer);
    if (this.engine.observer !== undefined)
      this.#tell(final instanceof DynamoError ? { kind: 'refused', error: final } : { kind: 'answered' });
    return final;
  }

  /** Sends the event of a request that ended in an exception. The client gets a 500. */
  failed(error: unknown): void {
    if (this.engine.observer !== undefined) this.#tell({ kind: 'failed', error });
  }

  /**
   * Looks for an armed fault. A fault matches one touch, but the whole request fails. Only a transaction reports which
   * action it was.
   */
  #injected(touches: readonly Touch[]): Refusals | undefined {
    const { faults } = this.engine;
    if (faults.isEmpty) return undefined;
    const struck = faults.strike(this.operation, touches);
    if (struck === undefined) return undefined;
    this.#isInjected = true;
    const error = faultErrors[struck.fault.error]();
    if (struck.fault.afterwards === true) {
      this.#lostAnswer = error;
      return undefined;
    }
    const each = touches.map((_, i) => (i === struck.position ? error : undefined));
    return new Refusals(each.length === 0 ? [error] : each, true);
  }

  #tell(outcome: RequestOutcome): void {
    this.engine.observer!.request?.({
      operation: this.operation,
      caller: this.caller,
      input: this.#input,
      touches: this.#touches,
      charges: this.#charges ?? noCharges,
      returnedItems: this.#returnedItems,
      readItems: this.#readItems,
      readBytes: this.#readBytes,
      recordAgeMs: this.#recordAgeMs,
      durationMs: this.engine.stopwatchMs() - this.#startedMs,
      outcome,
      pattern: this.caller.header('x-stator-pattern'),
      isInjected: this.#isInjected,
      isReplay: this.#isReplay,
      isStale: this.#isStale,
      isObserver: this.#isObserver,
    });
  }
}

/** The operation of which AWS refuses single statements (the code AccessDenied in its model); others fail as a whole. */
const isDeniedInPart: ReadonlySet<string> = new Set(['BatchExecuteStatement']);
const noDenials: readonly (DynamoError | undefined)[] = [];

const failsInPart: ReadonlySet<string> = new Set(['BatchGetItem', 'BatchWriteItem', 'BatchExecuteStatement']);

function isError(error: DynamoError | undefined): boolean {
  return error !== undefined;
}

const noTouches: readonly Touch[] = [];
const noCharges: readonly Charge[] = [];
