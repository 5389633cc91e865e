import { capacityLimits } from '../model/limits.ts';
import { AccountBuckets } from './account-buckets.ts';
import { gradedConstants, memoryBounds } from './constants.ts';
import { describeResource, type ResourceDescription } from './describe-resource.ts';
import { HotKeys, type KeyLoad } from './hot-keys.ts';
import {
  defaultPhysicsSettings,
  mergeSettings,
  type PhysicsOverrides,
  type PhysicsSettings,
} from './modes.ts';
import { encodePartitionRecord, type PartitionRecord, type Throughput } from './partition-record.ts';
import { Refusals } from './refusals.ts';
import { admitted, Resource, type ResourceIdentity, type SharedState } from './resource.ts';
import type { AccessKind } from './throttling.ts';
import type { ThroughputSettings } from './throughput-settings.ts';
import type { Verdict } from './verdict.ts';

/**
 * The public surface of the physical model: what AWS's hardware would do to this workload. It is pure. It reads no
 * clock, does no I/O and holds bounded memory; time comes in as `nowMs`, milliseconds since 1970 with fractions.
 *
 * **How a pipeline uses it.**
 *
 * 1. When a table is loaded, `open` it and each of its global indexes once, with the record that the store has of its
 *    partitions, if any, and keep the `Resource`s beside the table. A local index uses its table's. After UpdateTable
 *    call `update`, after DeleteTable or an index deletion `close`. Open a resource again when its `isOpen` is false.
 * 2. `admit`, before a request runs: for each touch (table or index, read or write, position) call
 *
 *        const verdict = physics.admit(resource, 'write', placeOf(key, hashAt), key, hashAt + 16, nowMs, estimate);
 *
 *    `key` is the store key and its sort key begins behind the hash. `estimate` is how many units the request is going
 *    to take, if that is known (the size of a put); it only serves the figures of a verdict. A verdict with `enforced`
 *    is acted out: `throttlingErrorOf(verdict)`, an Unprocessed entry, or a cancellation reason. One without is shadow:
 *    the request runs, and its consumption is **not** charged. If `verdict.key` is undefined, name the key with
 *    `physics.nameKey(resource, place, 'SHIPMENT#881')`.
 * 3. Inside `decide`, where the entries of global indexes become known: `physics.check(index, 'write', …)` tells whether
 *    an index must refuse, and why, as a number. It changes nothing, so `decide` may run twice. In `enforce`, `decide`
 *    then answers a throttle, and the pipeline calls `physics.refuse` with the number once, on the final outcome.
 * 4. `meter`, after the run, once per final outcome: `charge` each arm with what it really consumed, or `chargePage`
 *    with the first and last position of a page. For a write to several arms in shadow use `settle`, which charges
 *    nothing if one of the indexes would have refused. `charge` answers whether the key has become hot and wants a name.
 * 5. Now and then, `takeChangedRecords` hands out what the store should keep. One leased owner writes it.
 *
 * Requests under way at the same time are admitted on the same balance, so each can exceed a limit by one request, as
 * on the service.
 */
export interface PhysicsOptions {
  readonly nowMs: number;
  readonly settings?: PhysicsOverrides;
  /** Units a second that one on-demand table or index may consume; 40,000 of each by default. */
  readonly tableQuota?: Throughput;
  /** Units a second that all tables together may consume. AWS documents none for on-demand tables. */
  readonly accountQuota?: Throughput;
}

/** One arm of a write, for `settle`. */
export interface Arm {
  readonly resource: Resource;
  readonly position: PagePosition;
  /** The last position, where a write of several items is charged as one. */
  readonly last?: PagePosition | undefined;
  readonly units: number;
  /** Set for an entry of a global index, which may hold the write up. */
  readonly isIndex: boolean;
}

/** A write that AWS would have refused for one of its arms. */
export interface HeldUp<A extends Arm> {
  readonly arm: A;
  readonly verdict: Verdict;
}

/** The record of a resource, as `takeChangedRecords` hands it out. */
export interface ChangedRecord {
  readonly resource: Resource;
  readonly bytes: Uint8Array;
}

export interface PagePosition {
  readonly place: number;
  readonly key: Uint8Array;
  readonly sortAt: number;
}

export interface OpenOptions {
  readonly record?: PartitionRecord | undefined;
  /** The bytes stored, if they are known. */
  readonly bytes?: number | undefined;
  readonly settings?: PhysicsOverrides | undefined;
}

export function createPhysics(options: PhysicsOptions): Physics {
  return new Physics(options);
}

export class Physics {
  readonly #resources = new Map<string, Resource>();
  readonly #overrides = new Map<string, PhysicsOverrides>();
  readonly #shared: SharedState;
  readonly #hotKeys = new HotKeys();
  readonly #refusals = new Refusals(this.#hotKeys);
  #settings: PhysicsSettings;
  #opened = 0;

  constructor({ nowMs, settings, tableQuota, accountQuota }: PhysicsOptions) {
    const table = capacityLimits.tableUnitsPerSecondMax;
    this.#settings = mergeSettings(defaultPhysicsSettings, settings);
    this.#shared = {
      tableQuota: tableQuota ?? { read: table, write: table },
      account: accountQuota === undefined ? undefined : new AccountBuckets(accountQuota, nowMs),
      histories: 0,
      samples: 0,
    };
  }

  get settings(): PhysicsSettings {
    return this.#settings;
  }

  /** Changes the settings of the server. They hold from the next request on. */
  setSettings(overrides: PhysicsOverrides): void {
    this.#settings = mergeSettings(this.#settings, overrides);
    for (const resource of this.#resources.values()) this.#applySettings(resource);
  }

  /** Settings of one table, with its indexes; undefined takes them back. */
  setTableSettings(tableArn: string, overrides: PhysicsOverrides | undefined): void {
    if (overrides === undefined) this.#overrides.delete(tableArn);
    else this.#overrides.set(tableArn, overrides);
    for (const resource of this.#resources.values())
      if (tableArnOf(resource.identity) === tableArn) this.#applySettings(resource);
  }

  /**
   * The state of a table or index. Opening one that is open answers the same state, brought to the given settings. At
   * most `resourcesMax` are listed; those opened longest ago leave, if possible those whose records are not changed.
   */
  open(
    identity: ResourceIdentity,
    throughput: ThroughputSettings,
    nowMs: number,
    { record, bytes, settings }: OpenOptions = {},
  ): Resource {
    const known = this.#resources.get(identity.id);
    if (settings !== undefined) this.#overrides.set(tableArnOf(identity), settings);
    if (known !== undefined) {
      known.setThroughput(throughput, nowMs);
      this.#applySettings(known);
      this.#resources.delete(identity.id);
      this.#resources.set(identity.id, known);
      return known;
    }
    const resource = new Resource(this.#opened++, identity, throughput, this.#shared, nowMs, record);
    this.#applySettings(resource);
    if (bytes !== undefined) resource.setBytes(bytes);
    if (this.#resources.size >= memoryBounds.resourcesMax) this.#evictOldest();
    this.#resources.set(identity.id, resource);
    return resource;
  }

  update(resource: Resource, throughput: ThroughputSettings, nowMs: number): void {
    resource.setThroughput(throughput, nowMs);
  }

  /** Forgets a table or index that is gone. Settings of its name stay: they hold for a table that is made again. */
  close(resource: Resource): void {
    this.#resources.delete(resource.identity.id);
    this.#hotKeys.forget(resource.number);
    resource.release();
  }

  /** Judges one touch before it runs. Undefined: it may run. */
  admit(
    resource: Resource,
    kind: AccessKind,
    place: number,
    key: Uint8Array,
    sortAt: number,
    nowMs: number,
    estimate = 1,
  ): Verdict | undefined {
    if (!resource.isActive) return undefined;
    const code = resource.check(kind === 'write', place, key, sortAt, nowMs);
    return code === admitted
      ? undefined
      : this.#refusals.refuse(resource, kind, place, key, sortAt, code, estimate);
  }

  /** What would stand against a touch now: 0 for nothing. Tells nobody and changes nothing: for `decide`. */
  check(
    resource: Resource,
    kind: AccessKind,
    place: number,
    key: Uint8Array,
    sortAt: number,
    nowMs: number,
  ): number {
    return resource.isActive ? resource.check(kind === 'write', place, key, sortAt, nowMs) : admitted;
  }

  /** Records a refusal for which `check` gave the code. */
  refuse(
    resource: Resource,
    kind: AccessKind,
    place: number,
    key: Uint8Array,
    sortAt: number,
    code: number,
    nowMs: number,
    estimate = 1,
  ): Verdict {
    resource.advance(nowMs);
    return this.#refusals.refuse(resource, kind, place, key, sortAt, code, estimate);
  }

  /** Charges what was consumed. Answers whether the name of the key is wanted. */
  charge(
    resource: Resource,
    kind: AccessKind,
    place: number,
    key: Uint8Array,
    sortAt: number,
    units: number,
    nowMs: number,
  ): boolean {
    if (!resource.isActive || !(units > 0)) return false;
    const isWrite = kind === 'write';
    resource.charge(isWrite, place, key, sortAt, units, nowMs);
    return this.#hotKeys.charge(resource.number, place, isWrite, units, resource.nowMs);
  }

  /** Charges a page between its first and last position. Answers whether the name of its only key is wanted. */
  chargePage(
    resource: Resource,
    kind: AccessKind,
    first: PagePosition,
    last: PagePosition,
    units: number,
    nowMs: number,
  ): boolean {
    if (!resource.isActive || !(units > 0)) return false;
    const isWrite = kind === 'write';
    resource.chargePage(isWrite, first, last, units, nowMs);
    if (first.place !== last.place) return false;
    return this.#hotKeys.charge(resource.number, first.place, isWrite, units, resource.nowMs);
  }

  /**
   * Charges all arms of one write that has run: the table's first, then the indexes'. In shadow, where the write ran
   * whatever the indexes had left, an index in debt means that AWS would have refused the write: then nothing is charged
   * and the arm with its verdict is the answer. `wantsName` gets the arms whose key has become hot.
   */
  settle<A extends Arm>(
    arms: readonly A[],
    nowMs: number,
    wantsName: (arm: A) => void = () => {},
  ): HeldUp<A> | undefined {
    for (const arm of arms) {
      const { resource, position, units, isIndex } = arm;
      if (!isIndex || resource.settings.mode !== 'shadow') continue;
      const { place, key, sortAt } = position;
      const verdict = this.admit(resource, 'write', place, key, sortAt, nowMs, units);
      if (verdict !== undefined) return { arm, verdict };
    }
    for (const arm of arms) if (this.#chargeArm(arm, nowMs)) wantsName(arm);
    return undefined;
  }

  #chargeArm({ resource, position, last, units }: Arm, nowMs: number): boolean {
    if (last !== undefined) return this.chargePage(resource, 'write', position, last, units, nowMs);
    const { place, key, sortAt } = position;
    return this.charge(resource, 'write', place, key, sortAt, units, nowMs);
  }

  /** Tells that the stored bytes at a position grew or shrank. */
  addBytes(resource: Resource, place: number, key: Uint8Array, sortAt: number, delta: number): void {
    if (resource.isActive) resource.addBytes(place, key, sortAt, delta);
  }

  /** How a partition key is shown to people. */
  nameKey(resource: Resource, place: number, text: string): void {
    this.#hotKeys.name(resource.number, place, text);
    const name = this.#hotKeys.nameOf(resource.number, place);
    for (const verdict of resource.recentVerdicts) if (verdict.place === place) verdict.key = name;
  }

  hotKeys(resource: Resource, count: number, nowMs: number): KeyLoad[] {
    return this.#hotKeys.top(resource.number, count, nowMs);
  }

  /** Oldest first; of one table with its indexes, if its name is given. */
  verdicts(tableName?: string): Verdict[] {
    return this.#refusals.list(tableName);
  }

  resources(): IterableIterator<Resource> {
    return this.#resources.values();
  }

  /** The map, the load of the last hour and the busiest keys. Brings the resource up to date first. */
  describe(resource: Resource, nowMs: number): ResourceDescription {
    resource.advance(nowMs);
    return describeResource(resource, this.hotKeys(resource, 10, resource.nowMs));
  }

  /** The assumptions behind every verdict. */
  get constants(): typeof gradedConstants {
    return gradedConstants;
  }

  get hasChangedRecords(): boolean {
    for (const { isDirty } of this.#resources.values()) if (isDirty) return true;
    return false;
  }

  /** The records that have changed since they were last taken, to be written to the store. */
  takeChangedRecords(): ChangedRecord[] {
    const taken: ChangedRecord[] = [];
    for (const resource of this.#resources.values()) {
      if (!resource.isDirty) continue;
      resource.isDirty = false;
      taken.push({ resource, bytes: encodePartitionRecord(resource.record()) });
    }
    return taken;
  }

  /** Takes back records that could not be written. */
  giveBack(taken: readonly ChangedRecord[]): void {
    for (const { resource } of taken) resource.isDirty = true;
  }

  #applySettings(resource: Resource): void {
    resource.setSettings(mergeSettings(this.#settings, this.#overrides.get(tableArnOf(resource.identity))));
  }

  /**
   * An eighth leaves at a time: to find the oldest of a Map costs as much as were deleted before it. Numbers are not used
   * again, so the hot keys of those that leave are nobody's and give way to others.
   */
  #evictOldest(): void {
    const wanted = Math.ceil(memoryBounds.resourcesMax / 8);
    const oldest = [...this.#resources.values()];
    const leaving = oldest.filter(({ isDirty }) => !isDirty).slice(0, wanted);
    for (const resource of leaving.length === wanted ? leaving : oldest.slice(0, wanted)) {
      this.#resources.delete(resource.identity.id);
      resource.release();
    }
  }
}

/** The ARN of the table that a table or index belongs to. */
function tableArnOf({ arn, indexName }: ResourceIdentity): string {
  return indexName === undefined ? arn : arn.slice(0, arn.length - `/index/${indexName}`.length);
}
