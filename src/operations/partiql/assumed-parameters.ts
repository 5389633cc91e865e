import { operandsOf } from '../../expressions/operands.ts';
import {
  type ParsedStatement,
  parameterReference,
  type StatementCondition,
  type TruthOperand,
} from '../../expressions/partiql/statement-tree.ts';
import type { ParsedArithmetic, ParsedOperand, ParsedPrimitive } from '../../expressions/tree.ts';
import type { AttributeType, AttributeValue } from '../../model/values/attribute-value.ts';
import { encodeBase64 } from '../../model/values/base64.ts';
import { encodeUtf8 } from '../../model/values/utf8.ts';

/**
 * Values for the parameters of a statement that is to be explained and not run: of the types that their places ask
 * for, and all different, so that `IN [?, ?]` means two values.
 */
export function assumedParameters(
  statement: ParsedStatement,
  keyTypes: ReadonlyMap<string, AttributeType>,
): readonly AttributeValue[] {
  const types = new Map<string, AttributeType | 'type name'>();
  const select = statement.kind === 'exists' ? statement.select : statement;
  if ('where' in select && select.where !== undefined) noteCondition(select.where, keyTypes, types);
  if (statement.kind === 'insert') {
    for (const [name, reference] of statement.item) {
      const type = keyTypes.get(name);
      if (type !== undefined) types.set(reference, type);
    }
  }
  if (statement.kind === 'update') {
    for (const { value } of statement.update.actions) if (value !== undefined) noteValue(value, types);
    for (const { reference } of statement.setArguments) types.set(reference, 'SS');
  }
  return Array.from({ length: select.values.parameters }, (_, i) =>
    assumedValue(types.get(parameterReference(i)) ?? 'S', i),
  );
}

type Types = Map<string, AttributeType | 'type name'>;
type KeyTypes = ReadonlyMap<string, AttributeType>;

function noteCondition(condition: StatementCondition, keyTypes: KeyTypes, types: Types): void {
  switch (condition.kind) {
    case 'and':
    case 'or':
      for (const part of condition.conditions) noteCondition(part, keyTypes, types);
      return;
    case 'not':
      noteCondition(condition.condition, keyTypes, types);
      return;
    case 'truth':
      for (const operand of [condition.left, condition.right]) noteTruth(operand, keyTypes, types);
      return;
    case 'truth in':
      for (const operand of [condition.operand, ...condition.list]) noteTruth(operand, keyTypes, types);
      return;
    default:
      notePrimitive(condition, keyTypes, types);
  }
}

function noteTruth(operand: TruthOperand, keyTypes: KeyTypes, types: Types): void {
  if (operand.kind === 'condition') noteCondition(operand.condition, keyTypes, types);
}

/** What is compared with a key has its type, and what is compared with a size is a number. */
function notePrimitive(primitive: ParsedPrimitive, keyTypes: KeyTypes, types: Types): void {
  const operands = operandsOf(primitive);
  if (primitive.kind === 'call' && primitive.function === 'attribute_type') {
    const [, name] = operands;
    if (name?.kind === 'value') types.set(name.reference, 'type name');
    return;
  }
  const type = operands.map((operand) => typeOfOperand(operand, keyTypes)).find((each) => each !== undefined);
  if (type === undefined) return;
  for (const operand of operands) if (operand.kind === 'value') types.set(operand.reference, type);
}

function typeOfOperand(operand: ParsedOperand, keyTypes: KeyTypes): AttributeType | undefined {
  if (operand.kind === 'call') return 'N';
  if (operand.kind !== 'path' || operand.elements.length > 1) return undefined;
  const [element] = operand.elements;
  return element?.kind === 'name' ? keyTypes.get(element.name) : undefined;
}

function noteValue(value: ParsedOperand | ParsedArithmetic, types: Types): void {
  const parts =
    value.kind === 'arithmetic' ? [value.left, value.right] : value.kind === 'call' ? value.operands : [];
  for (const part of parts) {
    if (part.kind === 'value') types.set(part.reference, value.kind === 'arithmetic' ? 'N' : 'L');
    else noteValue(part, types);
  }
}

function assumedValue(type: AttributeType | 'type name', position: number): AttributeValue {
  const text = `?${String(position).padStart(5, '0')}`;
  switch (type) {
    case 'N':
      return { N: String(position) };
    case 'B':
      return { B: encodeBase64(encodeUtf8(text)) };
    case 'L':
      return { L: [] };
    case 'SS':
      return { SS: [text] };
    case 'type name':
      return { S: 'S' };
    default:
      return { S: text };
  }
}
