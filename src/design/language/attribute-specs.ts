import type { Value } from '../compile/values.ts';
import type { AttributeType, ChoiceValue, CopiedAttribute } from '../ir.ts';
import { checkMembers, type Members } from './check-members.ts';
import type { AttributesOf, EntityDefinition, IdentityOf, NamesOf } from './entity.ts';

/** An attribute before it has a name. `Compared` is what fixed predicates may compare it with, `Held` what items hold. */
export interface AttributeSpec<Compared = string | number | boolean, Held = Compared> {
  readonly type: AttributeType;
  readonly optional?: true;
  readonly distinct?: number;
  readonly description?: string;
  readonly refersTo?: { readonly entity: string; readonly attribute: string };
  readonly copyOf?: CopiedAttribute;
  /** Only the compiler looks at them. */
  readonly valueType?: Compared;
  readonly heldType?: Held;
}

/** Items may lack the attribute. */
export interface OptionalSpec<Compared, Held = Compared> extends AttributeSpec<Compared, Held> {
  readonly optional: true;
}

export type AttributeSpecs = Readonly<Record<string, AttributeSpec<string | number | boolean, unknown>>>;

/** What items hold of an attribute. */
export type HeldBy<S> = S extends AttributeSpec<infer _Compared, infer Held> ? Held : never;

/** A token such as a ULID or a customer number; it never contains the delimiter of keys. */
export function id(bytes = 26): AttributeSpec<string> {
  return { type: { kind: 'id', bytes: { mean: bytes, max: bytes } } };
}

/** Free text of so many bytes on average. */
export function text(mean: number, max = mean * 4): AttributeSpec<string> {
  return { type: { kind: 'text', bytes: { mean, max }, plain: false } };
}

/** Text of letters, digits and punctuation that sorts after `#`: fit for sort keys and prefix reads. */
export function plainText(mean: number, max = mean * 4): AttributeSpec<string> {
  return { type: { kind: 'text', bytes: { mean, max }, plain: true } };
}

/** Names from coarse to fine, joined by `/`. */
export function path(mean: number, max = mean * 4): AttributeSpec<string> {
  return { type: { kind: 'path', bytes: { mean, max } } };
}

interface NumberOptions {
  readonly decimals?: number;
  readonly signed?: boolean;
}

const numberOptions: Members<NumberOptions> = { decimals: 'may', signed: 'may' };

/** A number of at most `digits` digits before the point. Unsigned numbers are padded in keys and so sort as they count. */
export function number(digits: number, options: NumberOptions = {}): AttributeSpec<number> {
  checkMembers(`number(${digits}, …)`, options, numberOptions);
  return {
    type: { kind: 'number', digits, decimals: options.decimals ?? 0, signed: options.signed ?? false },
  };
}

/** A moment, as an ISO text that sorts. */
export function time(): AttributeSpec<string> {
  return { type: { kind: 'time' } };
}

/** A day, as `2026-11-20`. */
export function date(): AttributeSpec<string> {
  return { type: { kind: 'date' } };
}

/** Seconds since 1970, as TTL wants them. */
export function epoch(): AttributeSpec<number> {
  return { type: { kind: 'epoch' } };
}

/** A boolean attribute. */
export function flag(): AttributeSpec<boolean> {
  return { type: { kind: 'flag' } };
}

/** A closed set: the values, or the values with the share of instances that have each. */
export function choice<const V extends string>(...values: readonly V[]): AttributeSpec<V>;
export function choice<const V extends string>(shares: Readonly<Record<V, number>>): AttributeSpec<V>;
export function choice(
  ...values: readonly (string | Readonly<Record<string, number>>)[]
): AttributeSpec<never> {
  return { type: { kind: 'choice', values: choiceValues(values), ordered: false } };
}

/** A closed set listed from low to high, such as LOW, MEDIUM, HIGH. */
export function levels<const V extends string>(...values: readonly V[]): AttributeSpec<V>;
export function levels<const V extends string>(shares: Readonly<Record<V, number>>): AttributeSpec<V>;
export function levels(
  ...values: readonly (string | Readonly<Record<string, number>>)[]
): AttributeSpec<never> {
  return { type: { kind: 'choice', values: choiceValues(values), ordered: true } };
}

function choiceValues(values: readonly (string | Readonly<Record<string, number>>)[]): ChoiceValue[] {
  const [first] = values;
  if (typeof first === 'object') return Object.entries(first).map(([value, share]) => ({ value, share }));
  return values.map((value) => ({ value: String(value), share: 1 / values.length }));
}

/** An attribute of bytes, of this mean and greatest size. */
export function binary(mean: number, max = mean * 4): AttributeSpec<never, Uint8Array> {
  return { type: { kind: 'binary', bytes: { mean, max } } };
}

/** A map of anything, of this mean and greatest size in bytes. */
export function map(mean: number, max = mean * 4): AttributeSpec<never, { readonly [name: string]: Value }> {
  return { type: { kind: 'map', bytes: { mean, max } } };
}

interface ListCount {
  readonly mean: number;
  readonly max?: number;
}

const listCount: Members<ListCount> = { mean: 'must', max: 'may' };

/** Elements inside the item. Leave `max` out only if nothing bounds their number; derivation then refuses the model. */
export function list(
  elementBytes: number,
  count: ListCount,
): AttributeSpec<never, readonly Value[] | ReadonlySet<string>> {
  checkMembers(`listOf(${elementBytes}, …)`, count, listCount);
  const bound = count.max === undefined ? {} : { countMax: count.max };
  return { type: { kind: 'list', elementBytes, count: count.mean, ...bound } };
}

/** Items may lack the attribute. */
export function optional<V, H>(spec: AttributeSpec<V, H>): OptionalSpec<V, H> {
  return { ...spec, optional: true };
}

/** Says how many different values occur, where neither type nor population tells. */
export function distinct<S extends AttributeSpecs[string]>(values: number, spec: S): S {
  return { ...spec, distinct: values };
}

/** The identity of another entity: a relationship. The attribute's name is needed if that identity has several. */
export function of<E extends EntityDefinition, N extends IdentityOf<E> = IdentityOf<E>>(
  entity: E,
  attribute?: N,
): AttributeSpec<HeldBy<AttributesOf<E>[N]>> {
  const name = attribute ?? entity.ir.identity[0]!;
  if (attribute === undefined && entity.ir.identity.length > 1) {
    const names = entity.ir.identity.join(', ');
    throw new Error(`of(${entity.ir.name}): its identity has several attributes (${names}); name one`);
  }
  return { type: typeOf(entity, name), refersTo: { entity: entity.ir.name, attribute: name } };
}

/** A copy of another entity's attribute, with the party that refreshes it when the original changes. */
export function copy<E extends EntityDefinition, N extends NamesOf<E>>(
  entity: E,
  attribute: N,
  refreshedBy: CopiedAttribute['refreshedBy'],
): AttributesOf<E>[N] {
  const type = typeOf(entity, attribute);
  return {
    type,
    copyOf: { entity: entity.ir.name, attribute, refreshedBy },
  } as AttributeSpec as AttributesOf<E>[N];
}

function typeOf(entity: EntityDefinition, name: string): AttributeType {
  const found = entity.ir.attributes.find((attribute) => attribute.name === name);
  if (found === undefined) throw new Error(`${entity.ir.name} has no attribute "${name}"`);
  return found.type;
}
