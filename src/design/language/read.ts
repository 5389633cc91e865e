import { eventualLagMs, type Order, type ReadPattern } from '../ir.ts';
import type { AttributeSpecs } from './attribute-specs.ts';
import { checkMembers, type Members } from './check-members.ts';
import type { AttributesOf, EntityDefinition, NamesOf } from './entity.ts';
import { readWhere, type Where } from './predicates.ts';
import { type FreshnessText, readFreshness, readSkew, readTraffic, type Traffic } from './traffic.ts';

/** What the compiler knows of a read pattern: whom it reads, what callers give, and which attributes they get. */
export interface ReadTypes {
  readonly from: EntityDefinition;
  readonly result: 'one' | 'list' | 'kinds';
  readonly by: string;
  readonly range: string;
  readonly prefix: string;
  readonly needs: string;
}

/** A read pattern before the model gives it its name. */
export interface ReadDefinition<T = unknown> {
  readonly ir: Omit<ReadPattern, 'name'>;
  /** Only the compiler looks at it. */
  readonly types?: T;
}

type OneOrMany<T> = T | readonly T[];

/** `placedAt`, `placedAt asc` or `placedAt desc`. */
export type OrderText<N extends string> = N | `${N} asc` | `${N} desc`;

/** `A` holds the attributes that all entities have, `Any` those that at least one has. */
export interface ReadSpec<
  A extends AttributeSpecs,
  Any extends string,
  By extends string = keyof A & string,
  Range extends string = keyof A & string,
  Needs extends string = Any,
  Prefix extends string = keyof A & string,
> extends Traffic<keyof A & string> {
  readonly does: string;
  readonly actor?: string;
  /** Attributes whose values the caller gives. */
  readonly by?: OneOrMany<By>;
  /** Predicates that never vary: `{ status: 'OPEN' }`. */
  readonly where?: Where<A>;
  /** The attribute of which the caller gives a lower or upper bound, or both. */
  readonly range?: Range;
  /** The attribute of which the caller gives the first characters. */
  readonly prefix?: Prefix;
  readonly order?: OneOrMany<OrderText<Any>>;
  readonly needs?: readonly Needs[];
  readonly consistency?: 'eventual' | 'strong';
  /** How old the answer may be. It decides the consistency if that is left out. */
  readonly freshness?: FreshnessText;
  readonly latencyMs?: number;
  /** Items an ordinary call returns, if the populations mislead. */
  readonly returns?: number;
  /** The share of items read that a filter may throw away. */
  readonly mayDiscard?: number;
  /** Two calls are fine: an index finds the keys, a second call fetches the items. */
  readonly mayFetch?: boolean;
}

export interface ListSpec<
  A extends AttributeSpecs,
  Any extends string,
  By extends string = keyof A & string,
  Range extends string = keyof A & string,
  Needs extends string = Any,
  Prefix extends string = keyof A & string,
> extends ReadSpec<A, Any, By, Range, Needs, Prefix> {
  /** Items a page, or all of them. */
  readonly page: number | 'all';
}

const readMembers: Members<ReadSpec<AttributeSpecs, string>> = {
  ...{ does: 'must', actor: 'may', by: 'may', where: 'may', range: 'may', prefix: 'may', order: 'may' },
  ...{ needs: 'may', consistency: 'may', latencyMs: 'may', returns: 'may', mayDiscard: 'may' },
  ...{ mayFetch: 'may', peak: 'must', mean: 'may', skew: 'may', frequency: 'may', freshness: 'may' },
};
const listMembers: Members<ListSpec<AttributeSpecs, string>> = { ...readMembers, page: 'must' };

/** The attributes that every one of the entities has. */
type Shared<E extends readonly EntityDefinition[]> = {
  readonly [N in keyof AttributesOf<E[number]> & string]: AttributesOf<E[number]>[N];
};

type NamesOfAny<E> = E extends EntityDefinition<infer A> ? keyof A & string : never;

/** The types of a read pattern, for the compiler. */
export interface ReadTypesOf<
  E extends EntityDefinition,
  Result extends ReadTypes['result'],
  By extends string,
  Range extends string,
  Needs extends string,
  Prefix extends string,
> {
  readonly from: E;
  readonly result: Result;
  readonly by: By;
  readonly range: Range;
  readonly prefix: Prefix;
  readonly needs: Needs;
}

/** Reads one item. */
export function get<
  E extends EntityDefinition,
  const By extends NamesOf<E> = never,
  const Range extends NamesOf<E> = never,
  const Needs extends NamesOf<E> = NamesOf<E>,
  const Prefix extends NamesOf<E> = never,
>(
  from: E,
  spec: ReadSpec<AttributesOf<E>, NamesOf<E>, By, Range, Needs, Prefix>,
): ReadDefinition<ReadTypesOf<E, 'one', By, Range, Needs, Prefix>> {
  checkMembers(`get(${from.ir.name}, …)`, spec, readMembers);
  return readPattern([from], 'one', 1, spec as never) as never;
}

/** Reads a list of items of one kind, or of the kinds of one aggregate. */
export function list<
  E extends EntityDefinition,
  const By extends NamesOf<E> = never,
  const Range extends NamesOf<E> = never,
  const Needs extends NamesOf<E> = NamesOf<E>,
  const Prefix extends NamesOf<E> = never,
>(
  from: E,
  spec: ListSpec<AttributesOf<E>, NamesOf<E>, By, Range, Needs, Prefix>,
): ReadDefinition<ReadTypesOf<E, 'list', By, Range, Needs, Prefix>>;
export function list<
  const E extends readonly EntityDefinition[],
  const By extends keyof Shared<E> & string = never,
  const Range extends keyof Shared<E> & string = never,
  const Needs extends NamesOfAny<E[number]> = NamesOfAny<E[number]>,
  const Prefix extends keyof Shared<E> & string = never,
>(
  from: E,
  spec: ListSpec<Shared<E>, NamesOfAny<E[number]>, By, Range, Needs, Prefix>,
): ReadDefinition<ReadTypesOf<E[number], 'kinds', By, Range, Needs, Prefix>>;
export function list(
  from: EntityDefinition | readonly EntityDefinition[],
  spec: { readonly page: number | 'all' },
): ReadDefinition {
  const entities = Array.isArray(from) ? (from as EntityDefinition[]) : [from as EntityDefinition];
  checkMembers(`list(${entities.map(({ ir }) => ir.name).join(', ')}, …)`, spec, listMembers);
  return readPattern(entities, 'list', spec.page, spec as never);
}

function readPattern(
  from: readonly EntityDefinition[],
  result: 'one' | 'list',
  page: number | 'all',
  spec: ReadSpec<AttributeSpecs, string>,
): ReadDefinition {
  const range = readRange(spec);
  const { rate, frequency } = readTraffic(spec.does, spec);
  const freshnessMs = spec.freshness === undefined ? undefined : readFreshness(spec.freshness);
  const needsStrong = freshnessMs !== undefined && freshnessMs < eventualLagMs;
  return {
    ir: {
      description: spec.does,
      ...(spec.actor === undefined ? {} : { actor: spec.actor }),
      entities: from.map(({ ir }) => ir.name),
      result,
      by: many(spec.by),
      where: readWhere(spec.where),
      ...(range === undefined ? {} : { range }),
      order: many(spec.order).map(readOrder),
      page,
      ...(spec.returns === undefined ? {} : { returns: spec.returns }),
      consistency: spec.consistency ?? (needsStrong ? 'strong' : 'eventual'),
      ...(freshnessMs === undefined ? {} : { freshnessMs }),
      ...(spec.latencyMs === undefined ? {} : { latencyMs: spec.latencyMs }),
      rate,
      ...(frequency === undefined ? {} : { frequency }),
      skew: readSkew(spec.skew),
      ...(spec.needs === undefined ? {} : { needs: [...spec.needs] }),
      mayDiscard: spec.mayDiscard ?? 0,
      mayFetch: spec.mayFetch ?? false,
    },
  };
}

function readRange(spec: ReadSpec<AttributeSpecs, string>): ReadPattern['range'] {
  if (spec.range !== undefined && spec.prefix !== undefined) {
    throw new Error(`"${spec.does}" has a range and a prefix; a pattern may have one of them`);
  }
  if (spec.range !== undefined) return { attribute: spec.range, kind: 'between' };
  return spec.prefix === undefined ? undefined : { attribute: spec.prefix, kind: 'prefix' };
}

function readOrder(text: string): Order {
  const [attribute, direction = 'asc', ...more] = text.split(' ') as [string, string?, ...string[]];
  if ((direction !== 'asc' && direction !== 'desc') || more.length > 0)
    throw new TypeError(`the order "${text}" is not an attribute with "asc" or "desc" behind it`);
  return { attribute, direction };
}

export function many<T extends string>(value: OneOrMany<T> | undefined): T[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : [...value];
}
