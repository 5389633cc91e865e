import { type DynamoError, validationError } from '../model/errors.ts';
import type { AttributeValue } from '../model/values/attribute-value.ts';
import type { Comparator, Condition, Operand } from './tree.ts';

/** A condition on one key attribute, before anything is known of the table. */
export interface KeyClause {
  readonly name: string;
  /** `not indexable` is what KeyConditions can ask for, such as NE, and no key has. */
  readonly operator: '=' | '<' | '<=' | '>' | '>=' | 'BETWEEN' | 'begins_with' | 'not indexable';
  /** Two for BETWEEN, else one. */
  readonly values: readonly AttributeValue[];
}

/**
 * The clauses of a key condition, which is a condition like any other of which only little is allowed. Clauses are
 * judged in the order of the text and before the table is looked up.
 */
export function keyClauses(condition: Condition): readonly KeyClause[] | DynamoError {
  const clauses: KeyClause[] = [];
  const problem = collectClauses(condition, clauses);
  return problem === undefined ? clauses : validationError(`Invalid KeyConditionExpression: ${problem}`);
}

function collectClauses(condition: Condition, clauses: KeyClause[]): string | undefined {
  if (condition.kind !== 'and') {
    const clause = clauseOf(condition);
    if (typeof clause === 'string') return clause;
    if (clauses.some(({ name }) => name === clause.name)) {
      return 'KeyConditionExpressions must only contain one condition per key';
    }
    clauses.push(clause);
    return undefined;
  }
  for (const part of condition.conditions) {
    const problem = collectClauses(part, clauses);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

type Primitive = Exclude<Condition, { kind: 'and' }>;

function clauseOf(condition: Primitive): KeyClause | string {
  switch (condition.kind) {
    case 'compare': {
      const { comparator, left, right } = condition;
      if (comparator === '<>') return invalidOperator('<>');
      return left.kind === 'path'
        ? clause(comparator, left, [right])
        : clause(mirrored[comparator], right, [left]);
    }
    case 'between':
      if (condition.operand.kind !== 'path') return mustComeFirst('BETWEEN', condition.operand);
      return clause('BETWEEN', condition.operand, [condition.low, condition.high]);
    case 'begins_with':
      if (condition.operand.kind !== 'path') return mustComeFirst('begins_with', condition.operand);
      return clause('begins_with', condition.operand, [condition.prefix]);
    case 'or':
    case 'not':
    case 'in':
      return invalidOperator(condition.kind.toUpperCase());
    default:
      return invalidOperator(condition.kind);
  }
}

/** `:v <= a` is `a >= :v`. */
const mirrored: Readonly<Record<Exclude<Comparator, '<>'>, Exclude<Comparator, '<>'>>> = {
  '=': '=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

function clause(
  operator: KeyClause['operator'],
  key: Operand,
  others: readonly Operand[],
): KeyClause | string {
  let path = key.kind === 'path' ? key.path : undefined;
  let isNested = key.kind === 'size';
  let paths = path === undefined ? 0 : 1;
  const values: AttributeValue[] = [];
  for (const operand of others) {
    if (operand.kind === 'value') values.push(operand.value);
    else if (operand.kind === 'size') isNested = true;
    else if (operand.kind === 'path') {
      path ??= operand.path;
      paths++;
    }
  }
  if (isNested) return nestedOperation;
  if (path === undefined) return `${invalidCondition} No key attribute specified`;
  if (paths > 1) return `${invalidCondition} Multiple attribute names used in one condition`;
  if (path.length > 1) return 'KeyConditionExpressions cannot have conditions on nested attributes';
  return { name: path[0], operator, values };
}

const invalidCondition = 'Invalid condition in KeyConditionExpression:';
const nestedOperation = 'KeyConditionExpressions cannot contain nested operations';

function invalidOperator(operator: string): string {
  return `Invalid operator used in KeyConditionExpression: ${operator}`;
}

function mustComeFirst(operator: string, operand: Operand): string {
  if (operand.kind === 'size') return nestedOperation;
  return `${invalidCondition} ${operator} operator must have the key attribute as its first operand`;
}
