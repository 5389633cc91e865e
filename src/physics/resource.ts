import { capacityLimits } from '../model/limits.ts';
import type { AccountBuckets } from './account-buckets.ts';
import { type DecreaseBudget, isDecrease, noteDecrease } from './change-budgets.ts';
import { closeMinute } from './close-minute.ts';
import { chargeUnitsMax, memoryBounds, onDemandMaximumDepthSeconds, quotaDepthSeconds } from './constants.ts';
import { LoadHistory } from './load-history.ts';
import { defaultPhysicsSettings, type PhysicsSettings } from './modes.ts';
import { PartitionMap } from './partition-map.ts';
import type { Growth, PartitionRecord, Throughput } from './partition-record.ts';
import { PartitionState } from './partition-state.ts';
import { RecentRate } from './recent-rate.ts';
import { growForBytes, growForSettings } from './resource-growth.ts';
import { checkThroughput, firstPartitions, type ThroughputSettings } from './throughput-settings.ts';
import { TokenBucket } from './token-bucket.ts';
import type { MutableVerdict } from './verdict.ts';

export interface ResourceIdentity {
  /** What its record is stored under. A table made again under its old name has another id, and the same ARN. */
  readonly id: string;
  readonly tableName: string;
  /** Absent for a table. */
  readonly indexName?: string;
  readonly arn: string;
  /** Local indexes hold the item collections of their table together. */
  readonly hasLocalIndexes: boolean;
}

/** What tables share: quotas and bounded budgets of memory. */
export interface SharedState {
  /**
   * The quota of each on-demand table and, by itself, of each index. AWS's page on index throttling says so; the page on
   * account limits says that a table and its indexes share one.
   */
  readonly tableQuota: Throughput;
  /** Buckets of the whole account, if it has a quota on what it consumes. */
  readonly account: AccountBuckets | undefined;
  histories: number;
  samples: number;
}

/** Why partitions were cut, or were not. */
export interface PartitionEvent {
  readonly atMs: number;
  readonly what: string;
}

/** What admission answers for one touch. */
export const admitted = 0;
export const overProvisioned = 1;
export const overMaximum = 2;
export const overQuota = 3;
export const overKeyRange = 4;

const eventsMax = 50;
const minuteMs = 60_000;
/** A step of the clock above this is looked at more closely. */
const longStepMs = 3_600_000;
/** The last moment that a Date can tell. */
const timeMax = 8.64e15;

/**
 * The live state of a table or global index: its partition map, its balances, its load. Balances are never stored:
 * after a restart they are full. What must be remembered is its record.
 *
 * Two levels decide about a request, as on the service since global admission control (paper: ATC 2022): the bucket of
 * the table or index, from which any partition may take all that is left, and the ceiling of the partition. There is no
 * separate adaptive capacity: that a busy partition gets what others leave follows from the shared bucket.
 */
export class Resource {
  readonly number: number;
  readonly identity: ResourceIdentity;
  readonly shared: SharedState;
  readonly map: PartitionMap;
  /** The bucket of the table or index, and the quota of the account on each table. */
  readonly read: TokenBucket;
  readonly write: TokenBucket;
  readonly readQuota: TokenBucket;
  readonly writeQuota: TokenBucket;
  readonly readGranted = new RecentRate();
  readonly writeGranted = new RecentRate();
  readonly readAsked = new RecentRate();
  readonly writeAsked = new RecentRate();
  history: LoadHistory | undefined = undefined;
  /** Verdicts that may still be counted up. */
  readonly recentVerdicts: MutableVerdict[] = [];
  readonly events: PartitionEvent[] = [];

  throughput: ThroughputSettings;
  settings: PhysicsSettings = defaultPhysicsSettings;
  provisionedPeak: Throughput = { read: 0, write: 0 };
  onDemandPeak: Throughput = { read: 0, write: 0 };
  warm: Throughput = { read: 0, write: 0 };
  growths: Growth[] = [];
  /** Decreases of provisioned throughput; `nextDecreaseMs` tells when the next one is allowed. */
  decreases: DecreaseBudget = { decreasesThatDay: 0 };
  /** Whether the record has changed since it was last taken. */
  isDirty: boolean;

  nowMs: number;
  minute: number;
  minuteEndMs: number;
  /** Figures of the minute under way. */
  readUnits = 0;
  writeUnits = 0;
  refusedReads = 0;
  refusedWrites = 0;

  /** False once it was closed or has left the list: settings no longer reach it, and its owner opens it again. */
  isOpen = true;
  isActive = true;
  checksTable = true;
  checksPartitions = true;
  checksQuotas = true;
  splits = true;
  /** False for an index whose writes never hold up its table. */
  limitsWrites = true;

  constructor(
    number: number,
    identity: ResourceIdentity,
    throughput: ThroughputSettings,
    shared: SharedState,
    nowMs: number,
    record: PartitionRecord | undefined,
  ) {
    checkThroughput(throughput);
    this.number = number;
    this.identity = identity;
    this.shared = shared;
    this.throughput = throughput;
    this.map =
      record === undefined
        ? PartitionMap.ofEqualParts(firstPartitions(throughput))
        : PartitionMap.ofEntries(record.partitions, record.nextId);
    this.isDirty = record === undefined;
    this.nowMs = nowMs;
    this.minute = Math.floor(nowMs / minuteMs);
    this.minuteEndMs = (this.minute + 1) * minuteMs;
    this.read = new TokenBucket(1, 1);
    this.write = new TokenBucket(1, 1);
    this.readQuota = new TokenBucket(Number.POSITIVE_INFINITY, quotaDepthSeconds);
    this.writeQuota = new TokenBucket(Number.POSITIVE_INFINITY, quotaDepthSeconds);
    if (record !== undefined) this.#remember(record);
    else this.warm = { read: throughput.warmRead ?? 0, write: throughput.warmWrite ?? 0 };
    this.#setRates();
    // After a restart, and for a new table, balances are full.
    this.read.balance = this.read.depth;
    this.write.balance = this.write.depth;
    growForSettings(this);
  }

  get isIndex(): boolean {
    return this.identity.indexName !== undefined;
  }

  get isOnDemand(): boolean {
    return this.throughput.mode === 'PAY_PER_REQUEST';
  }

  /** Units a second that the table or index could give if its keys were spread evenly. */
  capacity(isWrite: boolean): number {
    const ceiling = isWrite
      ? capacityLimits.partitionWriteUnitsPerSecondMax
      : capacityLimits.partitionReadUnitsPerSecondMax;
    return Math.min((isWrite ? this.write : this.read).rate, this.map.count * ceiling);
  }

  /** New settings of throughput. Balances keep what they have; partitions come as they are needed. */
  setThroughput(throughput: ThroughputSettings, nowMs: number): void {
    checkThroughput(throughput);
    this.advance(nowMs);
    const staysProvisioned = !this.isOnDemand && throughput.mode === 'PROVISIONED';
    if (staysProvisioned && isDecrease(this.throughput, throughput)) {
      this.decreases = noteDecrease(this.decreases, this.nowMs);
      this.isDirty = true;
    }
    this.throughput = throughput;
    this.#setRates();
    growForSettings(this);
  }

  setSettings(settings: PhysicsSettings): void {
    const { mode, effects } = settings;
    this.settings = settings;
    this.isActive = mode !== 'off';
    this.checksTable = effects.tableThroughput;
    this.checksPartitions = effects.partitionCeilings;
    this.checksQuotas = effects.accountQuotas;
    this.splits = effects.partitionSplits;
    this.limitsWrites = !this.isIndex || effects.indexBackPressure;
  }

  /** Whether a request may touch a position now, and if not, what stands against it. Changes no balance. */
  check(isWrite: boolean, place: number, key: Uint8Array, sortAt: number, nowMs: number): number {
    this.advance(nowMs);
    if (isWrite && !this.limitsWrites) return admitted;
    if (this.checksTable && (isWrite ? this.write : this.read).balance <= 0)
      return this.isOnDemand ? overMaximum : overProvisioned;
    if (this.checksQuotas && this.#isOverQuota(isWrite)) return overQuota;
    if (this.checksPartitions) {
      const state = this.#stateFor(this.map.find(place, key, sortAt));
      if ((isWrite ? state.write : state.read).balance <= 0) return overKeyRange;
    }
    return admitted;
  }

  /** Charges what a request consumed at a position. */
  charge(
    isWrite: boolean,
    place: number,
    key: Uint8Array,
    sortAt: number,
    units: number,
    nowMs: number,
  ): void {
    this.advance(nowMs);
    if (!(units > 0)) return;
    const spent = Math.min(units, chargeUnitsMax);
    this.#spendOfTable(isWrite, spent);
    this.#spendOfPartition(this.map.find(place, key, sortAt), isWrite, place, key, sortAt, spent);
  }

  /** Charges a page: its units are spread evenly over the partitions between its first and its last position. */
  chargePage(
    isWrite: boolean,
    first: { readonly place: number; readonly key: Uint8Array; readonly sortAt: number },
    last: { readonly place: number; readonly key: Uint8Array; readonly sortAt: number },
    units: number,
    nowMs: number,
  ): void {
    this.advance(nowMs);
    if (!(units > 0)) return;
    const spent = Math.min(units, chargeUnitsMax);
    this.#spendOfTable(isWrite, spent);
    const one = this.map.find(first.place, first.key, first.sortAt);
    const other = this.map.find(last.place, last.key, last.sortAt);
    const [from, to] = [Math.min(one, other), Math.max(one, other)];
    const each = spent / (to - from + 1);
    for (let i = from; i <= to; i++) {
      const at = i === one ? first : last;
      this.#spendOfPartition(i, isWrite, at.place, at.key, at.sortAt, each);
    }
  }

  /** Counts a refusal of about `units`. */
  noteRefusal(isWrite: boolean, index: number, units: number): void {
    const state = this.#stateFor(index);
    if (isWrite) {
      state.refusedWrites++;
      this.refusedWrites++;
      state.writeAsked.add(this.nowMs, units);
      this.writeAsked.add(this.nowMs, units);
    } else {
      state.refusedReads++;
      this.refusedReads++;
      state.readAsked.add(this.nowMs, units);
      this.readAsked.add(this.nowMs, units);
    }
  }

  /** Items came, went or changed their size. */
  addBytes(place: number, key: Uint8Array, sortAt: number, delta: number): void {
    if (!Number.isFinite(delta) || delta === 0) return;
    const index = this.map.find(place, key, sortAt);
    if (this.map.addBytes(index, delta) > capacityLimits.partitionBytesMax) growForBytes(this, index);
  }

  /** The whole size of the table or index, known when it is opened. */
  setBytes(total: number): void {
    if (!(total >= 0 && total < Number.POSITIVE_INFINITY)) return;
    this.map.scaleBytes(total);
    growForBytes(this, undefined);
  }

  /**
   * Brings the balances of the table up to `nowMs` and closes minutes. A clock that was set back gives nothing, and
   * time goes on from there; a time that is none is ignored.
   */
  advance(nowMs: number): void {
    const elapsedMs = nowMs - this.nowMs;
    if (elapsedMs === 0) return;
    if (!(elapsedMs > 0 && elapsedMs < longStepMs)) {
      if (!(Math.abs(nowMs) <= timeMax)) return;
      if (elapsedMs < 0) {
        this.#goBack(nowMs);
        return;
      }
    }
    const seconds = elapsedMs / 1000;
    this.nowMs = nowMs;
    this.read.refill(seconds);
    this.write.refill(seconds);
    this.readQuota.refill(seconds);
    this.writeQuota.refill(seconds);
    if (nowMs >= this.minuteEndMs) this.#turnMinute();
  }

  tell(what: string): void {
    this.events.push({ atMs: this.nowMs, what });
    if (this.events.length > eventsMax) this.events.shift();
  }

  record(): PartitionRecord {
    return {
      provisionedPeak: this.provisionedPeak,
      onDemandPeak: this.onDemandPeak,
      warm: this.warm,
      decreasedAtMs: this.decreases.decreasedAt ?? 0,
      decreasesThatDay: Math.min(this.decreases.decreasesThatDay, capacityLimits.decreasesPerDayMax),
      growths: this.growths,
      nextId: this.map.nextId,
      partitions: Array.from({ length: this.map.count }, (_, i) => this.map.entry(i)),
    };
  }

  /** Gives back the shared budgets that its partitions hold. */
  release(): void {
    this.isOpen = false;
    for (let i = 0; i < this.map.count; i++) this.dropState(i);
  }

  dropState(index: number): void {
    const state = this.map.stateAt(index);
    if (state === undefined) return;
    if (state.history !== undefined) this.shared.histories--;
    this.dropSample(state);
    this.map.setState(index, undefined);
  }

  dropSample(state: PartitionState): void {
    if (state.sample === undefined) return;
    state.sample = undefined;
    this.shared.samples--;
  }

  historyOf(state: PartitionState): LoadHistory | undefined {
    if (state.history === undefined && this.shared.histories < memoryBounds.partitionHistoriesMax) {
      state.history = new LoadHistory();
      this.shared.histories++;
    }
    return state.history;
  }

  #isOverQuota(isWrite: boolean): boolean {
    if ((isWrite ? this.writeQuota : this.readQuota).balance <= 0) return true;
    const { account } = this.shared;
    if (account === undefined) return false;
    account.advance(this.nowMs);
    return (isWrite ? account.write : account.read).balance <= 0;
  }

  #spendOfTable(isWrite: boolean, units: number): void {
    const { account } = this.shared;
    account?.advance(this.nowMs);
    if (isWrite) {
      this.write.spend(units);
      this.writeQuota.spend(units);
      account?.write.spend(units);
      this.writeUnits += units;
      this.writeGranted.add(this.nowMs, units);
      this.writeAsked.add(this.nowMs, units);
    } else {
      this.read.spend(units);
      this.readQuota.spend(units);
      account?.read.spend(units);
      this.readUnits += units;
      this.readGranted.add(this.nowMs, units);
      this.readAsked.add(this.nowMs, units);
    }
  }

  #spendOfPartition(
    index: number,
    isWrite: boolean,
    place: number,
    key: Uint8Array,
    sortAt: number,
    units: number,
  ): void {
    const state = this.#stateFor(index);
    if (isWrite) {
      state.write.spend(units);
      state.writeUnits += units;
      state.writeAsked.add(this.nowMs, units);
    } else {
      state.read.spend(units);
      state.readUnits += units;
      state.readAsked.add(this.nowMs, units);
    }
    state.sample?.note(place, key, sortAt, units);
  }

  /** The state of a partition, up to date and counting for the current minute. */
  #stateFor(index: number): PartitionState {
    let state = this.map.stateAt(index);
    if (state === undefined) {
      state = new PartitionState(this.nowMs);
      this.map.setState(index, state);
    }
    state.advance(this.nowMs);
    state.minute = this.minute;
    return state;
  }

  #turnMinute(): void {
    closeMinute(this);
    this.#setMinute();
  }

  #setMinute(): void {
    this.minute = Math.floor(this.nowMs / minuteMs);
    this.minuteEndMs = (this.minute + 1) * minuteMs;
  }

  #goBack(nowMs: number): void {
    this.nowMs = nowMs;
    if (nowMs >= this.minuteEndMs - minuteMs) return;
    closeMinute(this);
    this.#setMinute();
  }

  #remember(record: PartitionRecord): void {
    this.provisionedPeak = record.provisionedPeak;
    this.onDemandPeak = record.onDemandPeak;
    this.warm = record.warm;
    this.growths = [...record.growths];
    const { decreasedAtMs, decreasesThatDay } = record;
    if (decreasedAtMs > 0) this.decreases = { decreasedAt: decreasedAtMs, decreasesThatDay };
  }

  #setRates(): void {
    const none = Number.POSITIVE_INFINITY;
    const { throughput } = this;
    const { tableQuota } = this.shared;
    if (this.isOnDemand) {
      this.read.setRate(throughput.maxRead ?? none, onDemandMaximumDepthSeconds);
      this.write.setRate(throughput.maxWrite ?? none, onDemandMaximumDepthSeconds);
      this.readQuota.setRate(tableQuota.read, quotaDepthSeconds);
      this.writeQuota.setRate(tableQuota.write, quotaDepthSeconds);
    } else {
      this.read.setRate(throughput.read, capacityLimits.burstSeconds);
      this.write.setRate(throughput.write, capacityLimits.burstSeconds);
      // Quotas bound what can be provisioned, not what is used of it.
      this.readQuota.setRate(none, quotaDepthSeconds);
      this.writeQuota.setRate(none, quotaDepthSeconds);
    }
  }
}
