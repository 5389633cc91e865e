import { type ItemJson, migrationKey, type Phase } from '../design/index.ts';
import { nameOfError } from '../kit/error-class.ts';
import type { MigrationSurroundings } from './migration-calls.ts';
import { MigrationError } from './migration-error.ts';
import type { PatientCalls } from './patient-calls.ts';

/** Where a migration stands. Programs read the phase from here, runners everything. */
export interface MigrationState {
  readonly plan: string;
  readonly phase: Phase;
  /** Steps that are done, in order. */
  readonly done: readonly string[];
  /** `down` while a rollback is under way. */
  readonly direction: 'up' | 'down';
  /** Somebody said that all writers write by the new model. */
  readonly writersReady: boolean;
  /** Readers are on their way back to the old keys, and not every program may know yet. */
  readonly returning?: boolean;
  /** The step whose index is being made, or was the last to be. */
  readonly making?: string;
  /** All steps are done. */
  readonly ended: boolean;
  /** Plans of earlier migrations that came to their end, whose programs may still run. */
  readonly finished?: readonly string[];
  readonly startedMs: number;
  /** The identities of the tables when the migration began. */
  readonly tables: Readonly<Record<string, string>>;
}

/** How far one segment of a pass has come. */
export interface SegmentState {
  /** The key behind which it goes on; null at the beginning. */
  readonly at: ItemJson | null;
  readonly ended: boolean;
  readonly counts: Readonly<Record<string, number>>;
  /** How many segments the pass has. */
  readonly of: number;
}

/** An entry of a migration's history, as the table keeps it. */
export interface HistoryEntry {
  readonly at: string;
  readonly plan: string;
  readonly event: string;
  readonly text: string;
}

const leaseMs = 20_000;

/**
 * The state of a migration, in the table itself: `state`, `lock`, `history#…` and `segment#…` under one partition key.
 * A runner holds the lock for twenty seconds at a time. Its number rises with each runner, and a checkpoint of an earlier
 * one is refused, so that two runners never share a step.
 */
export class StateStore {
  readonly table: string;
  readonly #names: { readonly partitionKey: string; readonly sortKey: string };
  readonly #calls: PatientCalls;
  readonly #surroundings: MigrationSurroundings;
  readonly #owner: string;
  /** Whether a runner that holds the lock is known to be dead. */
  readonly #isGone: (owner: string) => boolean;
  #fence = 0;
  #renewedMs = Number.NEGATIVE_INFINITY;
  #entries = 0;

  constructor(
    table: string,
    names: { readonly partitionKey: string; readonly sortKey: string },
    calls: PatientCalls,
    surroundings: MigrationSurroundings,
    owner: string,
    isGone: (owner: string) => boolean,
  ) {
    this.table = table;
    this.#names = names;
    this.#calls = calls;
    this.#surroundings = surroundings;
    this.#owner = owner;
    this.#isGone = isGone;
  }

  key(sort: string): ItemJson {
    return { [this.#names.partitionKey]: { S: migrationKey.partition }, [this.#names.sortKey]: { S: sort } };
  }

  async #get(sort: string): Promise<ItemJson | undefined> {
    const { Item } = await this.#calls.call<{ readonly Item?: ItemJson }>('GetItem', {
      ...{ TableName: this.table, Key: this.key(sort), ConsistentRead: true },
    });
    return Item;
  }

  #put(sort: string, fields: ItemJson, more: object = {}): Promise<unknown> {
    return this.#calls.call('PutItem', {
      TableName: this.table,
      Item: { ...this.key(sort), _type: { S: 'Migration' }, ...fields },
      ...more,
    });
  }

  // ---- the lock

  async acquire(): Promise<void> {
    const now = this.#surroundings.now();
    const found = await this.#first();
    const before = numberOf(found, 'fence');
    const fence = 1 + (found === undefined ? await this.#lastFence() : before);
    const held = numberOf(found, 'expires');
    const holder = textOf(found, 'owner');
    if (holder !== this.#owner && held > now && !this.#isGone(holder)) throw locked(holder, held - now);
    try {
      await this.#put(
        'lock',
        {
          owner: { S: this.#owner },
          expires: { N: String(now + leaseMs) },
          fence: { N: String(fence) },
        },
        {
          ConditionExpression: `attribute_not_exists(${this.#names.partitionKey}) OR fence = :before`,
          ExpressionAttributeValues: { ':before': { N: String(before) } },
        },
      );
    } catch (error) {
      if (nameOfError(error) === 'ConditionalCheckFailedException') throw locked('another runner', leaseMs);
      throw error;
    }
    this.#fence = fence;
    this.#renewedMs = now;
  }

  /** The highest number in the records, for a lock that somebody removed by hand: a new one must not begin below them. */
  async #lastFence(): Promise<number> {
    let last = 0;
    for (const prefix of [migrationKey.state, 'segment#'])
      await this.#each(prefix, (item) => {
        last = Math.max(last, numberOf(item, 'fence'));
      });
    return last;
  }

  async #first(): Promise<ItemJson | undefined> {
    try {
      return await this.#get('lock');
    } catch (error) {
      if (nameOfError(error) !== 'ResourceNotFoundException') throw error;
      throw new MigrationError(
        'schema',
        `There is no table ${this.table}.`,
        'See that the endpoint, the region and the names of the tables are right.',
        error,
      );
    }
  }

  /** Holds the lock a while longer, if a third of its time is over. */
  async keep(): Promise<void> {
    const now = this.#surroundings.now();
    if (now - this.#renewedMs < leaseMs / 3) return;
    this.#renewedMs = now;
    try {
      await this.#calls.call('UpdateItem', {
        TableName: this.table,
        Key: this.key('lock'),
        UpdateExpression: 'SET expires = :expires',
        ConditionExpression: 'fence = :fence',
        ExpressionAttributeValues: {
          ':expires': { N: String(now + leaseMs) },
          ':fence': { N: String(this.#fence) },
        },
      });
    } catch (error) {
      throw this.#lost(error);
    }
  }

  async release(calls: PatientCalls): Promise<void> {
    try {
      await calls.call('UpdateItem', {
        TableName: this.table,
        Key: this.key('lock'),
        UpdateExpression: 'SET expires = :expires',
        ConditionExpression: 'fence = :fence',
        ExpressionAttributeValues: { ':expires': { N: '0' }, ':fence': { N: String(this.#fence) } },
      });
    } catch (error) {
      if (nameOfError(error) !== 'ConditionalCheckFailedException') throw error;
    }
  }

  /** Whoever holds the lock at this moment. */
  async holder(): Promise<string | undefined> {
    const found = await this.#get('lock');
    return numberOf(found, 'expires') > this.#surroundings.now() ? textOf(found, 'owner') : undefined;
  }

  #lost(error: unknown): unknown {
    if (nameOfError(error) !== 'ConditionalCheckFailedException') return error;
    return new MigrationError(
      'locked',
      'Another runner has taken the migration over while this one was held up.',
      'This one has stopped; the other goes on.',
      error,
    );
  }

  // ---- the state

  async state(): Promise<MigrationState | undefined> {
    const text = textOf(await this.#get(migrationKey.state), 'state');
    return text === '' ? undefined : (JSON.parse(text) as MigrationState);
  }

  async setState(state: MigrationState): Promise<void> {
    try {
      await this.#put(
        migrationKey.state,
        {
          // Programs read these; the rest is for runners.
          plan: { S: state.plan },
          phase: { S: state.phase },
          ...(state.finished === undefined || state.finished.length === 0
            ? {}
            : { finished: { SS: [...state.finished] } }),
          state: { S: JSON.stringify(state) },
          fence: { N: String(this.#fence) },
        },
        this.#fenced,
      );
    } catch (error) {
      throw this.#lost(error);
    }
  }

  get #fenced() {
    return {
      ConditionExpression: 'attribute_not_exists(fence) OR fence <= :fence',
      ExpressionAttributeValues: { ':fence': { N: String(this.#fence) } },
    };
  }

  // ---- checkpoints

  /** Where the segments of a pass are. None if some are missing: a run died while it made them or took them away. */
  async segments(step: string): Promise<SegmentState[]> {
    const found: SegmentState[] = [];
    await this.#each(`segment#${step}#`, (item) => found.push(segmentOf(item)));
    return found.every(({ of }) => of === found.length) ? found : [];
  }

  async saveSegment(step: string, segment: number, state: SegmentState): Promise<void> {
    try {
      await this.#put(
        segmentSort(step, segment),
        {
          at: state.at === null ? { NULL: true } : { M: state.at },
          ended: { BOOL: state.ended },
          counts: { S: JSON.stringify(state.counts) },
          of: { N: String(state.of) },
          fence: { N: String(this.#fence) },
        },
        this.#fenced,
      );
    } catch (error) {
      throw this.#lost(error);
    }
  }

  /** Takes the checkpoints of a step away, or those of all steps. */
  async dropSegments(step?: string): Promise<void> {
    const keys: ItemJson[] = [];
    const { partitionKey, sortKey } = this.#names;
    await this.#each(step === undefined ? 'segment#' : `segment#${step}#`, (item) =>
      keys.push({ [partitionKey]: item[partitionKey]!, [sortKey]: item[sortKey]! }),
    );
    for (const Key of keys) await this.#calls.call('DeleteItem', { TableName: this.table, Key });
  }

  // ---- history

  async note(plan: string, event: string, text: string): Promise<void> {
    const at = new Date(this.#surroundings.now()).toISOString();
    const place = `${String(this.#fence).padStart(6, '0')}-${String(this.#entries++).padStart(6, '0')}`;
    await this.#put(`history#${at}#${place}`, {
      ...{ plan: { S: plan }, event: { S: event }, text: { S: text }, runner: { S: this.#owner } },
    });
  }

  async history(): Promise<HistoryEntry[]> {
    const found: HistoryEntry[] = [];
    await this.#each('history#', (item) =>
      found.push({
        at: textOf(item, this.#names.sortKey).split('#')[1]!,
        plan: textOf(item, 'plan'),
        event: textOf(item, 'event'),
        text: textOf(item, 'text'),
      }),
    );
    return found;
  }

  async #each(prefix: string, take: (item: ItemJson) => void): Promise<void> {
    let from: ItemJson | undefined;
    do {
      const page: { readonly Items?: readonly ItemJson[]; readonly LastEvaluatedKey?: ItemJson } =
        await this.#calls.call('Query', {
          TableName: this.table,
          ConsistentRead: true,
          KeyConditionExpression: '#p = :p AND begins_with(#s, :s)',
          ExpressionAttributeNames: { '#p': this.#names.partitionKey, '#s': this.#names.sortKey },
          ExpressionAttributeValues: { ':p': { S: migrationKey.partition }, ':s': { S: prefix } },
          ...(from === undefined ? {} : { ExclusiveStartKey: from }),
        });
      for (const item of page.Items ?? []) take(item);
      from = page.LastEvaluatedKey;
    } while (from !== undefined);
  }
}

function segmentSort(step: string, segment: number): string {
  return `segment#${step}#${String(segment).padStart(4, '0')}`;
}

function segmentOf(item: ItemJson): SegmentState {
  const { at, ended } = item;
  return {
    at: at !== undefined && 'M' in at ? at.M : null,
    ended: ended !== undefined && 'BOOL' in ended && ended.BOOL,
    counts: JSON.parse(textOf(item, 'counts') || '{}') as Record<string, number>,
    of: numberOf(item, 'of'),
  };
}

function textOf(item: ItemJson | undefined, name: string): string {
  const value = item?.[name];
  return value !== undefined && 'S' in value ? value.S : '';
}

function numberOf(item: ItemJson | undefined, name: string): number {
  const value = item?.[name];
  return value !== undefined && 'N' in value ? Number(value.N) : 0;
}

function locked(owner: string, ms: number): MigrationError {
  return new MigrationError(
    'locked',
    `Another runner is at work: ${owner}.`,
    `If it was killed, its lock ends in ${Math.ceil(ms / 1_000)} seconds; then the same command goes on.`,
  );
}
