import type { AttributeType } from '../../model/values/attribute-value.ts';
import { operandCountText, operandTypeText } from '../functions.ts';
import type { Comparator, ParsedOperand } from '../tree.ts';
import type { Expression } from './expression.ts';
import type { StatementParts } from './statement-parts.ts';
import type { StatementCondition, TruthOperand } from './statement-tree.ts';

/** What a WHERE clause says, in the terms of all conditions. */
export function readWhere(expression: Expression, parts: StatementParts): StatementCondition {
  return readCondition(
    expression,
    parts,
    'WHERE clause must contain an expression that resolves to a boolean',
  );
}

/** A condition; what stands in its place but is none is refused with `otherwise`. */
function readCondition(expression: Expression, parts: StatementParts, otherwise: string): StatementCondition {
  switch (expression.kind) {
    case 'operation':
      return readOperation(expression, parts);
    case 'is':
      return readIs(expression, parts);
    case 'call':
      return readCall(expression, parts);
    default:
      parts.fail(otherwise);
      return nothing;
  }
}

type Operation = Extract<Expression, { kind: 'operation' }>;

function readOperation({ operator, operands }: Operation, parts: StatementParts): StatementCondition {
  switch (operator) {
    case 'and':
    case 'or': {
      const text = 'The arguments to AND/OR must be Expressions';
      return { kind: operator, conditions: operands.map((part) => readCondition(part, parts, text)) };
    }
    case 'not': {
      const text = 'The argument to NOT must be a Type or Expression';
      return { kind: 'not', condition: readCondition(operands[0]!, parts, text) };
    }
    case '=':
    case '<>':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return readComparison(operator, operands, parts);
    case 'between': {
      const [operand, low, high] = operands.map((each) => plainOperand('BETWEEN', each, parts));
      return { kind: 'between', operand: operand!, low: low!, high: high! };
    }
    case 'in':
      return readIn(operands, parts);
    default:
      refuseOperator(operator, operands.length, parts);
      return nothing;
  }
}

/**
 * Sums exist in updates only; a sign before anything but a number is reported by its count (observed: public captures,
 * 2026).
 */
function refuseOperator(operator: string, operands: number, parts: StatementParts): void {
  parts.fail(
    operands === 1
      ? operandCountText(operator, 1)
      : `Unsupported operator in Condition Expression. Operator: ${operator}`,
  );
}

function readComparison(
  comparator: Comparator,
  operands: readonly Expression[],
  parts: StatementParts,
): StatementCondition {
  const [left, right] = operands.map((each) => readOperand(each, parts)) as [TruthOperand, TruthOperand];
  if (left.kind !== 'condition' && right.kind !== 'condition') {
    return { kind: 'compare', comparator, left, right };
  }
  if (comparator === '=' || comparator === '<>') return { kind: 'truth', comparator, left, right };
  parts.fail(operandTypeText(comparator, 'BOOL'));
  return nothing;
}

function readIn([left, right]: readonly Expression[], parts: StatementParts): StatementCondition {
  if (right?.kind !== 'list' || right.members.length === 0) {
    parts.fail(
      'IN operator must have a left hand argument of type Variable Reference and right hand argument of type Seq with at least one member',
    );
    return nothing;
  }
  const operand = readOperand(left!, parts);
  const list = right.members.map((member) => readOperand(member, parts));
  return operand.kind !== 'condition' && list.every(isPlain)
    ? { kind: 'in', operand, list }
    : { kind: 'truth in', operand, list };
}

function isPlain(operand: TruthOperand): operand is ParsedOperand {
  return operand.kind !== 'condition';
}

/** The types that IS knows; others that the grammar has are refused. */
const typesOfIs: Readonly<Record<string, AttributeType>> = {
  NULL: 'NULL',
  BOOL: 'BOOL',
  BOOLEAN: 'BOOL',
  BLOB: 'B',
  STRING: 'S',
  NUMERIC: 'N',
  STRUCT: 'M',
  TUPLE: 'M',
  LIST: 'L',
};

/** `IS NULL` is a value of the type NULL; a missing one is none (observed: public captures, September 2026). */
function readIs(
  { operand, type }: Extract<Expression, { kind: 'is' }>,
  parts: StatementParts,
): StatementCondition {
  const left = readOperand(operand, parts);
  if (left.kind === 'condition' || left.kind === 'call') {
    parts.fail('The left hand side argument to IS must be a Variable Reference, Literal, or Path');
    return nothing;
  }
  if (type === 'MISSING') return { kind: 'call', function: 'attribute_not_exists', operands: [left] };
  const wanted = typesOfIs[type];
  if (wanted === undefined) {
    parts.fail(
      `Unsupported data type for IS operator: ${type}. Supported data types are [MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST]`,
    );
    return nothing;
  }
  return { kind: 'call', function: 'attribute_type', operands: [left, parts.constant({ S: wanted })] };
}

const conditionFunctions: ReadonlySet<string> = new Set([
  ...['attribute_exists', 'attribute_not_exists'],
  ...['attribute_type', 'begins_with', 'contains'],
]);

type Call = Extract<Expression, { kind: 'call' }>;

/** Names of functions count in any case here; `if_not_exists` and all of SQL's are unknown. */
function readCall({ name, operands, token }: Call, parts: StatementParts): StatementCondition {
  if (!conditionFunctions.has(name)) {
    parts.fail(`Unrecognized function: ${name}`, token);
    return nothing;
  }
  return { kind: 'call', function: name, operands: operands.map((each) => plainOperand(name, each, parts)) };
}

/** An operand where a condition has nothing to say: it is a boolean, which has no order, beginning or size. */
function plainOperand(operator: string, expression: Expression, parts: StatementParts): ParsedOperand {
  const operand = readOperand(expression, parts);
  if (operand.kind !== 'condition') return operand;
  parts.fail(operandTypeText(operator, 'BOOL'));
  return { kind: 'value', reference: '' };
}

function readOperand(expression: Expression, parts: StatementParts): TruthOperand {
  switch (expression.kind) {
    case 'path':
      return parts.path(expression);
    case 'call':
      if (expression.name === 'size') {
        const operands = expression.operands.map((each) => plainOperand('size', each, parts));
        if (operands.length !== 1) parts.fail(operandCountText('size', operands.length));
        return { kind: 'call', function: 'size', operands };
      }
      return { kind: 'condition', condition: readCall(expression, parts) };
    case 'operation':
    case 'is':
      return { kind: 'condition', condition: readCondition(expression, parts, '') };
    default:
      return parts.value(expression);
  }
}

/** Stands for a condition after a problem; no one gets to see it. */
const nothing: StatementCondition = { kind: 'or', conditions: [] };
