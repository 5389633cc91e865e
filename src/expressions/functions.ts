import type { ParsedArithmetic, ParsedCall, ParsedOperand } from './tree.ts';

/** What each function is made for, and how many operands it takes. */
interface FunctionRule {
  readonly use: 'condition' | 'operand of a condition' | 'operand of an update';
  readonly operands: number;
}

/** Names count in lower case only: `Begins_With` is unknown. */
const rules: ReadonlyMap<string, FunctionRule> = new Map<string, FunctionRule>([
  ['attribute_exists', { use: 'condition', operands: 1 }],
  ['attribute_not_exists', { use: 'condition', operands: 1 }],
  ['attribute_type', { use: 'condition', operands: 2 }],
  ['begins_with', { use: 'condition', operands: 2 }],
  ['contains', { use: 'condition', operands: 2 }],
  ['size', { use: 'operand of a condition', operands: 1 }],
  ['if_not_exists', { use: 'operand of an update', operands: 2 }],
  ['list_append', { use: 'operand of an update', operands: 2 }],
]);

export function unknownFunction(call: ParsedCall): string | undefined {
  return rules.has(call.function) ? undefined : `Invalid function name; function: ${call.function}`;
}

/**
 * A known function in the wrong place. The functions of the other kind of expression have words of their own (observed:
 * user reports, 2025 and 2026; observed: Alternator's tests).
 */
export function misusedFunction(call: ParsedCall, use: FunctionRule['use']): string | undefined {
  const rule = rules.get(call.function);
  if (rule === undefined || rule.use === use) return undefined;
  if (use === 'operand of an update') return misuse('in an update expression', call);
  if (rule.use === 'operand of an update') return misuse('in a condition expression', call);
  return misuse('to be used this way in an expression', call);
}

/**
 * `list_append` stands for the whole value of a SET. As an operand of itself, of `if_not_exists` or of a sum it is
 * refused (observed: Alternator's tests, of itself; inferred: DynamoDB Local 3.3, of the others).
 */
export function misusedAppend(operand: ParsedOperand | ParsedArithmetic): string | undefined {
  if (operand.kind !== 'call' || operand.function !== 'list_append') return undefined;
  return misuse('to be used this way in an expression', operand);
}

function misuse(where: string, call: ParsedCall): string {
  return `The function is not allowed ${where}; function: ${call.function}`;
}

/** The number of operands must be right; the function is known. */
export function wrongCount(call: ParsedCall): string | undefined {
  const count = call.operands.length;
  return count === rules.get(call.function)?.operands ? undefined : operandCountText(call.function, count);
}

export function operandCountText(operator: string, count: number): string {
  return `Incorrect number of operands for operator or function; operator or function: ${operator}, number of operands: ${count}`;
}

/** Paths that are equal, where a function or an operator compares its operands or chooses one. */
export function equalOperandsText(operator: string, first: string): string {
  return `The first operand must be distinct from the remaining operands for this operator or function; operator: ${operator}, first operand: ${first}`;
}

export function operandTypeText(operator: string, type: string): string {
  return `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${type}`;
}

export function pathNeededText(operator: string): string {
  return `Operator or function requires a document path; operator or function: ${operator}`;
}
