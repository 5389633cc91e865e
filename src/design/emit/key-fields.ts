import type { Entity, Piece } from '../ir.ts';

/** A part of a key that a format of plain templates needs as an attribute of its own. */
export interface DerivedField {
  readonly name: string;
  readonly description: string;
}

/** Templates of `{field}` and `{field:format}`, as AWS's generator reads them, and the fields they add. */
export function fieldTemplate(
  entity: Entity,
  pieces: readonly Piece[],
): { readonly template: string; readonly derived: readonly DerivedField[] } {
  const derived: DerivedField[] = [];
  const add = (name: string, description: string) => {
    derived.push({ name, description });
    return `{${name}}`;
  };
  const template = pieces.map((piece) => {
    if (piece.kind === 'constant') return piece.text;
    if (piece.kind === 'shard')
      return add('shard', `A hash of ${piece.of.join(' and ')} below ${piece.count}.`);
    const { name, type } = entity.attributes.find((one) => one.name === piece.attribute)!;
    if (piece.kind === 'bucket') return add(`${name}_${piece.unit}`, `The ${piece.unit} of ${name}.`);
    if (piece.inverted) return add(`${name}_inverted`, `${name}, turned round.`);
    if (type.kind === 'number' && type.decimals === 0) return `{${name}:0${type.digits}d}`;
    if (type.kind === 'number') return `{${name}:0${type.digits + type.decimals + 1}.${type.decimals}f}`;
    if (type.kind === 'choice' && type.ordered) return add(`${name}_rank`, `${name} behind its rank.`);
    if (type.kind === 'text' && !type.plain) return add(`${name}_escaped`, `${name} without delimiters.`);
    return `{${name}}`;
  });
  return { template: template.join(''), derived };
}
