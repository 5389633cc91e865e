import {
  readScopedKey,
  type Scope,
  scalingActivityKind,
  scalingKind,
  scopePrefix,
} from '../../engine/store-keys.ts';
import { concatBytes, prefixEnd } from '../../model/values/bytes.ts';
import { encodeUtf8 } from '../../model/values/utf8.ts';
import type { Entry, Mutation, Store } from '../../storage/store.ts';
import { momentKey } from '../alarms/moment-key.ts';
import { commitEdits, type ExpectedRecord, type RecordEdit } from '../record-edit.ts';
import {
  type ActivityRecord,
  activityRecord,
  type PolicyRecord,
  type ScalingKinds,
  scalingRecords,
  type TargetName,
} from './scaling-records.ts';

type Kind = keyof ScalingKinds;
/** The letter of each kind in its keys. */
const letters: Readonly<Record<Kind, string>> = { target: 't', policy: 'p', schedule: 's' };

const kinds: readonly Kind[] = ['target', 'policy', 'schedule'];

/** Activities are kept for six weeks, as on the service. */
const activityMs = 42 * 86_400_000;

export interface ScalingBookDeps {
  readonly store: Store;
  readonly nowMs: () => number;
  readonly nextNumber: () => number;
}

/** Targets, policies, scheduled actions and activities in the store. */
export class ScalingBook {
  readonly #deps: ScalingBookDeps;

  constructor(deps: ScalingBookDeps) {
    this.#deps = deps;
  }

  async get<K extends Kind>(
    scope: Scope,
    kind: K,
    target: TargetName,
    name = '',
  ): Promise<ScalingKinds[K] | undefined> {
    const key = keyOf(scope, kind, target, name);
    const stored = await this.#deps.store.get(key);
    return stored && scalingRecords[kind].decode(stored, key);
  }

  /** Changes one record in a unit: a new one, null to delete it, undefined to leave it. `decide` is pure. */
  async change<K extends Kind, R>(
    scope: Scope,
    kind: K,
    target: TargetName,
    name: string,
    decide: (before: ScalingKinds[K] | undefined) => {
      readonly result: R;
      readonly record?: ScalingKinds[K] | null;
    },
  ): Promise<R> {
    const key = keyOf(scope, kind, target, name);
    return this.#deps.store.transact<R>({
      reads: [key],
      decide: ({ values: [stored] }) => {
        const { result, record } = decide(stored && scalingRecords[kind].decode(stored, key));
        const mutations: Mutation[] = [];
        if (record === null) mutations.push({ kind: 'delete', key });
        else if (record !== undefined)
          mutations.push({ kind: 'put', key, value: scalingRecords[kind].encode(record) });
        return { result, mutations };
      },
    });
  }

  /** What a unit does to one record: several may share a unit. */
  edit<K extends Kind>(
    scope: Scope,
    kind: K,
    target: TargetName,
    name: string,
    decide: (before: ScalingKinds[K] | undefined) => ScalingKinds[K] | null | undefined,
  ): RecordEdit {
    const key = keyOf(scope, kind, target, name);
    return {
      key,
      decide(stored) {
        const record = decide(stored && scalingRecords[kind].decode(stored, key));
        if (record === undefined || (record === null && stored === undefined)) return [];
        return [
          record === null
            ? { kind: 'delete', key }
            : { kind: 'put', key, value: scalingRecords[kind].encode(record) },
        ];
      },
    };
  }

  /** A target that must exist when a unit is committed. */
  isRegistered(scope: Scope, target: TargetName): ExpectedRecord {
    return { key: keyOf(scope, 'target', target, ''), isMet: (stored) => stored !== undefined };
  }

  /** A policy that must be the one that was read, or still be missing. */
  isPolicy(scope: Scope, target: TargetName, name: string, read: PolicyRecord | undefined): ExpectedRecord {
    const key = keyOf(scope, 'policy', target, name);
    return {
      key,
      isMet: (stored) =>
        JSON.stringify(stored && scalingRecords.policy.decode(stored, key)) === JSON.stringify(read),
    };
  }

  /** Commits edits of records, and of alarms, in one unit. False if something expected is not so. */
  changeAll(edits: readonly RecordEdit[], expected: readonly ExpectedRecord[] = []): Promise<boolean> {
    return commitEdits(this.#deps.store, edits, expected);
  }

  /** The records of a kind in a scope, or those of one target, in the order of their keys. */
  async *records<K extends Kind>(
    scope: Scope,
    kind: K,
    target?: TargetName,
  ): AsyncGenerator<ScalingKinds[K], void> {
    const prefix =
      target === undefined
        ? concatBytes(scopePrefix(scalingKind, scope), encodeUtf8(letters[kind]))
        : keyOf(scope, kind, target, '');
    for await (const { key, value } of this.#entries(prefix, prefixEnd(prefix)!))
      yield scalingRecords[kind].decode(value, key);
  }

  /** Everything that scales, by scope. */
  async *everything(): AsyncGenerator<
    { readonly scope: Scope } & { readonly [K in Kind]?: ScalingKinds[K] },
    void
  > {
    const from = Uint8Array.of(scalingKind);
    for await (const { key, value } of this.#entries(from, Uint8Array.of(scalingKind + 1))) {
      const { scope, rest } = readScopedKey(key);
      const letter = String.fromCharCode(rest[0]!);
      const kind = kinds.find((each) => letters[each] === letter);
      if (kind !== undefined) yield { scope, [kind]: scalingRecords[kind].decode(value, key) };
    }
  }

  async addActivity(scope: Scope, activity: ActivityRecord): Promise<void> {
    const { store, nowMs, nextNumber } = this.#deps;
    const prefix = scopePrefix(scalingActivityKind, scope);
    const key = momentKey(prefix, activity.startedAt, nextNumber());
    await store.transact({
      reads: [],
      decide: () => ({
        result: undefined,
        mutations: [{ kind: 'put', key, value: activityRecord.encode(activity) }],
      }),
    });
    await store.deleteRange(prefix, momentKey(prefix, Math.max(0, nowMs() - activityMs), 0));
  }

  /** Activities, latest first. */
  async *activities(scope: Scope): AsyncGenerator<ActivityRecord, void> {
    const prefix = scopePrefix(scalingActivityKind, scope);
    for await (const { key, value } of this.#entries(prefix, prefixEnd(prefix)!, true))
      yield activityRecord.decode(value, key);
  }

  async *#entries(from: Uint8Array, to: Uint8Array, reverse = false): AsyncGenerator<Entry, void> {
    let [low, high] = [from, to];
    for (;;) {
      const page = await this.#deps.store.range({ from: low, to: high, limit: pageSize, reverse });
      yield* page.entries;
      const last = page.entries.at(-1);
      if (!page.more || last === undefined) return;
      if (reverse) high = last.key;
      else low = concatBytes(last.key, Uint8Array.of(0));
    }
  }
}

const pageSize = 200;

/** Names are separated by a zero byte, which none of them may have. */
function keyOf(scope: Scope, kind: Kind, { resourceId, dimension }: TargetName, name: string): Uint8Array {
  const text = `${letters[kind]}${resourceId}\0${dimension}\0${name}`;
  return concatBytes(scopePrefix(scalingKind, scope), encodeUtf8(text));
}
