import type { KeyClause } from '../../expressions/key-clauses.ts';
import type { Comparator, Condition, Operand } from '../../expressions/tree.ts';
import type { AttributeValue } from '../../model/values/attribute-value.ts';

/** A condition of a WHERE clause on one attribute, of the kind that keys can be looked up by. */
export interface KeyLeaf {
  readonly name: string;
  readonly operator: Exclude<KeyClause['operator'], 'not indexable'>;
  readonly values: readonly AttributeValue[];
}

/** Undefined for what no key can be looked up by: `<>`, NOT, functions, comparisons of attributes, nested paths. */
export function keyLeaf(condition: Condition): KeyLeaf | undefined {
  switch (condition.kind) {
    case 'compare': {
      const { comparator, left, right } = condition;
      if (comparator === '<>') return undefined;
      return leaf(comparator, left, [right]) ?? leaf(mirrored[comparator], right, [left]);
    }
    case 'between':
      return leaf('BETWEEN', condition.operand, [condition.low, condition.high]);
    case 'begins_with':
      return leaf('begins_with', condition.operand, [condition.prefix]);
    default:
      return undefined;
  }
}

/** `a IN [x, y]` as what it is for keys: `a = x` or `a = y`. */
export function inLeaves(condition: Condition): readonly Condition[] | undefined {
  if (condition.kind !== 'in') return undefined;
  const { operand, list } = condition;
  if (attributeOf(operand) === undefined || list.some(({ kind }) => kind !== 'value')) return undefined;
  return list.map((value) => ({ kind: 'compare', comparator: '=', left: operand, right: value }));
}

/** The attribute that an operand is. */
export function attributeOf(operand: Operand): string | undefined {
  return operand.kind === 'path' && operand.path.length === 1 ? operand.path[0] : undefined;
}

const mirrored: Readonly<Record<Exclude<Comparator, '<>'>, Exclude<Comparator, '<>'>>> = {
  '=': '=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

function leaf(
  operator: KeyLeaf['operator'],
  operand: Operand,
  others: readonly Operand[],
): KeyLeaf | undefined {
  const name = attributeOf(operand);
  if (name === undefined) return undefined;
  const values: AttributeValue[] = [];
  for (const other of others) {
    if (other.kind !== 'value') return undefined;
    values.push(other.value);
  }
  return { name, operator, values };
}
