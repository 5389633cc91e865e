import type { DynamoError } from '../../model/errors.ts';
import { hashBytes } from '../../model/keys/keys.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import { readItemBytes } from '../../model/stored/stored-item.ts';
import { tableArnIn } from '../../model/tables/table-arn.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { equalBytes } from '../../model/values/bytes.ts';
import { throttlingErrorOf } from '../../physics/explain-verdict.ts';
import type { PhysicsOverrides } from '../../physics/modes.ts';
import type { PartitionMap } from '../../physics/partition-map.ts';
import { type Arm, createPhysics, type PagePosition, type Physics } from '../../physics/physics.ts';
import { placeOf } from '../../physics/place.ts';
import { admitted, type Resource } from '../../physics/resource.ts';
import type { AccessKind } from '../../physics/throttling.ts';
import { throttlingErrorFor } from '../../physics/throttling-cause.ts';
import { writeUnits } from '../../physics/units.ts';
import type { Verdict } from '../../physics/verdict.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Store } from '../../storage/store.ts';
import { layoutOf, needsSplit } from '../change-log/log-layout.ts';
import type { IndexConsumed } from '../consumed.ts';
import type { Caller, Charge, Observer, ThrottleEvent } from '../events.ts';
import type { Admission, Judgement } from '../gates.ts';
import { indexBehaviours } from '../indexes/index-behaviour.ts';
import type { IndexRefusal, IndexThrottle as Throttle, Touch } from '../road.ts';
import { IndexThrottle } from '../road.ts';
import { entryPrefixBytes, type Scope } from '../store-keys.ts';
import type { Table, TableIndex } from '../tables/table-record.ts';
import type { WriteOutcome } from '../writes/write-item.ts';
import { keyName } from './key-name.ts';
import { KnownTables } from './known-tables.ts';
import { ModeSettings } from './mode-settings.ts';
import { ModelTime } from './model-time.ts';
import { loadTable } from './open-tables.ts';
import { startsOf } from './partition-starts.ts';
import type { TableResources } from './table-resources.ts';

/** The sort key begins behind the hash, in keys of tables and of indexes alike. */
const hashAt = entryPrefixBytes;
const sortAt = entryPrefixBytes + hashBytes;

export interface CapacityDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  /** Is told of every touch that was refused, or would have been. */
  readonly observer?: Observer | undefined;
}

/**
 * The physical model beside an engine: it admits the touches of requests, charges what they consumed, and remembers which
 * tables are open. Positions are store keys as they are (prefix, hash of the partition key, sort key), so that nothing
 * is copied, and the name of a key is made only when a verdict or a hot key needs one.
 */
export class Capacity implements Admission {
  readonly model: Physics;
  readonly modes: ModeSettings;
  readonly #deps: CapacityDeps;
  readonly #time: ModelTime;
  readonly #known = new WeakMap<Table, TableResources>();
  readonly #open = new KnownTables();
  #latestTable: Table | undefined;
  #latest: TableResources | undefined;
  /** Called when a record has changed, so that somebody writes it. */
  onChangedRecord: (() => void) | undefined;
  /** Called when the partitions of a followed table are others than the buckets of its change log. */
  onCut: ((scope: Scope, tableName: string, storageId: string) => void) | undefined;

  constructor(
    deps: CapacityDeps,
    settings: PhysicsOverrides,
    ofTables?: ReadonlyMap<string, PhysicsOverrides>,
  ) {
    this.#deps = deps;
    this.#time = new ModelTime(deps.clock);
    this.model = createPhysics({ nowMs: this.#time.nowMs(), settings });
    const { log, store } = deps;
    this.modes = new ModeSettings(this.model, { log, isShared: !store.exclusive }, ofTables);
  }

  get isOff(): boolean {
    return this.modes.isOff;
  }

  /** Whether the resources of a table are at hand. */
  knows(table: Table): boolean {
    return this.#resourcesOf(table) !== undefined;
  }

  /** Opens the resources of a table, with what the store has of their partitions. */
  load(table: Table): MaybePromise<void> {
    const { record, scope, name } = table;
    const { storageId, epoch } = record;
    const known = () => this.#open.get(storageId);
    return whenDone(loadTable(this.#deps, this.model, table, known, this.#time), (resources) => {
      const before = known();
      this.#known.set(table, resources);
      this.#latestTable = table;
      this.#latest = resources;
      // A request that began before a change of the table must not bring the older settings back.
      if (before === resources || (before !== undefined && before.epoch > epoch)) return;
      const arn = tableArnIn(scope, name);
      if (before === undefined) this.#closeNamesake(arn, storageId);
      else for (const gone of before.all()) if (!resources.all().includes(gone)) this.model.close(gone);
      this.#open.set(storageId, resources);
      this.modes.noteTable(arn, record.physics);
      if (resources.all().some(({ isDirty }) => isDirty)) this.onChangedRecord?.();
      const { isActive, map } = resources.main;
      if (isActive && record.followers !== undefined && needsSplit(layoutOf(record), startsOf(map)))
        this.onCut?.(scope, name, storageId);
    });
  }

  /** Forgets a table that was deleted. */
  forget(storageId: string): void {
    const resources = this.#open.delete(storageId);
    if (resources === undefined) return;
    for (const resource of resources.all()) this.model.close(resource);
    this.modes.noteTable(resources.main.identity.arn, undefined);
    this.#latestTable = undefined;
  }

  /** The partitions that a table, or one of its indexes, lies in. */
  mapOf(table: Table, indexName: string | undefined): PartitionMap | undefined {
    const resources = this.#resourcesOf(table);
    return (indexName === undefined ? resources?.main : resources?.ofIndex(indexName))?.map;
  }

  /** The open table of a name. */
  find(scope: Scope, name: string): TableResources | undefined {
    return this.#open.find(tableArnIn(scope, name));
  }

  nowMs(): number {
    return this.#time.nowMs();
  }

  admit(touches: readonly Touch[], caller: Caller): Judgement | undefined {
    if (this.#time.isStill && this.modes.isAnyEnforced) this.#time.noteAttempt(caller);
    let refused: (DynamoError | undefined)[] | undefined;
    let shadowed: Touch[] | undefined;
    const nowMs = this.#time.nowMs();
    for (let i = 0; i < touches.length; i++) {
      const touch = touches[i]!;
      const verdict = this.#judge(touch, nowMs);
      if (verdict === undefined) continue;
      if (verdict.enforced) {
        refused ??= touches.map(() => undefined);
        refused[i] = throttlingErrorOf(verdict);
      } else if (shadowed === undefined) shadowed = [touch];
      else shadowed.push(touch);
    }
    if (refused !== undefined) this.#time.noteRefusal();
    return refused === undefined && shadowed === undefined ? undefined : { refused, shadowed };
  }

  #judge(touch: Touch, nowMs: number): Verdict | undefined {
    const { table, key, access, index } = touch;
    if (table === undefined || key === undefined) return undefined;
    const resource = this.#resourcesOf(table)?.of(index);
    if (resource === undefined) return undefined;
    const place = placeOf(key, hashAt);
    const kind = access as AccessKind;
    const estimate = touch.putBytes === undefined ? 1 : writeUnits(touch.putBytes);
    const verdict = this.model.admit(resource, kind, place, key, sortAt, nowMs, estimate);
    if (verdict !== undefined && verdict.key === undefined && verdict.place === place) {
      const { attributes } = touch;
      const name = attributes && keyName(table, index, attributes);
      if (name !== undefined) this.model.nameKey(resource, place, name);
    }
    if (verdict !== undefined) this.#tell(table, index, kind, verdict, key, touch);
    return verdict;
  }

  #tell(
    table: Table,
    index: TableIndex | undefined,
    access: AccessKind,
    verdict: Verdict,
    key: Uint8Array,
    touch: Pick<Touch, 'attributes'> | undefined,
  ): void {
    const { observer } = this.#deps;
    if (observer?.throttled === undefined) return;
    observer.throttled(new Throttled(table, index, access, verdict, key, touch));
  }

  charge(charges: readonly Charge[], touches: readonly Touch[]): void {
    const nowMs = this.#time.nowMs();
    if (this.#mayBeHeldUp(charges)) {
      this.#settle(charges, touches, nowMs);
      return;
    }
    // One function for all arms of a request: a batch has many.
    const spend: ArmVisitor = ({ table, access }, resource, first, last, units, entry) => {
      if (this.#spend(resource, access, first, last, units, nowMs))
        this.#nameArm(table, resource, first, entry, touches);
      if (resource.isDirty) this.onChangedRecord?.();
    };
    for (let i = 0; i < charges.length; i++) this.#eachArm(charges[i]!, spend);
  }

  /** Whether a write touched global indexes in shadow: it ran whatever they had left. */
  #mayBeHeldUp(charges: readonly Charge[]): boolean {
    for (const { table, access, consumed } of charges) {
      if (access !== 'write' || consumed.indexes.length === 0) continue;
      if (this.#resourcesOf(table)?.main.settings.mode === 'shadow') return true;
    }
    return false;
  }

  /** If an index is in debt, AWS would have refused the write, and with it all actions of its transaction. */
  #settle(charges: readonly Charge[], touches: readonly Touch[], nowMs: number): void {
    const arms: ChargedArm[] = [];
    for (const charge of charges)
      this.#eachArm(charge, ({ table }, resource, first, last, units, entry) => {
        const isIndex = entry !== undefined && indexBehaviours[entry.kind].capacity === 'own';
        const end = first === last ? undefined : positionOf(last);
        arms.push({ table, entry, resource, units, isIndex, position: positionOf(first), last: end });
      });
    const name = ({ table, resource, position, entry }: ChargedArm) =>
      this.#nameArm(table, resource, position.key, entry, touches);
    const held = this.model.settle(arms, nowMs, name);
    if (held === undefined) {
      for (const { resource } of arms) if (resource.isDirty) this.onChangedRecord?.();
      return;
    }
    const { arm, verdict } = held;
    const { table, entry, position } = arm;
    if (verdict.key === undefined && verdict.place === position.place) name(arm);
    const index = table.indexes.find(({ schema }) => schema.name === entry?.name);
    this.#tell(table, index, 'write', verdict, position.key, { attributes: entry?.entry });
  }

  /** The arms of a charge: those of its indexes, then the table's. */
  #eachArm(charge: Charge, visit: ArmVisitor): void {
    const { table, consumed } = charge;
    const resources = this.#resourcesOf(table);
    if (resources === undefined || !resources.main.isActive) return;
    if (resources.main.map.count !== resources.partitions) this.#noteCuts(table, resources);
    const { indexes } = consumed;
    for (let i = 0; i < indexes.length; i++) {
      const entry = indexes[i]!;
      const { first, last, units, unitsAtFirst } = entry;
      if (first === undefined || last === undefined) continue;
      const resource = resources.ofIndex(entry.name);
      if (unitsAtFirst === undefined) visit(charge, resource, first, last, units, entry);
      else {
        // As in `enforce`: where the entry comes to lie, then where a moved entry leaves.
        visit(charge, resource, last, last, units - unitsAtFirst, entry);
        visit(charge, resource, first, first, unitsAtFirst, entry);
      }
    }
    if (consumed.table > 0) {
      // Items that were fetched for entries of a local index lie where the entries lie.
      const first = consumed.first ?? indexes[0]?.first;
      const last = consumed.last ?? indexes[0]?.last;
      if (first !== undefined) visit(charge, resources.main, first, last ?? first, consumed.table, undefined);
    }
  }

  #noteCuts({ scope, name, record, log }: Table, resources: TableResources): void {
    resources.partitions = resources.main.map.count;
    if (log !== undefined) this.onCut?.(scope, name, record.storageId);
  }

  /** Answers whether the name of the key is wanted. */
  #spend(
    resource: Resource,
    kind: AccessKind,
    first: Uint8Array,
    last: Uint8Array,
    units: number,
    nowMs: number,
  ): boolean {
    const { model } = this;
    const place = placeOf(first, hashAt);
    if (first === last) return model.charge(resource, kind, place, first, sortAt, units, nowMs);
    return model.chargePage(resource, kind, { place, key: first, sortAt }, positionOf(last), units, nowMs);
  }

  /** Names the key of an arm that has become hot, or that stands in a verdict. */
  #nameArm(
    table: Table,
    resource: Resource,
    key: Uint8Array,
    entry: IndexConsumed | undefined,
    touches: readonly Touch[],
  ): void {
    if (entry === undefined) this.#nameTouched(table, resource, key, touches);
    // The entry that is at hand lies where the write put it, not where it was taken away.
    else if (entry.unitsAtFirst === undefined || key === entry.last)
      this.#nameEntry(table, resource, entry, placeOf(key, hashAt));
  }

  #nameTouched(table: Table, resource: Resource, key: Uint8Array, touches: readonly Touch[]): void {
    const ofKey = key.subarray(0, sortAt);
    for (const touch of touches) {
      if (touch.table !== table || touch.index !== undefined || touch.key === undefined) continue;
      if (!equalBytes(touch.key.subarray(0, sortAt), ofKey)) continue;
      const { attributes } = touch;
      const name = attributes && keyName(table, undefined, attributes);
      if (name !== undefined) this.model.nameKey(resource, placeOf(key, hashAt), name);
      return;
    }
  }

  #nameEntry(table: Table, resource: Resource, { name, entry }: IndexConsumed, place: number): void {
    const index = table.indexes.find(({ schema }) => schema.name === name);
    const shown = entry && index && keyName(table, index, entry);
    if (shown !== undefined) this.model.nameKey(resource, place, shown);
  }

  /** Only where a table enforces: in shadow an index never refuses, and `charge` finds what would have been. */
  get indexRefusal(): IndexRefusal | undefined {
    return this.modes.isAnyEnforced ? this.#refuseIndex : undefined;
  }

  readonly #refuseIndex: IndexRefusal = (table, index, entryKey) => {
    const resource = this.#resourcesOf(table)?.of(index);
    if (resource === undefined || resource.settings.mode !== 'enforce') return undefined;
    const place = placeOf(entryKey, hashAt);
    const code = this.model.check(resource, 'write', place, entryKey, sortAt, this.#time.nowMs());
    if (code === admitted) return undefined;
    return new IndexThrottle(throttlingErrorFor(resource, 'write', code), table, index, entryKey, code);
  };

  countThrottle({ table, index, entryKey, code }: Throttle): void {
    const resource = this.#resourcesOf(table)?.of(index);
    if (resource === undefined) return;
    const place = placeOf(entryKey, hashAt);
    this.#time.noteRefusal();
    const verdict = this.model.refuse(resource, 'write', place, entryKey, sortAt, code, this.#time.nowMs());
    this.#tell(table, index, 'write', verdict, entryKey, undefined);
  }

  /** Tells the model how the bytes stored in partitions grew or shrank. */
  noteGrowth({ table, storedBefore, storedAfter, indexChanges, consumed }: WriteOutcome): void {
    if (this.isOff) return;
    const resources = this.#resourcesOf(table);
    const key = consumed.first;
    if (resources === undefined || key === undefined) return;
    const growth = bytesOf(storedAfter) - bytesOf(storedBefore);
    if (growth !== 0) this.model.addBytes(resources.main, placeOf(key, hashAt), key, sortAt, growth);
    for (const { index, before, after } of indexChanges) {
      const resource = resources.of(index);
      if (before !== undefined)
        this.model.addBytes(resource, placeOf(before.key, hashAt), before.key, sortAt, -before.bytes);
      if (after !== undefined)
        this.model.addBytes(resource, placeOf(after.key, hashAt), after.key, sortAt, after.bytes);
    }
  }

  /** A request asks several times in a row for the table that the one before asked for. */
  #resourcesOf(table: Table): TableResources | undefined {
    const found = table === this.#latestTable ? this.#latest : this.#known.get(table);
    if (found === undefined || !found.areOpen) return undefined;
    this.#latestTable = table;
    this.#latest = found;
    return found;
  }

  /** A table that was made again under its old name has another storage id; the one before is gone. */
  #closeNamesake(arn: string, storageId: string): void {
    const before = this.#open.storageIdOf(arn);
    if (before !== undefined && before !== storageId) this.forget(before);
  }
}

/** Called with each arm of a charge; `entry` is the index that is charged, undefined for the table's own arm. */
type ArmVisitor = (
  charge: Charge,
  resource: Resource,
  first: Uint8Array,
  last: Uint8Array,
  units: number,
  entry: IndexConsumed | undefined,
) => void;

interface ChargedArm extends Arm {
  readonly table: Table;
  readonly entry: IndexConsumed | undefined;
}

function positionOf(key: Uint8Array): PagePosition {
  return { place: placeOf(key, hashAt), key, sortAt };
}

/** In `shadow` a busy table is told of at every request: attributes are made for who asks. */
class Throttled implements ThrottleEvent {
  readonly table: Table;
  readonly index: TableIndex | undefined;
  readonly access: AccessKind;
  readonly verdict: Verdict;
  readonly key: Uint8Array;
  readonly #touch: Pick<Touch, 'attributes'> | undefined;

  constructor(
    table: Table,
    index: TableIndex | undefined,
    access: AccessKind,
    verdict: Verdict,
    key: Uint8Array,
    touch: Pick<Touch, 'attributes'> | undefined,
  ) {
    this.table = table;
    this.index = index;
    this.access = access;
    this.verdict = verdict;
    this.key = key;
    this.#touch = touch;
  }

  get attributes(): Item | undefined {
    return this.#touch?.attributes;
  }
}

function bytesOf(stored: Uint8Array | undefined): number {
  return stored === undefined ? 0 : readItemBytes(stored);
}
