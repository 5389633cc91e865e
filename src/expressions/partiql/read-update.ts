import { operandCountText, operandTypeText } from '../functions.ts';
import type { ParsedAction, ParsedArithmetic, ParsedOperand, ParsedPath } from '../tree.ts';
import type { Expression } from './expression.ts';
import type { StatementParts } from './statement-parts.ts';

/** `SET path = value`: what UpdateItem says with SET, ADD and DELETE. */
export function readAssignment(target: Expression, value: Expression, parts: StatementParts): ParsedAction {
  const path = readTarget(target, parts);
  if (value.kind === 'call' && (value.name === 'set_add' || value.name === 'set_delete')) {
    return readSetChange(path, value, parts);
  }
  return { section: 'SET', path, value: readValue(value, parts) };
}

export function readTarget(target: Expression, parts: StatementParts): ParsedPath {
  return target.kind === 'path' ? parts.path(target) : { kind: 'path', elements: [] };
}

type Call = Extract<Expression, { kind: 'call' }>;

/**
 * `SET a = set_add(a, <<…>>)` is ADD, also where there is no such set yet, and set_delete is DELETE. The last of the
 * three texts points at the first argument (observed: public captures, October 2026).
 */
function readSetChange(
  path: ParsedPath,
  { name, operands, token }: Call,
  parts: StatementParts,
): ParsedAction {
  const section = name === 'set_add' ? 'ADD' : 'DELETE';
  const shown = name.toUpperCase();
  const nothing: ParsedAction = { section, path, value: undefined };
  const [first, second] = operands;
  if (first === undefined || second === undefined || operands.length > 2) {
    parts.fail(`${shown} must have exactly two arguments`, token);
    return nothing;
  }
  if (first.kind !== 'path' || !samePath(parts.path(first), path)) {
    parts.fail(`The first argument to ${shown} must equal the assignment value`, token);
    return nothing;
  }
  const noSet = `The second argument to ${shown} must be a value with type SET`;
  if (second.kind !== 'bag' && second.kind !== 'parameter') {
    parts.fail(noSet, first.token);
    return nothing;
  }
  const value = parts.value(second);
  if (second.kind === 'parameter') parts.expectSet(value, noSet, first.token);
  return { section, path, value };
}

function samePath(a: ParsedPath, b: ParsedPath): boolean {
  return JSON.stringify(a.elements) === JSON.stringify(b.elements);
}

/**
 * A value of SET. Unlike UpdateItem, a statement may add and subtract as often as it likes, and group what it adds
 * (observed: public captures, April 2026).
 */
function readValue(expression: Expression, parts: StatementParts): ParsedOperand | ParsedArithmetic {
  switch (expression.kind) {
    case 'operation': {
      const { operator, operands } = expression;
      if ((operator === '+' || operator === '-') && operands.length === 2) {
        const [left, right] = operands.map((each) => readValue(each, parts));
        return { kind: 'arithmetic', operator, left: left!, right: right! };
      }
      parts.fail(
        operands.length === 1 && operator !== 'not'
          ? operandCountText(operator, 1)
          : `Unsupported operator in Update Expression. Operator: ${operator}`,
      );
      return nothing;
    }
    case 'is':
      parts.fail('IS operator is not supported in update expressions');
      return nothing;
    case 'call':
      return readCall(expression, parts);
    case 'path':
      return parts.path(expression);
    default:
      return parts.value(expression);
  }
}

function readCall({ name, operands, token }: Call, parts: StatementParts): ParsedOperand {
  if (name !== 'list_append') {
    parts.fail(`Unrecognized function: ${name}`, token);
    return nothing;
  }
  return { kind: 'call', function: name, operands: operands.map((each) => listOperand(each, parts)) };
}

function listOperand(expression: Expression, parts: StatementParts): ParsedOperand {
  const operand = readValue(expression, parts);
  if (operand.kind !== 'arithmetic') return operand;
  parts.fail(operandTypeText('list_append', 'N'));
  return nothing;
}

/** Stands for an operand after a problem; no one gets to see it. */
const nothing: ParsedOperand = { kind: 'value', reference: '' };
