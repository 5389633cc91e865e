import type { Attribute, Entity, HandPlacement, Population } from '../ir.ts';
import type { AttributeSpec, AttributeSpecs } from './attribute-specs.ts';
import { checkMembers, type Members } from './check-members.ts';
import { type KeyTemplate, parseTemplate, placeholder } from './key-template.ts';
import { readWhere, type Where } from './predicates.ts';

/** An entity as patterns refer to it. `A` keeps the attributes for the compiler, the others its names. */
export interface EntityDefinition<
  A extends AttributeSpecs = AttributeSpecs,
  Name extends string = string,
  Identity extends string = string,
  Version extends string = string,
  Fixed extends string = string,
> {
  readonly ir: Entity;
  /** Only the compiler looks at them. */
  readonly attributes?: A;
  readonly names?: readonly [Name, Identity, Version, Fixed];
}

export type AttributesOf<E> = E extends EntityDefinition<infer A> ? A : never;
export type NamesOf<E> = keyof AttributesOf<E> & string;
type TypeNames<E> = E extends { readonly names?: infer Names } ? NonNullable<Names> : never;
export type NameOf<E> = TypeNames<E> extends readonly [infer N extends string, ...unknown[]] ? N : string;
export type IdentityOf<E> = (TypeNames<E> extends readonly [string, infer I extends string, ...unknown[]]
  ? I
  : string) &
  NamesOf<E>;
export type VersionOf<E> =
  TypeNames<E> extends readonly [string, string, infer V extends string, string] ? V : string;
/** What never changes: the identity and the fixed attributes. */
export type StableOf<E> =
  TypeNames<E> extends readonly [string, infer I extends string, string, infer F extends string]
    ? I | F
    : string;

type Nothing = Readonly<Record<never, AttributeSpec>>;

export interface EntitySpec<
  I extends AttributeSpecs,
  F extends AttributeSpecs,
  C extends AttributeSpecs,
  V extends keyof C & string,
> {
  readonly description?: string;
  /** The attributes that name one instance. */
  readonly identity: I;
  /** Further attributes that never change. */
  readonly fixed?: F;
  /** Attributes that writes may change. */
  readonly changing?: C;
  readonly population: Population;
  readonly ttl?: keyof NoInfer<I & F & C> & string;
  /** Items expire so many days after their creation. */
  readonly keepDays?: number;
  readonly version?: V;
  readonly schemaVersion?: number;
  /** Which state may follow which: `{ status: { OPEN: ['PAID'], PAID: [] } }`. */
  readonly states?: { readonly [N in keyof NoInfer<C> & string]?: Transitions<C[N]> };
  /**
   * The attribute of the parent that may hold the instances: few and small ones, which are read by their parent and need
   * no items of their own. Derivation decides.
   */
  readonly mayEmbed?: string;
  /** The name of the table that holds this entity apart from the others. */
  readonly table?: string;
  /** Keys by hand, by slot: `table` and the indexes. Left out, they are derived. */
  readonly keys?: {
    readonly [slot: string]:
      | KeyTemplate<keyof NoInfer<I & F & C> & string>
      | {
          readonly key: KeyTemplate<keyof NoInfer<I & F & C> & string>;
          readonly when: Where<NoInfer<I & F & C>>;
        };
  };
}

const entityMembers: Members<EntitySpec<AttributeSpecs, AttributeSpecs, AttributeSpecs, string>> = {
  ...{ description: 'may', identity: 'must', fixed: 'may', changing: 'may', population: 'must', ttl: 'may' },
  ...{
    keepDays: 'may',
    version: 'may',
    schemaVersion: 'may',
    states: 'may',
    mayEmbed: 'may',
    table: 'may',
    keys: 'may',
  },
};

type Transitions<S> =
  S extends AttributeSpec<infer V, infer _Held>
    ? [V] extends [string]
      ? { readonly [State in V]?: readonly V[] }
      : never
    : never;

/** Declares a kind of item: its identity, its other attributes, its population. */
export function entity<
  const Name extends string,
  I extends AttributeSpecs,
  F extends AttributeSpecs = Nothing,
  C extends AttributeSpecs = Nothing,
  V extends keyof C & string = never,
>(
  name: Name,
  spec: EntitySpec<I, F, C, V>,
): EntityDefinition<I & F & C, Name, keyof I & string, V, keyof F & string> {
  checkMembers(`entity("${name}", …)`, spec, entityMembers);
  const specs: AttributeSpecs = { ...spec.identity, ...spec.fixed, ...spec.changing };
  const [state, ...others] = Object.entries(spec.states ?? {});
  if (others.length > 0)
    throw new TypeError(`entity("${name}", …): "states" names one attribute with its transitions`);
  return {
    ir: {
      name,
      ...(spec.description === undefined ? {} : { description: spec.description }),
      attributes: Object.entries(specs).map(([attribute, one]) => readAttribute(attribute, one)),
      identity: Object.keys(spec.identity),
      fixed: Object.keys(spec.fixed ?? {}),
      population: spec.population,
      ...(spec.ttl === undefined ? {} : { ttl: spec.ttl }),
      ...(spec.keepDays === undefined ? {} : { keepDays: spec.keepDays }),
      ...(spec.version === undefined ? {} : { version: spec.version }),
      ...(spec.schemaVersion === undefined ? {} : { schemaVersion: spec.schemaVersion }),
      ...(state === undefined ? {} : { states: { attribute: state[0], transitions: state[1] as never } }),
      ...(spec.mayEmbed === undefined ? {} : { mayEmbed: spec.mayEmbed }),
      ...(spec.table === undefined ? {} : { table: spec.table }),
      ...(spec.keys === undefined ? {} : { keys: readKeys(name, Object.keys(specs), spec.keys) }),
    },
  };
}

/** So many instances, and so many more each day. */
export function count(instances: number, growthPerDay = 0): Population {
  return { kind: 'count', count: instances, growthPerDay };
}

/** So many instances for each one of the parent. */
export function per(
  parent: EntityDefinition,
  each: { readonly mean: number; readonly max: number },
): Population {
  checkMembers(`per(${parent.ir.name}, …)`, each, { mean: 'must', max: 'must' });
  return { kind: 'per', entity: parent.ir.name, mean: each.mean, max: each.max };
}

function readAttribute(name: string, spec: AttributeSpecs[string]): Attribute {
  const { type, optional, distinct, description, refersTo, copyOf } = spec;
  return {
    name,
    type,
    ...(description === undefined ? {} : { description }),
    ...(optional === undefined ? {} : { optional }),
    ...(distinct === undefined ? {} : { distinct }),
    ...(refersTo === undefined ? {} : { refersTo }),
    ...(copyOf === undefined ? {} : { copyOf }),
  };
}

function isTemplate(value: unknown): value is readonly [string, string?] {
  if (!Array.isArray(value) || value.length < 1 || value.length > 2 || value[0] === '') return false;
  return value.every((part) => typeof part === 'string');
}

function readKeys(
  name: string,
  attributes: readonly string[],
  keys: Readonly<Record<string, unknown>>,
): HandPlacement[] {
  const item = new Proxy(Object.fromEntries(attributes.map((one) => [one, placeholder(one)])), {
    get(target, member) {
      const value = target[member as string];
      if (value === undefined)
        throw new Error(`${name}: a key names "${String(member)}", which it does not have`);
      return value;
    },
  });
  return Object.entries(keys).map(([slot, value]) => {
    const given = value as KeyTemplate<string> | { key: KeyTemplate<string>; when: object };
    const template = typeof given === 'function' ? given : given?.key;
    const answer: unknown = typeof template === 'function' ? template(item) : undefined;
    if (!isTemplate(answer))
      throw new Error(
        `${name}: the key in ${slot} takes a function that answers [partition, sort], the texts of its two parts`,
      );
    const [partition, sort] = answer;
    return {
      slot,
      partition: parseTemplate(partition),
      sort: parseTemplate(sort ?? ''),
      when: typeof given === 'function' ? [] : readWhere(given.when),
    };
  });
}
