import type { Attribute } from './ir.ts';

/** Why the key text of an attribute would not sort as its values do; undefined if it does. */
export function unsortable({ name, type }: Attribute): string | undefined {
  switch (type.kind) {
    case 'number':
      return type.signed
        ? `"${name}" may be negative, and a padded text sorts negative numbers wrongly`
        : undefined;
    case 'choice':
      return type.ordered ? undefined : `"${name}" is a choice without an order; declare it with levels()`;
    case 'text':
      return type.plain ? undefined : `"${name}" is free text; declare it with plainText() to sort by it`;
    case 'flag':
    case 'map':
    case 'list':
    case 'binary':
      return `"${name}" is a ${type.kind} and has no order in a key`;
    default:
      return undefined;
  }
}

/** Documents, lists and binary values cannot stand in a key at all. */
export function keyable({ type }: Attribute): boolean {
  return type.kind !== 'map' && type.kind !== 'list' && type.kind !== 'binary';
}

/** Whether a key may hold the value turned round, so that forward reading is high to low. */
export function invertible({ type }: Attribute): boolean {
  return (
    type.kind === 'number' ||
    type.kind === 'time' ||
    type.kind === 'date' ||
    type.kind === 'epoch' ||
    type.kind === 'choice'
  );
}
