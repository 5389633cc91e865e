import { type AttributeType, type AttributeValue, typeOf } from '../model/values/attribute-value.ts';
import { firstFault } from './findings.ts';
import { equalOperandsText, operandTypeText, pathNeededText, wrongCount } from './functions.ts';
import { equalPaths, pathText } from './path.ts';
import { pathClash } from './path-clash.ts';
import { resolvedPath, undefinedName, undefinedValue } from './resolve-operand.ts';
import type { Substitutions } from './substitutions.ts';
import {
  type DocumentPath,
  ExpressionProblem,
  type ParsedAction,
  type ParsedArithmetic,
  type ParsedCall,
  type ParsedOperand,
  type ParsedUpdate,
  type ParsedValue,
  type Update,
  type UpdateAction,
  type UpdateOperand,
  type UpdateValue,
} from './tree.ts';

/**
 * Puts names and values in place of their placeholders, and judges what can be judged of them. Unlike in a condition
 * each kind of fault is looked for in the whole update before the next: undefined names, undefined values, clashing
 * paths, operands of ADD and DELETE, operands of functions and sums (observed: public suites before 2024).
 */
export function resolveUpdate(
  update: ParsedUpdate,
  substitutions: Substitutions,
): Update | ExpressionProblem {
  const { actions } = update;
  const paths = actions.map(({ path }) => path);
  const problem =
    firstFault(actions, (action) => undefinedNameIn(action, substitutions)) ??
    firstFault(actions, (action) => undefinedValueIn(action.value, substitutions)) ??
    pathClash(paths.map((path) => resolvedPath(path, substitutions))) ??
    firstFault(actions, (action) => wrongAddition(action, substitutions)) ??
    firstFault(actions, (action) => wrongOperands(action.value, substitutions));
  if (problem !== undefined) return new ExpressionProblem(problem);
  return { actions: actions.map((action) => resolveAction(action, substitutions)), form: 'expression' };
}

type Part = ParsedOperand | ParsedArithmetic | undefined;

/** The operands of a sum or a call. */
function partsOf(part: Part): readonly (ParsedOperand | ParsedArithmetic)[] {
  if (part?.kind === 'arithmetic') return [part.left, part.right];
  return part?.kind === 'call' ? part.operands : [];
}

function undefinedNameIn(action: ParsedAction, substitutions: Substitutions): string | undefined {
  const inPart = (part: Part): string | undefined =>
    part?.kind === 'path' ? undefinedName(part, substitutions) : firstFault(partsOf(part), inPart);
  return undefinedName(action.path, substitutions) ?? inPart(action.value);
}

function undefinedValueIn(part: Part, substitutions: Substitutions): string | undefined {
  if (part?.kind === 'value') return undefinedValue(part.reference, substitutions);
  return firstFault(partsOf(part), (inner) => undefinedValueIn(inner, substitutions));
}

/** ADD and DELETE call the types by longer names than all else does. */
const longNames: Readonly<Record<AttributeType, string>> = {
  S: 'STRING',
  N: 'NUMBER',
  B: 'BINARY',
  BOOL: 'BOOL',
  NULL: 'NULL',
  L: 'LIST',
  M: 'MAP',
  SS: 'STRING_SET',
  NS: 'NUMBER_SET',
  BS: 'BINARY_SET',
};

/**
 * Since some time in 2026 the text ends with a set of types, the one of ADD for DELETE too, and a boolean is `BOOL`:
 * `operator: DELETE, operand type: LIST, typeSet: ALLOWED_FOR_ADD_OPERAND` (observed: floci's captures, eu-west-2, 17
 * September 2026). Until 2020 the text ended with the type.
 */
function wrongAddition(action: ParsedAction, substitutions: Substitutions): string | undefined {
  const { section, value } = action;
  if ((section !== 'ADD' && section !== 'DELETE') || value?.kind !== 'value') return undefined;
  const operand = substitutions.value(value.reference)!;
  if (isSet(operand) || (section === 'ADD' && 'N' in operand)) return undefined;
  return `Incorrect operand type for operator or function; operator: ${section}, operand type: ${longNames[typeOf(operand)]}, typeSet: ALLOWED_FOR_ADD_OPERAND`;
}

function isSet(value: AttributeValue): boolean {
  return 'SS' in value || 'NS' in value || 'BS' in value;
}

/** Sums and calls are judged from the inside. Of their operands only constants have a type yet. */
function wrongOperands(part: Part, substitutions: Substitutions): string | undefined {
  const inner = firstFault(partsOf(part), (operand) => wrongOperands(operand, substitutions));
  if (inner !== undefined) return inner;
  if (part?.kind === 'arithmetic') return wrongConstant(part.operator, 'N', partsOf(part), substitutions);
  return part?.kind === 'call' ? wrongCall(part, substitutions) : undefined;
}

function wrongCall(call: ParsedCall, substitutions: Substitutions): string | undefined {
  const count = wrongCount(call);
  if (count !== undefined) return count;
  if (call.function === 'list_append') {
    return wrongConstant('list_append', 'L', call.operands, substitutions);
  }
  const [first, second] = call.operands;
  if (first?.kind !== 'path') return pathNeededText(call.function);
  // `if_not_exists` of a path and itself is refused (observed: user reports, July 2025; inferred: DynamoDB Local).
  const path = resolvedPath(first, substitutions);
  return second?.kind === 'path' && equalPaths(resolvedPath(second, substitutions), path)
    ? equalOperandsText(call.function, pathText(path))
    : undefined;
}

function wrongConstant(
  operator: string,
  needed: AttributeType,
  operands: readonly (ParsedOperand | ParsedArithmetic)[],
  substitutions: Substitutions,
): string | undefined {
  for (const operand of operands) {
    if (operand.kind !== 'value') continue;
    const type = typeOf(substitutions.value(operand.reference)!);
    if (type !== needed) return operandTypeText(operator, type);
  }
  return undefined;
}

function resolveAction(action: ParsedAction, substitutions: Substitutions): UpdateAction {
  const path = resolvedPath(action.path, substitutions);
  const { value } = action;
  switch (action.section) {
    case 'REMOVE':
      return { kind: 'remove', path };
    case 'SET':
      return { kind: 'set', path, value: resolveValue(value!, substitutions) };
    case 'ADD':
    case 'DELETE':
      return resolveAddition(action.section, path, value as ParsedValue, substitutions);
  }
}

function resolveAddition(
  section: 'ADD' | 'DELETE',
  path: DocumentPath,
  parsed: ParsedValue,
  substitutions: Substitutions,
): UpdateAction {
  const value = substitutions.value(parsed.reference)!;
  if ('SS' in value || 'NS' in value || 'BS' in value) {
    return section === 'ADD' ? { kind: 'add', path, value } : { kind: 'delete', path, value };
  }
  if (section === 'ADD' && 'N' in value) return { kind: 'add', path, value };
  throw new Error(`an operand of ${section} that was not checked`);
}

function resolveValue(value: ParsedOperand | ParsedArithmetic, substitutions: Substitutions): UpdateValue {
  if (value.kind !== 'arithmetic') return resolveOperand(value, substitutions);
  return {
    kind: 'arithmetic',
    operator: value.operator,
    left: resolveValue(value.left, substitutions),
    right: resolveValue(value.right, substitutions),
  };
}

function resolveOperand(operand: ParsedOperand, substitutions: Substitutions): UpdateOperand {
  if (operand.kind === 'path') return { kind: 'path', path: resolvedPath(operand, substitutions) };
  if (operand.kind === 'value') {
    return { kind: 'value', value: substitutions.value(operand.reference)! };
  }
  const [one, two] = operand.operands as readonly [ParsedOperand, ParsedOperand];
  if (operand.function === 'list_append') {
    return {
      kind: 'list_append',
      first: resolveOperand(one, substitutions),
      second: resolveOperand(two, substitutions),
    };
  }
  if (one.kind !== 'path') throw new Error('a call of if_not_exists that was not checked');
  return {
    kind: 'if_not_exists',
    path: resolvedPath(one, substitutions),
    otherwise: resolveOperand(two, substitutions),
  };
}
