/**
 * The normalised model: what the language builds, the JSON form stores, and the solver, the checker, the compiler and
 * the emitters read. Plain data without defaults: every optional choice is either filled in or absent.
 *
 * Names are the model's own. Sizes are bytes, rates are calls a second, shares are fractions of 1, times are
 * milliseconds unless the name says otherwise.
 */

export const modelFormat = 'stator-model/1';

/** A model as plain data: entities, access patterns, environment. */
export interface Model {
  readonly format: typeof modelFormat;
  readonly name: string;
  readonly description?: string;
  readonly entities: readonly Entity[];
  readonly reads: readonly ReadPattern[];
  readonly writes: readonly WritePattern[];
  readonly environment: Environment;
}

// ---- entities

/** A kind of item: attributes, identity, population, life. */
export interface Entity {
  readonly name: string;
  readonly description?: string;
  /** In the order of the model file: identity first, then what never changes, then what does. */
  readonly attributes: readonly Attribute[];
  /** The attributes that name one instance. They never change. */
  readonly identity: readonly string[];
  /** Further attributes that never change once the item exists. */
  readonly fixed: readonly string[];
  readonly population: Population;
  /** The epoch attribute by which items expire. */
  readonly ttl?: string;
  /** How many days after its creation an item expires. */
  readonly keepDays?: number;
  /** The attribute that optimistic writers compare and raise. */
  readonly version?: string;
  /** The number written into each item of this shape, so that readers can tell shapes apart. */
  readonly schemaVersion?: number;
  readonly states?: StateMachine;
  /** The attribute of its parent that may hold its instances, if they need no items of their own. */
  readonly mayEmbed?: string;
  /** The table that holds this entity, if it must stay apart from the model's main table. */
  readonly table?: string;
  /** Keys by hand. Without them the keys are derived. */
  readonly keys?: readonly HandPlacement[];
}

/** An attribute of an entity. */
export interface Attribute {
  readonly name: string;
  readonly description?: string;
  readonly type: AttributeType;
  /** Items may lack the attribute. */
  readonly optional?: true;
  /** How many different values occur, where the type does not tell. */
  readonly distinct?: number;
  /** The identity attribute of another entity whose value this one carries: a relationship. */
  readonly refersTo?: AttributeRef;
  /** A copy of another entity's attribute, with the party that keeps it equal. */
  readonly copyOf?: CopiedAttribute;
}

/** An attribute of another entity. */
export interface AttributeRef {
  readonly entity: string;
  readonly attribute: string;
}

/** An attribute that copies one of another entity, and how the copy is refreshed. */
export interface CopiedAttribute extends AttributeRef {
  readonly refreshedBy: 'stream' | 'transaction' | 'never';
}

/** A size: the mean and the most. */
export interface Bytes {
  readonly mean: number;
  readonly max: number;
}

/** The type of an attribute, with what its size depends on. */
export type AttributeType =
  /** A token that never contains the delimiter, such as a ULID. */
  | { readonly kind: 'id'; readonly bytes: Bytes }
  /** Free text. `plain` text holds only characters that sort after the delimiter, and so may stand in a sort key. */
  | { readonly kind: 'text'; readonly bytes: Bytes; readonly plain: boolean }
  /** A path of names from coarse to fine, such as `Electronics/Audio`; prefix reads return subtrees. */
  | { readonly kind: 'path'; readonly bytes: Bytes }
  /** `digits` before the point and `decimals` behind it; zero-padded in string keys unless signed. */
  | { readonly kind: 'number'; readonly digits: number; readonly decimals: number; readonly signed: boolean }
  /** ISO-8601 in UTC with milliseconds, 24 characters. */
  | { readonly kind: 'time' }
  /** ISO-8601 date, 10 characters. */
  | { readonly kind: 'date' }
  /** Seconds since 1970, a number; what TTL reads. */
  | { readonly kind: 'epoch' }
  | { readonly kind: 'flag' }
  /** A closed set. `ordered` says that the values are listed from low to high. */
  | { readonly kind: 'choice'; readonly values: readonly ChoiceValue[]; readonly ordered: boolean }
  | { readonly kind: 'binary'; readonly bytes: Bytes }
  | { readonly kind: 'map'; readonly bytes: Bytes }
  /** A list or set. Without `countMax` it grows without bound. */
  | {
      readonly kind: 'list';
      readonly elementBytes: number;
      readonly count: number;
      readonly countMax?: number;
    };

/** One of the values of a choice, with its share of the items. */
export interface ChoiceValue {
  readonly value: string;
  /** The share of instances that have the value. */
  readonly share: number;
}

/** How many items there are: a count that grows, or so many for each item of another entity. */
export type Population =
  | { readonly kind: 'count'; readonly count: number; readonly growthPerDay: number }
  /** So many for each instance of the parent. */
  | { readonly kind: 'per'; readonly entity: string; readonly mean: number; readonly max: number };

/** An attribute that holds a state, and which states may follow which. */
export interface StateMachine {
  readonly attribute: string;
  readonly transitions: Readonly<Record<string, readonly string[]>>;
}

// ---- keys by hand

/** Keys that the model gives to an entity in one table or index. */
export interface HandPlacement {
  /** `table` or the name of an index. */
  readonly slot: string;
  readonly partition: readonly Piece[];
  readonly sort: readonly Piece[];
  /** The item is in the index only while these hold. */
  readonly when: readonly Predicate[];
}

/** One part of a key template. Parts follow each other without anything between them; delimiters are constants. */
export type Piece =
  | { readonly kind: 'constant'; readonly text: string }
  | { readonly kind: 'attribute'; readonly attribute: string; readonly inverted?: true }
  /** The first characters of a date or time: its day, month or year. */
  | { readonly kind: 'bucket'; readonly attribute: string; readonly unit: 'year' | 'month' | 'day' | 'hour' }
  /** A number below `count`, a hash of the attributes. */
  | { readonly kind: 'shard'; readonly of: readonly string[]; readonly count: number };

// ---- reads

/** A read that the application needs: what is given, what is returned, in which order, how often. */
export interface ReadPattern {
  readonly name: string;
  readonly description?: string;
  readonly actor?: string;
  /** One entity, or the kinds of one aggregate, parent first. */
  readonly entities: readonly string[];
  /** One item at most, or a list of them. */
  readonly result: 'one' | 'list';
  /** Equality attributes whose values the caller gives. */
  readonly by: readonly string[];
  /** Predicates that are the same for every call. */
  readonly where: readonly Predicate[];
  readonly range?: Range;
  readonly order: readonly Order[];
  readonly page: number | 'all';
  /** Items that an ordinary call returns, where the populations do not tell. */
  readonly returns?: number;
  readonly consistency: 'eventual' | 'strong';
  /** How old the answer may be; 0 wants every write that was acknowledged before. */
  readonly freshnessMs?: number;
  readonly latencyMs?: number;
  readonly rate: Rate;
  /** Where the mean rate comes from, if the pattern says it in other words. */
  readonly frequency?: Frequency;
  readonly skew: readonly AttributeSkew[];
  /** Attributes that the answer must hold; all of them if absent. */
  readonly needs?: readonly string[];
  /** The share of the items read that a residual filter may throw away. */
  readonly mayDiscard: number;
  /** The plan may find keys in an index and fetch the items behind them: two calls. */
  readonly mayFetch: boolean;
}

/** A condition on a sorted attribute: between two values, or a prefix. */
export interface Range {
  readonly attribute: string;
  readonly kind: 'between' | 'prefix';
}

/** An attribute by which results are sorted, and the direction. */
export interface Order {
  readonly attribute: string;
  readonly direction: 'asc' | 'desc';
}

/** A condition on attributes. */
export type Predicate =
  | { readonly kind: 'equals'; readonly attribute: string; readonly value: string | number | boolean }
  | { readonly kind: 'among'; readonly attribute: string; readonly values: readonly string[] }
  /** `share` is the fraction of instances for which it holds. */
  | {
      readonly kind: 'compare';
      readonly left: string;
      readonly operator: '<' | '<=' | '>' | '>=';
      readonly right: { readonly attribute: string } | { readonly value: number };
      readonly share: number;
    }
  | { readonly kind: 'exists'; readonly attribute: string; readonly share: number };

/** Calls a second: at the peak and on average. */
export interface Rate {
  /** Calls a second at the busiest minute: what heat is computed from. */
  readonly peak: number;
  /** Calls a second over a month: what the bill is computed from. */
  readonly mean: number;
}

/** So many calls in so much time. */
export interface Frequency {
  readonly calls: number;
  readonly per: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';
}

/**
 * Eventually consistent reads of tables and global indexes see a write within about a second, says the service's guide
 * ("usually within one second or less"). Answers that must be fresher are read strongly.
 */
export const eventualLagMs = 1_000;
/** What a consumer of a stream takes to refresh a copy: its lag in ordinary times. An assumption of ours. */
export const streamLagMs = 5_000;

/** How unevenly accesses spread over the values of an attribute. */
export interface AttributeSkew {
  readonly attribute: string;
  readonly skew: Skew;
}

/** How unevenly calls fall on the values of an attribute. */
export type Skew =
  | { readonly kind: 'uniform' }
  | { readonly kind: 'zipf'; readonly exponent: number }
  /** `share` of all calls fall evenly on `keys` values. */
  | { readonly kind: 'hot'; readonly keys: number; readonly share: number };

// ---- writes

/** A write that the application needs: its steps, whether they are atomic, how often. */
export interface WritePattern {
  readonly name: string;
  readonly description?: string;
  readonly actor?: string;
  readonly steps: readonly WriteStep[];
  /** All steps or none. */
  readonly atomic: boolean;
  readonly idempotency?: Idempotency;
  readonly rate: Rate;
  readonly frequency?: Frequency;
  readonly skew: readonly AttributeSkew[];
  readonly latencyMs?: number;
}

/** One step of a write pattern. */
export type WriteStep = CreateStep | ChangeStep | RemoveStep | CountStep | RequireStep;

interface StepOnEntity {
  readonly entity: string;
  /** Items that one call touches. */
  readonly count: number;
}

/** A step that creates an item, once or not, with unique attributes. */
export interface CreateStep extends StepOnEntity {
  readonly kind: 'create';
  /** Refuse the write if the item exists. */
  readonly once: boolean;
  /** Attributes whose value no other instance may have. */
  readonly unique: readonly string[];
  /** Values that every new item starts with. */
  readonly values: readonly AttributeValue[];
}

/** A step that changes an item: what it is given, what it sets, what must hold. */
export interface ChangeStep extends StepOnEntity {
  readonly kind: 'change';
  readonly given: readonly string[];
  readonly sets: readonly ChangedAttribute[];
  /** Conditions on the item as it is. */
  readonly when: readonly Predicate[];
  /** Compare and raise the entity's version attribute. */
  readonly checksVersion: boolean;
}

/** A step that deletes an item, under conditions. */
export interface RemoveStep extends StepOnEntity {
  readonly kind: 'remove';
  readonly given: readonly string[];
  readonly when: readonly Predicate[];
}

/** Adds to a number. */
export interface CountStep extends StepOnEntity {
  readonly kind: 'count';
  readonly given: readonly string[];
  readonly attribute: string;
  /** `shards` lets the counter live in several items beside the entity, if one item would be too hot. */
  readonly spread: 'never' | 'shards';
}

/** Requires the item to exist, and predicates to hold, without changing it. */
export interface RequireStep extends StepOnEntity {
  readonly kind: 'require';
  readonly given: readonly string[];
  readonly when: readonly Predicate[];
}

/** A fixed value that a step writes. */
export interface AttributeValue {
  readonly attribute: string;
  readonly value: string | number | boolean;
}

/** An attribute that a write sets; the value, if every call sets the same one. */
export interface ChangedAttribute {
  readonly attribute: string;
  readonly value?: string | number | boolean;
  /** The write removes the attribute. */
  readonly removed?: true;
}

/** How a repeated write is known: by the service's token for ten minutes, or by a record for days. */
export type Idempotency =
  /** The service's own token: ten minutes, transactions only. */
  | { readonly kind: 'token' }
  /** A record that remembers the command's result. */
  | { readonly kind: 'record'; readonly by: string; readonly keepDays: number; readonly bytes: number };

// ---- environment

/** What surrounds the tables: capacity mode, tenancy, consumers of streams, room to spare. */
export interface Environment {
  readonly capacity: 'on-demand' | 'provisioned';
  readonly tenancy?: Tenancy;
  readonly streams: readonly StreamConsumer[];
  /** The share of a partition's ceiling that the hottest partition may use at the peak. */
  readonly headroom: number;
  /** The most shards that a plan may gather. */
  readonly shardsMax: number;
  /** Indexes of keys by hand that differ from the usual: global, projecting everything. */
  readonly indexes?: readonly HandIndex[];
}

/** An index that the model asks for by name. */
export interface HandIndex {
  readonly name: string;
  readonly kind: 'global' | 'local';
  readonly projection: Projection;
}

/** The attributes that an index holds. */
export type Projection =
  | { readonly type: 'ALL' }
  | { readonly type: 'KEYS_ONLY' }
  | { readonly type: 'INCLUDE'; readonly names: readonly string[] };

/** The attribute that separates tenants, and the entities without one. */
export interface Tenancy {
  /** The attribute that leads every partition key. */
  readonly attribute: string;
  /** Entities that belong to no tenant. */
  readonly except: readonly string[];
}

/** A consumer of the table's stream, and what it needs to see. */
export interface StreamConsumer {
  readonly name: string;
  readonly entities: readonly string[];
  readonly view: 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES';
}
