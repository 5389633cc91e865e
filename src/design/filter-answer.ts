import { holds } from './compile/predicates.ts';
import type { Found } from './compile/read-plan.ts';
import { type Bounds, compareTexts } from './compile/read-range.ts';
import type { Value, Values } from './compile/values.ts';
import type { Attribute, Entity, Model, ReadPattern } from './ir.ts';

/** One instance, as the one who knows all of them holds it. */
export interface Instance {
  readonly entity: string;
  readonly values: Values;
}

/** Whether a call of the pattern asks for the instance. Knows nothing of keys, slots and plans. */
export function isAskedFor(
  entity: Entity,
  pattern: ReadPattern,
  given: Values,
  bounds: Bounds,
  values: Values,
): boolean {
  for (const name of pattern.by) if (values[name] !== given[name]) return false;
  if (!pattern.where.every((one) => holds(one, values))) return false;
  const { range } = pattern;
  if (range === undefined) return true;
  const value = values[range.attribute];
  if (value === undefined || value === null) return false;
  if (range.kind === 'prefix') return String(value).startsWith(bounds.prefix ?? '');
  const attribute = entity.attributes.find(({ name }) => name === range.attribute)!;
  const { from, to } = bounds;
  return (
    (from === undefined || compareValues(attribute, value, from) >= 0) &&
    (to === undefined || compareValues(attribute, value, to) <= 0)
  );
}

/** Numbers by size, levels by their order, everything else as text. */
export function compareValues({ type }: Attribute, a: Value, b: Value): number {
  if (type.kind === 'number' || type.kind === 'epoch') return Number(a) - Number(b);
  if (type.kind === 'flag') return Number(a) - Number(b);
  if (type.kind === 'choice' && type.ordered) {
    const rank = (value: Value) => type.values.findIndex((one) => one.value === value);
    return rank(a) - rank(b);
  }
  return compareTexts(String(a), String(b));
}

/** What the answer should hold of an instance: what the pattern needs, and the identity. */
export function neededOf({ identity }: Entity, { needs }: ReadPattern, values: Values): Values {
  if (needs === undefined) return values;
  const names = new Set([...identity, ...needs]);
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
}

/**
 * Why an answer is not in the pattern's order; undefined if it is. Kinds that lack the order's attributes come first,
 * in any order.
 */
export function whyOutOfOrder(
  model: Model,
  pattern: ReadPattern,
  answer: readonly Found[],
): string | undefined {
  const attributesOf = ({ entity }: Found) => model.entities.find(({ name }) => name === entity)!.attributes;
  const fixed = new Set([
    ...pattern.by,
    ...pattern.where.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : [])),
  ]);
  const order = pattern.order.filter(({ attribute }) => !fixed.has(attribute));
  const isOrdered = (found: Found) =>
    order.every(({ attribute }) => attributesOf(found).some(({ name }) => name === attribute));
  const first = answer.findIndex(isOrdered);
  if (first < 0 || order.length === 0) return undefined;
  const ordered = answer.slice(first);
  if (!ordered.every(isOrdered)) return 'kinds without the order come between those with it';
  for (let at = 1; at < ordered.length; at++) {
    const [before, after] = [ordered[at - 1]!, ordered[at]!];
    for (const { attribute, direction } of order) {
      const [a, b] = [before.values[attribute], after.values[attribute]];
      // What the pattern does not need is not in the answer.
      if (a === undefined || b === undefined || a === null || b === null) break;
      const compared = compareValues(attributesOf(before).find(({ name }) => name === attribute)!, a, b);
      if (compared === 0) continue;
      if (compared < 0 === (direction === 'asc')) break;
      return `${attribute} ${String(a)} comes before ${String(b)}`;
    }
  }
  return undefined;
}
