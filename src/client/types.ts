import type {
  Addition,
  EntityDefinition,
  HeldBy,
  ModelTypes,
  ReadTypes,
  StepTypes,
  Value,
} from '../design/index.ts';
import type {
  AttributesOf,
  IdentityOf,
  NameOf,
  NamesOf,
  StableOf,
  VersionOf,
} from '../design/language/entity.ts';
import type { ReadDefinition } from '../design/language/read.ts';
import type { RequiredOf, StepDefinition, WriteDefinition } from '../design/language/write.ts';
import type { Pages } from './pages.ts';

/** Everything here is for the compiler, and counted: `tests/typed-client/type-budget.test.ts` holds the number. */

type Held<E, N extends string> = HeldBy<AttributesOf<E>[N & keyof AttributesOf<E>]>;

type Needed<E, N extends string> = { readonly [K in N]: Held<E, K> };
type Possible<E, N extends string> = { readonly [K in N]?: Held<E, K> | undefined };

/** An instance of an entity, or some of its attributes. */
export type ItemOf<E, N extends NamesOf<E> = NamesOf<E>> = Needed<E, Extract<N, RequiredOf<E>>> &
  Possible<E, Exclude<N, RequiredOf<E>>>;

/** One of several kinds: `entity` tells which. */
type KindOf<E, N extends string> = E extends EntityDefinition
  ? {
      readonly entity: NameOf<E>;
      readonly values: ItemOf<E, Extract<N, NamesOf<E>> | IdentityOf<E>>;
    }
  : never;

/** The bounds of the pattern's range, or the first characters of its prefix attribute, and how many items a page holds. */
export interface ListOptions<Range, Prefix = string> {
  readonly from?: Range | undefined;
  readonly to?: Range | undefined;
  readonly prefix?: Prefix | undefined;
  readonly limit?: number | undefined;
}

type Given<E, By extends string> = [By] extends [never]
  ? Readonly<Record<string, never>> | undefined
  : Needed<E, By>;

type RangeValue<E, Range extends string> = [Range] extends [never] ? never : Held<E, Range>;

type Arguments<T extends ReadTypes> = [T['by']] extends [never]
  ? [given?: Given<T['from'], T['by']>, options?: BoundsOf<T>]
  : [given: Given<T['from'], T['by']>, options?: BoundsOf<T>];

type BoundsOf<T extends ReadTypes> = ListOptions<
  RangeValue<T['from'], T['range']>,
  [T['prefix']] extends [never] ? never : string
>;

type ReadItem<T extends ReadTypes> = T['result'] extends 'kinds'
  ? KindOf<T['from'], T['needs']>
  : ItemOf<T['from'], Extract<T['needs'], NamesOf<T['from']>> | IdentityOf<T['from']>>;

/** The function of a read pattern: its arguments and what it returns. */
export type ReadCall<D> =
  D extends ReadDefinition<infer T extends ReadTypes>
    ? (
        ...given: Arguments<T>
      ) => T['result'] extends 'one' ? Promise<ReadItem<T> | undefined> : Pages<ReadItem<T>>
    : never;

type Changed<E, N extends string> = {
  readonly [K in N]?:
    | Held<E, K>
    | (Held<E, K> extends number ? Addition : never)
    | (K extends RequiredOf<E> ? never : null)
    | undefined;
};

/** What the caller gives to one step. */
export type StepValues<T extends StepTypes> = Needed<T['of'], T['needed']> &
  (T['kind'] extends 'change' | 'count'
    ? Changed<T['of'], Exclude<NamesOf<T['of']>, T['needed']>>
    : Possible<T['of'], Exclude<NamesOf<T['of']>, T['needed']>>);

type ValuesOf<S> =
  S extends StepDefinition<infer _Names, infer T> ? StepValues<T> | readonly StepValues<T>[] : never;
type EntityName<S> = S extends StepDefinition<infer _Names, infer T> ? NameOf<T['of']> : never;

type Repeated<Steps extends readonly unknown[]> = Steps extends readonly [infer S, ...infer Rest]
  ? Extract<EntityName<S>, EntityName<Rest[number]>> | Repeated<Rest>
  : never;

type Only<Names extends readonly unknown[], N> = Names extends readonly [infer One, ...infer Rest]
  ? One extends N
    ? [One, ...Only<Rest, N>]
    : Only<Rest, N>
  : [];

/** Values by step: the entity's name, with `#1`, `#2` where several steps have the same. */
type ByStep<
  Steps extends readonly unknown[],
  Twice,
  Before extends readonly unknown[] = [],
> = Steps extends readonly [infer S, ...infer Rest]
  ? {
      readonly [K in EntityName<S> as K extends Twice
        ? `${K}#${[...Only<Before, K>, K]['length'] & number}`
        : K]: ValuesOf<S>;
    } & ByStep<Rest, Twice, [...Before, EntityName<S>]>
  : unknown;

/** A pattern of one step takes its values as they are. */
type WriteValues<Steps extends readonly unknown[]> = Steps extends readonly [infer S]
  ? ValuesOf<S>
  : ByStep<Steps, Repeated<Steps>>;

/** Options of a call by the pattern's own way to know a repeated one. */
export interface CommandOptions<Result> {
  /** The identity of the command. */
  readonly command: string;
  /** What the command answers when it is repeated. Plain JSON. */
  readonly result?: Result | undefined;
}

export interface TokenOptions {
  /** The service's own token; the SDK draws one if there is none. */
  readonly token?: string | undefined;
}

/** What calls of patterns without types may give. */
export type WriteCallOptions<Result> = Partial<CommandOptions<Result>> & TokenOptions;

/** The result of a write that records its command; `replayed` if an earlier run had done it. */
export interface WriteResult<Result> {
  /** The command was run before; nothing was written now. */
  readonly replayed: boolean;
  /** What the command answered the first time. */
  readonly result?: Result;
}

/** The function of a write pattern: its values, the options of its idempotency, its result. */
export type WriteCall<D> =
  D extends WriteDefinition<infer Steps, infer Repeats>
    ? [Repeats] extends [{ readonly kind: 'record' }]
      ? <Result = undefined>(
          given: WriteValues<Steps>,
          options: CommandOptions<Result>,
        ) => Promise<WriteResult<Result>>
      : [Repeats] extends [{ readonly kind: 'token' }]
        ? (given: WriteValues<Steps>, options?: TokenOptions) => Promise<WriteResult<undefined>>
        : [Repeats] extends [undefined]
          ? (given: WriteValues<Steps>) => Promise<WriteResult<undefined>>
          : <Result = undefined>(
              given: WriteValues<Steps>,
              options?: WriteCallOptions<Result>,
            ) => Promise<WriteResult<Result>>
    : never;

/** What tells one item: the identity, and whatever else stands in the table's key. */
export type KeyOf<E> = Needed<E, IdentityOf<E>> & Possible<E, Exclude<NamesOf<E>, IdentityOf<E>>>;

/** The version that the item must have, where the entity has versions. */
export interface UpdateOptions {
  /** The version that the caller has seen; the update compares and raises it. */
  readonly version?: number | undefined;
}

interface NoOptions {
  readonly version?: undefined;
}

/** Calls for single items of an entity, by its identity. */
export interface EntityCalls<E> {
  get(
    key: KeyOf<E>,
    options?: { readonly consistency?: 'eventual' | 'strong' },
  ): Promise<ItemOf<E> | undefined>;
  /** In the order of the keys; `undefined` where there is no item. Retries what was unprocessed. */
  getMany(
    keys: readonly KeyOf<E>[],
    options?: { readonly consistency?: 'eventual' | 'strong' },
  ): Promise<(ItemOf<E> | undefined)[]>;
  /** Refuses an item that exists. */
  create(values: ItemOf<E>): Promise<void>;
  /** Replaces an item that exists. */
  put(values: ItemOf<E>): Promise<void>;
  /** Replaces what exists, 25 items a call. Retries what was unprocessed. */
  putMany(values: readonly ItemOf<E>[]): Promise<void>;
  /** Changes attributes of an item that exists: values, `{ add: n }` for numbers, `null` to remove optional ones. */
  update(
    key: KeyOf<E>,
    changes: Changed<E, Exclude<NamesOf<E>, StableOf<E>>>,
    options?: [VersionOf<E>] extends [never] ? NoOptions : UpdateOptions,
  ): Promise<void>;
  delete(key: KeyOf<E>): Promise<void>;
  /** The sum of a counter that is spread over several items. */
  counter(attribute: NamesOf<E>, key: KeyOf<E>): Promise<number>;
}

/** The client of a model: a function for each pattern, and simple calls for each entity. */
export interface App<T extends ModelTypes> {
  readonly patterns: { readonly [P in keyof T['reads']]: ReadCall<T['reads'][P]> } & {
    readonly [P in keyof T['writes']]: WriteCall<T['writes'][P]>;
  };
  readonly entities: { readonly [E in T['entities'][number] as NameOf<E>]: EntityCalls<E> };
}

/** How an item of an older shape becomes one of today's. `old` holds all attributes of the item, keys included. */
export type Upgrades<T extends ModelTypes> = {
  readonly [N in NameOf<T['entities'][number]>]?: (
    old: { readonly [name: string]: Value | undefined },
    schemaVersion: number,
  ) => ItemOf<Named<T['entities'][number], N>>;
};

type Named<E, N> = E extends unknown ? (NameOf<E> extends N ? E : never) : never;
