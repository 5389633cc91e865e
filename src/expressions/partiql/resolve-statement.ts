import { DynamoError, validationError } from '../../model/errors.ts';
import type { AttributeValue, Item } from '../../model/values/attribute-value.ts';
import { resolveCondition, resolveParts } from '../resolve-condition.ts';
import { resolvedPath } from '../resolve-operand.ts';
import { resolveUpdate } from '../resolve-update.ts';
import { Substitutions } from '../substitutions.ts';
import { type Condition, type DocumentPath, ExpressionProblem, type Operand, type Update } from '../tree.ts';
import {
  type OrderTerm,
  type ParsedInsert,
  type ParsedSelect,
  type ParsedStatement,
  type ParsedUpdateStatement,
  parameterReference,
  type Returning,
  type Source,
  type StatementCondition,
  type StatementLeaf,
  type StatementValues,
  type TruthOperand,
} from './statement-tree.ts';

/** A statement with its values in place: everything that can be known of it without the table. */
export type Statement = Select | Insert | UpdateStatement | Delete | Exists;

export interface Select {
  readonly kind: 'select';
  readonly source: Source;
  /** Undefined for `*`. */
  readonly columns: readonly ResolvedColumn[] | undefined;
  /** As in `ParsedSelect`. */
  readonly columnProblem: DynamoError | undefined;
  readonly where: Condition | undefined;
  readonly order: readonly OrderTerm[];
}

export interface ResolvedColumn {
  readonly name: string;
  readonly path: DocumentPath;
}

export interface Insert {
  readonly kind: 'insert';
  readonly source: Source;
  readonly item: Item;
}

export interface UpdateStatement {
  readonly kind: 'update';
  readonly source: Source;
  readonly update: Update;
  readonly where: Condition | undefined;
  readonly returning: Returning | undefined;
}

export interface Delete {
  readonly kind: 'delete';
  readonly source: Source;
  readonly where: Condition | undefined;
  readonly returning: Returning | undefined;
}

export interface Exists {
  readonly kind: 'exists';
  readonly source: Source;
  readonly where: Condition | undefined;
}

/** Puts the parameters in their places, and judges what can be judged of them; the texts are those of expressions. */
export function resolveStatement(
  statement: ParsedStatement,
  parameters: readonly AttributeValue[],
): Statement | DynamoError {
  const values = statement.kind === 'exists' ? statement.select.values : statement.values;
  if (values.parameters !== parameters.length) {
    return validationError("Number of parameters in request and statement don't match.");
  }
  const substitutions = new Substitutions(noNames, valuesOf(values, parameters));
  switch (statement.kind) {
    case 'select':
      return resolveSelect(statement, substitutions);
    case 'insert':
      return resolveInsert(statement, substitutions);
    case 'update':
      return resolveUpdateStatement(statement, substitutions);
    case 'delete': {
      const where = resolveWhere(statement.where, substitutions);
      if (where instanceof DynamoError) return where;
      return { kind: 'delete', source: statement.source, where, returning: statement.returning };
    }
    case 'exists': {
      if (statement.select.columnProblem !== undefined) return statement.select.columnProblem;
      const where = resolveWhere(statement.select.where, substitutions);
      if (where instanceof DynamoError) return where;
      return { kind: 'exists', source: statement.select.source, where };
    }
  }
}

/** Paths of statements hold names, never references. */
const noNames: ReadonlyMap<string, string> = new Map();

function valuesOf(
  { literals }: StatementValues,
  parameters: readonly AttributeValue[],
): ReadonlyMap<string, AttributeValue> {
  if (parameters.length === 0) return literals;
  const values = new Map(literals);
  for (const [i, value] of parameters.entries()) values.set(parameterReference(i), value);
  return values;
}

function resolveSelect(
  { source, columns, columnProblem, where: parsed, order }: ParsedSelect,
  substitutions: Substitutions,
): Select | DynamoError {
  const sound = columnProblem === undefined ? columns : undefined;
  const resolved = sound?.map(({ name, path }) => ({ name, path: resolvedPath(path, substitutions) }));
  const names = new Set<string>();
  for (const { name } of resolved ?? []) {
    if (names.has(name)) return validationError(`Duplicate identifiers in select clause: ${name}`);
    names.add(name);
  }
  const where = resolveWhere(parsed, substitutions);
  if (where instanceof DynamoError) return where;
  return { kind: 'select', source, columns: resolved, columnProblem, where, order };
}

function resolveInsert({ source, item: parsed }: ParsedInsert, substitutions: Substitutions): Insert {
  const item = new Map<string, AttributeValue>();
  for (const [name, reference] of parsed) item.set(name, substitutions.value(reference)!);
  return { kind: 'insert', source, item };
}

function resolveUpdateStatement(
  { source, update: parsed, where: parsedWhere, returning, setArguments }: ParsedUpdateStatement,
  substitutions: Substitutions,
): UpdateStatement | DynamoError {
  for (const { reference, problem } of setArguments) {
    const value = substitutions.value(reference)!;
    if (!('SS' in value || 'NS' in value || 'BS' in value)) return validationError(problem);
  }
  const update = resolveUpdate(parsed, substitutions);
  if (update instanceof ExpressionProblem) return validationError(update.text);
  const where = resolveWhere(parsedWhere, substitutions);
  return where instanceof DynamoError ? where : { kind: 'update', source, update, where, returning };
}

function resolveWhere(
  where: StatementCondition | undefined,
  substitutions: Substitutions,
): Condition | undefined | DynamoError {
  const resolved = where && resolveTruth(where, substitutions);
  return resolved instanceof ExpressionProblem ? validationError(resolved.text) : resolved;
}

function resolveTruth(
  condition: StatementCondition,
  substitutions: Substitutions,
): Condition | ExpressionProblem {
  return resolveParts<StatementLeaf>(condition, (leaf) => resolveLeaf(leaf, substitutions));
}

function resolveLeaf(condition: StatementLeaf, substitutions: Substitutions): Condition | ExpressionProblem {
  switch (condition.kind) {
    case 'truth': {
      const left = resolveOperand(condition.left, substitutions);
      if (left instanceof ExpressionProblem) return left;
      const right = resolveOperand(condition.right, substitutions);
      if (right instanceof ExpressionProblem) return right;
      return { kind: 'compare', comparator: condition.comparator, left, right };
    }
    case 'truth in': {
      const operand = resolveOperand(condition.operand, substitutions);
      if (operand instanceof ExpressionProblem) return operand;
      const list: Operand[] = [];
      for (const each of condition.list) {
        const resolved = resolveOperand(each, substitutions);
        if (resolved instanceof ExpressionProblem) return resolved;
        list.push(resolved);
      }
      return { kind: 'in', operand, list };
    }
    default:
      return resolveCondition(condition, substitutions);
  }
}

function resolveOperand(operand: TruthOperand, substitutions: Substitutions): Operand | ExpressionProblem {
  switch (operand.kind) {
    case 'condition': {
      const condition = resolveTruth(operand.condition, substitutions);
      return condition instanceof ExpressionProblem ? condition : { kind: 'condition', condition };
    }
    case 'path':
      return { kind: 'path', path: resolvedPath(operand, substitutions) };
    case 'value':
      return { kind: 'value', value: substitutions.value(operand.reference)! };
    case 'call': {
      // The parser lets no other function than `size` be an operand.
      const inner = resolveOperand(operand.operands[0]!, substitutions);
      return inner instanceof ExpressionProblem ? inner : { kind: 'size', operand: inner };
    }
  }
}
