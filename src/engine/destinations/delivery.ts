import { ownCopy } from '../../model/json/json-reader.ts';
import type { Hash16 } from '../../model/keys/keys.ts';
import { kinesisLimits } from '../../model/limits.ts';
import { readItemBytes } from '../../model/stored/stored-item.ts';
import { parseKinesisArn } from '../../model/tables/kinesis-arn.ts';
import { captureUnits } from '../../physics/units.ts';
import { nowMs } from '../../runtime/clock.ts';
import type { Store } from '../../storage/store.ts';
import { type Background, backOffMs, Worker } from '../background/background-worker.ts';
import type { Lease } from '../background/lease.ts';
import type { ChangeLog } from '../change-log/change-log.ts';
import type { FollowedChange } from '../change-log/follow.ts';
import type { ReaderPlace } from '../change-log/log-readers.ts';
import { decodeReader } from '../change-log/reader-note.ts';
import type { Observer } from '../events.ts';
import { readerKey, type Scope } from '../store-keys.ts';
import type { Catalogue } from '../tables/catalogue.ts';
import type { TableRecord } from '../tables/table-record.ts';
import { type Deliverer, noSuchStream } from './deliverer.ts';
import { deliveryLease } from './delivery-lease.ts';
import { destinationOf, type KinesisDestination } from './destination.ts';
import { endDestination, replaceDestination } from './destination-life.ts';
import { kinesisRecord, type RecordSource } from './kinesis-record.ts';
import { nextWave, type Parcel, reached } from './waves.ts';

export interface DeliveryDeps {
  readonly store: Store;
  readonly h16: Hash16;
  readonly catalogue: Catalogue;
  readonly changeLog: ChangeLog;
  readonly deliverer: Deliverer;
  readonly observer: Observer | undefined;
  /** This process, among those that share a store. */
  readonly holder: string;
}

/** The reader of the log whose records are delivered. */
export interface DeliveryOrder {
  readonly scope: Scope;
  readonly tableName: string;
  readonly storageId: string;
  readonly reader: string;
}

/**
 * Delivers the changes of one table to one destination while that is enabled: each change at least once, the changes of
 * an item in order. The cursor advances after the delivery: a process that is killed in between delivers again, and no
 * change is lost. Writers never wait for a delivery: they only append to the log.
 */
export class Delivery {
  readonly order: DeliveryOrder;
  /** The last failure, until a delivery succeeds again. */
  trouble: string | undefined;
  /** Records since this process began. */
  delivered = 0;
  refused = 0;
  /** A record counts each time that the stream throttles it. */
  throttled = 0;
  readonly #deps: DeliveryDeps;
  readonly #background: Background;
  readonly #lease: Lease;
  readonly #worker: Worker;
  #isStandingBy = false;
  #isChecked = false;
  #rests = 0;

  constructor(deps: DeliveryDeps, order: DeliveryOrder, background: Background) {
    // The name stays as long as the delivery, and was perhaps cut from a whole request.
    this.order = { ...order, tableName: ownCopy(order.tableName) };
    this.#deps = deps;
    this.#background = background;
    this.#lease = deliveryLease({
      ...background,
      store: deps.store,
      holder: deps.holder,
      nowMs: () => nowMs(background.clock),
      key: readerKey(order.storageId, order.reader),
    });
    this.#worker = new Worker(background, {
      name: this.#name(),
      // Rests, for good, when there is nothing left to deliver for.
      run: async () => {
        if (await this.#work()) this.#worker.wake();
      },
      retry: backOff,
      failed: (error) => this.#failed(error),
      lease: this.#lease,
    });
    this.#worker.wake();
  }

  /** Whether it is this process's turn, where there are several. */
  get isDelivering(): boolean {
    return this.#worker.isWorking && !this.#isStandingBy;
  }

  /** Resolves when nothing is delivered any more. */
  ended(): Promise<void> {
    return this.#worker.settled();
  }

  /** Resolves when the stream has been checked once, with any result. */
  checked(): Promise<void> {
    return this.#worker.until(() => this.#isChecked || this.#isStandingBy);
  }

  /** Resolves when everything that is in the log by now is delivered, or cannot be for the time being. */
  caughtUp(): Promise<void> {
    const { changeLog } = this.#deps;
    // A round of reading may have begun before: the one after it has seen everything.
    const enough = this.#rests + 2;
    return this.#worker.until(() => {
      if (this.#rests >= enough || this.trouble !== undefined || this.#isStandingBy) return true;
      changeLog.noteArrival(this.order.storageId);
      return false;
    });
  }

  /** Likewise, but waits no longer than this. */
  async caughtUpWithin(ms: number): Promise<void> {
    const enough = new AbortController();
    const signal = AbortSignal.any([this.#background.signal, enough.signal]);
    await Promise.race([this.caughtUp(), this.#background.pause(ms, signal)]);
    enough.abort();
  }

  /** Delivers until the lease or the destination changes; false when there is no destination any more. */
  async #work(): Promise<boolean> {
    const standBy = () => {
      this.#isStandingBy = true;
      this.#worker.progressed();
    };
    if (!(await this.#lease.take(standBy))) return false;
    this.#isStandingBy = false;
    const found = await this.#find();
    if (found === undefined) return false;
    if (found.destination.state === 'ENABLING') await this.#check(found.destination);
    else await this.#deliver(found.record);
    return true;
  }

  /** The table and its destination as they are now; undefined when one of them is gone. */
  async #find(): Promise<{ record: TableRecord; destination: KinesisDestination } | undefined> {
    const { scope, tableName, storageId, reader } = this.order;
    const record = await this.#deps.catalogue.record(scope, tableName);
    if (record === undefined || record.storageId !== storageId || record.phases.deletingUntil !== undefined)
      return undefined;
    const destination = destinationOf(record, reader);
    return destination && { record, destination };
  }

  async #check({ streamArn }: KinesisDestination): Promise<void> {
    try {
      const description = await this.#objection(streamArn);
      if (description === undefined) await this.#change((before) => ({ ...before, state: 'ACTIVE' }));
      else await this.#giveUp('ENABLE_FAILED', description);
      this.#recovered();
    } catch (error) {
      if (await this.#hasWaitedTooLong())
        await this.#giveUp(
          'ENABLE_FAILED',
          `It could not be reached for ${kinesisLimits.deliveryHoursMax} hours.`,
        );
      throw error;
    } finally {
      this.#isChecked = true;
      this.#worker.progressed();
    }
  }

  /** Why a stream cannot be a destination. Its account is not looked at: here it need not be that of the table. */
  async #objection(streamArn: string): Promise<string | undefined> {
    const arn = parseKinesisArn(streamArn);
    if (arn === undefined) return noSuchStream;
    if (arn.region !== this.order.scope.region)
      return 'The kinesis Arn used to enable kinesis replication belongs to a stream which is not in the current region';
    return this.#deps.deliverer.check(streamArn, this.#background.signal);
  }

  async #deliver(record: TableRecord): Promise<void> {
    const { changeLog } = this.#deps;
    const { scope, tableName } = this.order;
    const place = await this.#place(record);
    if (place === undefined) {
      await this.#giveUp('DISABLED', 'Its place in the log of changes is lost.');
      return;
    }
    this.#isChecked = true;
    const cargo = new Cargo(place.positions);
    const atRest = async () => {
      const isWanted = await this.#send(cargo, place, record);
      this.#rests++;
      this.#worker.progressed();
      return isWanted;
    };
    for await (const change of changeLog.resume(scope, tableName, place, this.#background.signal, atRest)) {
      cargo.add(change);
      if (cargo.isFull && !(await this.#send(cargo, place, record))) return;
    }
  }

  async #place({ followers }: TableRecord): Promise<ReaderPlace | undefined> {
    const { storageId, reader: name } = this.order;
    const follower = followers?.find((each) => each.kind === 'reader' && each.name === name);
    const key = readerKey(storageId, name);
    const bytes = await this.#deps.store.get(key);
    if (follower === undefined || bytes === undefined) return undefined;
    return { storageId, name, since: follower.since, positions: decodeReader(bytes, key).positions };
  }

  /** Delivers the cargo; false when the delivery must not go on. */
  async #send(cargo: Cargo, place: ReaderPlace, { description }: TableRecord): Promise<boolean> {
    const { deliverer, h16, changeLog } = this.#deps;
    const { pause, signal } = this.#background;
    const { scope, storageId, tableName, reader } = this.order;
    const source: RecordSource = { ...scope, tableName, storageId, reader, keySchema: description.keySchema };
    let waiting: readonly Parcel[] | undefined;
    for (let failures = 0; ; ) {
      if (!(await this.#lease.isHeld())) return false;
      const destination = (await this.#find())?.destination;
      if (destination === undefined || signal.aborted) return false;
      if (cargo.changes.length === 0) {
        this.#recovered();
        return true;
      }
      waiting ??= cargo.changes.map((change) => ({
        change,
        record: kinesisRecord(source, destination.precision, change, h16),
      }));
      const wave = nextWave(waiting, deliverer);
      const outcome = await this.#try(destination, wave);
      waiting = waiting.filter((parcel) => !outcome.done.has(parcel));
      if (outcome.done.size > 0)
        await changeLog.readers.advance({ ...place, positions: reached(cargo.readThrough, waiting) });
      if (waiting.length === 0) cargo.unload();
      if (outcome.problem === undefined) {
        this.#recovered();
        failures = 0;
        continue;
      }
      if (signal.aborted) return false;
      this.#failed(outcome.problem);
      if (this.#areTooOld(waiting)) {
        await this.#giveUp(
          'DISABLED',
          `Records have waited for more than ${kinesisLimits.deliveryHoursMax} hours.`,
        );
        return false;
      }
      // Where others get through, the way is open.
      failures = outcome.done.size > 0 ? 0 : failures + 1;
      await pause(backOffMs(backOff, failures), signal);
    }
  }

  async #try(
    { streamArn }: KinesisDestination,
    wave: readonly Parcel[],
  ): Promise<{ readonly done: ReadonlySet<Parcel>; readonly problem: unknown }> {
    const done = new Set<Parcel>();
    const counts = { delivered: 0, refused: 0, throttled: 0, failed: 0 };
    let units = 0;
    try {
      const records = wave.map(({ record }) => record);
      const outcomes = await this.#deps.deliverer.deliver(streamArn, records, this.#background.signal);
      for (const [i, parcel] of wave.entries()) {
        const outcome = outcomes[i] ?? 'failed';
        counts[outcome]++;
        if (outcome === 'throttled' || outcome === 'failed') continue;
        done.add(parcel);
        if (outcome === 'refused') this.#noteRefused(parcel);
        else {
          this.delivered++;
          units += captureUnits(bytesOf(parcel.change.change.before), bytesOf(parcel.change.change.after));
        }
      }
      this.throttled += counts.throttled;
      const { scope, tableName } = this.order;
      this.#deps.observer?.delivered?.({ scope, tableName, streamArn, ...counts, units });
      const left = wave.length - done.size;
      if (left === 0) return { done, problem: undefined };
      const why = counts.throttled === left ? ', as the stream is throttled' : '';
      return { done, problem: `${left} of ${wave.length} records were not taken${why}` };
    } catch (problem) {
      return { done, problem: problem ?? 'it failed' };
    }
  }

  /** As on the service, whose documentation has the record counted as failed and the next ones go on. */
  #noteRefused({ record: { data } }: Parcel): void {
    if (this.refused++ === 0)
      this.#background.log(
        `${this.#name()}: a record of ${data.length} bytes is larger than Kinesis takes and is left out, as all such records are.`,
      );
  }

  #areTooOld(waiting: readonly Parcel[]): boolean {
    return this.#isTooOld(Math.min(...waiting.map(({ change }) => change.change.writtenMicros)) / 1000);
  }

  /** Whether a destination that is being enabled, and so keeps records, has been for longer than it may. */
  async #hasWaitedTooLong(): Promise<boolean> {
    const { storageId, reader } = this.order;
    const key = readerKey(storageId, reader);
    const bytes = await this.#deps.store.get(key);
    return bytes !== undefined && this.#isTooOld(decodeReader(bytes, key).seenAt);
  }

  #isTooOld(sinceMs: number): boolean {
    return nowMs(this.#background.clock) - sinceMs > kinesisLimits.deliveryHoursMax * 3_600_000;
  }

  #failed(problem: unknown): void {
    const text = problem instanceof Error ? problem.message || problem.name : String(problem);
    if (this.trouble === undefined)
      this.#background.log(`${this.#name()} cannot be delivered to and is tried again and again: ${text}`);
    this.trouble = text;
    this.#worker.progressed();
  }

  #recovered(): void {
    if (this.trouble === undefined) return;
    this.trouble = undefined;
    this.#background.log(`${this.#name()} is delivered to again.`);
  }

  /** Ends the destination for good. */
  async #giveUp(state: 'ENABLE_FAILED' | 'DISABLED', description: string): Promise<void> {
    await this.#change((before) => ({ ...before, state, description }));
    this.#background.log(`${this.#name()} is ${state}: ${description}`);
  }

  /** Changes the destination, unless it is over already. */
  async #change(change: (before: KinesisDestination) => KinesisDestination): Promise<void> {
    const { scope, tableName, storageId, reader } = this.order;
    await this.#deps.catalogue.change(scope, tableName, (current) => {
      if (current?.storageId !== storageId || current.phases.deletingUntil !== undefined) return undefined;
      const before = destinationOf(current, reader);
      if (before === undefined) return undefined;
      const after = change(before);
      const isEnded = after.state !== 'ACTIVE';
      return { put: (isEnded ? endDestination : replaceDestination)(current, before, after) };
    });
  }

  #name(): string {
    return `The Kinesis destination of table ${this.order.tableName} (${this.order.scope.region})`;
  }
}

/** Changes that were read and wait to be delivered. */
class Cargo {
  changes: FollowedChange[] = [];
  /** For each bucket the position of the last change that was read. */
  readonly readThrough: number[];
  #bytes = 0;

  constructor(positions: readonly number[]) {
    this.readThrough = [...positions];
  }

  get isFull(): boolean {
    return this.changes.length >= cargoMax || this.#bytes >= cargoBytesMax;
  }

  add(followed: FollowedChange): void {
    const { before, after } = followed.change;
    this.changes.push(followed);
    this.readThrough[followed.bucket] = followed.position;
    this.#bytes += (before?.length ?? 0) + (after?.length ?? 0);
  }

  unload(): void {
    this.changes = [];
    this.#bytes = 0;
  }
}

function bytesOf(image: Uint8Array | undefined): number | undefined {
  return image === undefined ? undefined : readItemBytes(image);
}

const cargoMax = 500;
const cargoBytesMax = 8 * 1024 * 1024;

const backOff = { minMs: 50, maxMs: 30_000 };
