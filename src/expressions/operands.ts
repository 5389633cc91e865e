import type { ParsedOperand, ParsedPrimitive } from './tree.ts';

/** The operands of a primitive condition, in the order of the text. */
export function operandsOf(primitive: ParsedPrimitive): readonly ParsedOperand[] {
  switch (primitive.kind) {
    case 'compare':
      return [primitive.left, primitive.right];
    case 'between':
      return [primitive.operand, primitive.low, primitive.high];
    case 'in':
      return [primitive.operand, ...primitive.list];
    case 'call':
      return primitive.operands;
  }
}
