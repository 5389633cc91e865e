import type { Predicate } from '../ir.ts';
import type { AttributeSpec, AttributeSpecs } from './attribute-specs.ts';

/** A predicate that names attributes; `Name` lets the compiler check them against the entity. */
export interface PredicateSpec<Name extends string = string> {
  readonly predicate: Predicate;
  /** Only the compiler looks at it. */
  readonly names?: Name;
}

type ValueOf<S> = S extends AttributeSpec<infer V, infer _Held> ? V : never;

/** Values by attribute, or a list of predicates. */
export type Where<A extends AttributeSpecs> =
  | { readonly [N in keyof A & string]?: ValueOf<A[N]> }
  | readonly PredicateSpec<keyof A & string>[];

/** A condition: the attribute has this value. */
export function equals<const N extends string>(
  attribute: N,
  value: string | number | boolean,
): PredicateSpec<N> {
  return { predicate: { kind: 'equals', attribute, value } };
}

/** A condition: the attribute has one of these values. */
export function among<const N extends string>(attribute: N, values: readonly string[]): PredicateSpec<N> {
  return { predicate: { kind: 'among', attribute, values } };
}

/** `share` is the fraction of instances for which it holds. */
export function exists<const N extends string>(attribute: N, share: number): PredicateSpec<N> {
  return { predicate: { kind: 'exists', attribute, share } };
}

type Comparison = '<' | '<=' | '>' | '>=';

/** `compare('quantity', '<', 'minimum', 0.03)`: with another attribute or with a number, and how often it holds. */
export function compare<const L extends string>(
  left: L,
  operator: Comparison,
  right: number,
  share: number,
): PredicateSpec<L>;
export function compare<const L extends string, const R extends string>(
  left: L,
  operator: Comparison,
  right: R,
  share: number,
): PredicateSpec<L | R>;
export function compare(
  left: string,
  operator: Comparison,
  right: string | number,
  share: number,
): PredicateSpec<never> {
  const against = typeof right === 'number' ? { value: right } : { attribute: right };
  return { predicate: { kind: 'compare', left, operator, right: against, share } };
}

export function readWhere(where: object | undefined): Predicate[] {
  if (where === undefined) return [];
  if (Array.isArray(where)) return where.map((spec: PredicateSpec) => spec.predicate);
  return Object.entries(where as Record<string, string | number | boolean>).map(([attribute, value]) => ({
    kind: 'equals',
    attribute,
    value,
  }));
}
