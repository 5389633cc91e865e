import type { Predicate } from './ir.ts';

/** Whether the first predicate implies the second. */
export function implies(first: Predicate, second: Predicate): boolean {
  if (canonical(first) === canonical(second)) return true;
  switch (second.kind) {
    case 'among':
      if (first.kind === 'equals')
        return first.attribute === second.attribute && second.values.includes(String(first.value));
      return (
        first.kind === 'among' &&
        first.attribute === second.attribute &&
        first.values.every((value) => second.values.includes(value))
      );
    case 'exists':
      return namesOfPredicate(first).includes(second.attribute);
    case 'compare':
      if (first.kind !== 'compare' || first.left !== second.left) return false;
      if (!('value' in first.right) || !('value' in second.right)) return false;
      if (first.operator[0] !== second.operator[0]) return false;
      if (first.right.value === second.right.value) return second.operator.length >= first.operator.length;
      return first.operator[0] === '<'
        ? first.right.value < second.right.value
        : first.right.value > second.right.value;
    case 'equals':
      return false;
  }
}

/** Whether the two can never hold of one item. */
export function excludes(first: Predicate, second: Predicate): boolean {
  const values = (one: Predicate): readonly string[] | undefined =>
    one.kind === 'equals' ? [String(one.value)] : one.kind === 'among' ? one.values : undefined;
  const [a, b] = [values(first), values(second)];
  if (a === undefined || b === undefined) return false;
  const names = namesOfPredicate(first)[0] === namesOfPredicate(second)[0];
  return names && !a.some((value) => b.includes(value));
}

/** One text for each meaning of a predicate; shares do not matter. */
export function canonical(predicate: Predicate): string {
  switch (predicate.kind) {
    case 'equals':
      return `${predicate.attribute} = ${JSON.stringify(predicate.value)}`;
    case 'among':
      return predicate.values.length === 1
        ? `${predicate.attribute} = ${JSON.stringify(predicate.values[0])}`
        : `${predicate.attribute} in ${JSON.stringify([...predicate.values].sort())}`;
    case 'compare': {
      const right =
        'attribute' in predicate.right ? predicate.right.attribute : String(predicate.right.value);
      return `${predicate.left} ${predicate.operator} ${right}`;
    }
    case 'exists':
      return `${predicate.attribute} exists`;
  }
}

/** The attributes that a predicate looks at. */
export function namesOfPredicate(predicate: Predicate): string[] {
  if (predicate.kind !== 'compare') return [predicate.attribute];
  return 'attribute' in predicate.right ? [predicate.left, predicate.right.attribute] : [predicate.left];
}
