import type { AttributeValue } from '../../model/values/attribute-value.ts';
import type { Condition, DocumentPath, Operand, Update, UpdateAction, UpdateValue } from '../tree.ts';

/** How a value is shown; undefined for a literal. */
export type ShowValue = (value: AttributeValue) => string | undefined;

const asLiteral: ShowValue = () => undefined;

/** A condition as PartiQL, which reads as the same condition again; binary values alone have no literal. */
export function printCondition(condition: Condition, show: ShowValue = asLiteral): string {
  const operand = (each: Operand) => printOperand(each, show);
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const joint = condition.kind.toUpperCase();
      return condition.conditions.map((part) => grouped(part, show)).join(` ${joint} `);
    }
    case 'not':
      return `NOT ${grouped(condition.condition, show)}`;
    case 'compare':
      return `${operand(condition.left)} ${condition.comparator} ${operand(condition.right)}`;
    case 'between':
      return `${operand(condition.operand)} BETWEEN ${operand(condition.low)} AND ${operand(condition.high)}`;
    case 'in':
      return `${operand(condition.operand)} IN [${condition.list.map(operand).join(', ')}]`;
    case 'attribute_exists':
      return `attribute_exists(${printPath(condition.path)})`;
    case 'attribute_not_exists':
      return `${printPath(condition.path)} IS MISSING`;
    case 'attribute_type':
      return `attribute_type(${operand(condition.operand)}, '${condition.type}')`;
    case 'begins_with':
      return `begins_with(${operand(condition.operand)}, ${operand(condition.prefix)})`;
    case 'contains':
      return `contains(${operand(condition.container)}, ${operand(condition.element)})`;
  }
}

/** Conditions within others stand in parentheses, except functions, which need none. */
function grouped(condition: Condition, show: ShowValue): string {
  const text = printCondition(condition, show);
  const isCall = ['attribute_exists', 'attribute_type', 'begins_with', 'contains'].includes(condition.kind);
  const isPlain = isCall || condition.kind === 'compare' || condition.kind === 'in';
  return isPlain && !hasCondition(condition) ? text : `(${text})`;
}

function hasCondition(condition: Condition): boolean {
  if (condition.kind === 'compare') return [condition.left, condition.right].some(isCondition);
  return condition.kind === 'in' && [condition.operand, ...condition.list].some(isCondition);
}

function isCondition({ kind }: Operand): boolean {
  return kind === 'condition';
}

function printOperand(operand: Operand, show: ShowValue): string {
  switch (operand.kind) {
    case 'path':
      return printPath(operand.path);
    case 'value':
      return printValue(operand.value, show);
    case 'size':
      return `size(${printOperand(operand.operand, show)})`;
    case 'condition':
      return `(${printCondition(operand.condition, show)})`;
  }
}

/** Names are always quoted, so that none is taken for a keyword. */
export function printPath([first, ...rest]: DocumentPath): string {
  const name = (text: string) => `"${text.replaceAll('"', '""')}"`;
  return (
    name(first) + rest.map((each) => (typeof each === 'number' ? `[${each}]` : `.${name(each)}`)).join('')
  );
}

export function printValue(value: AttributeValue, show: ShowValue = asLiteral): string {
  const shown = show(value);
  if (shown !== undefined) return shown;
  const list = (members: readonly string[]) => members.join(', ');
  if ('S' in value) return printText(value.S);
  if ('N' in value) return value.N;
  if ('BOOL' in value) return String(value.BOOL);
  if ('NULL' in value) return 'null';
  if ('L' in value) return `[${list(value.L.map((member) => printValue(member, show)))}]`;
  if ('M' in value) {
    return `{${list([...value.M].map(([name, member]) => `${printText(name)}: ${printValue(member, show)}`))}}`;
  }
  if ('SS' in value) return `<<${list(value.SS.map(printText))}>>`;
  if ('NS' in value) return `<<${list(value.NS)}>>`;
  return 'B' in value ? `binary ${printText(value.B)}` : `binary <<${list(value.BS.map(printText))}>>`;
}

function printText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** What an update does, one action after the other. */
export function printUpdate({ actions }: Update, show: ShowValue = asLiteral): string {
  return actions.map((action) => printAction(action, show)).join(' ');
}

function printAction(action: UpdateAction, show: ShowValue): string {
  const path = printPath(action.path);
  switch (action.kind) {
    case 'remove':
      return `REMOVE ${path}`;
    case 'set':
      return `SET ${path} = ${printUpdateValue(action.value, show)}`;
    case 'add':
      return `SET ${path} = set_add(${path}, ${printValue(action.value, show)})`;
    case 'delete':
      return `SET ${path} = set_delete(${path}, ${printValue(action.value, show)})`;
  }
}

function printUpdateValue(value: UpdateValue, show: ShowValue): string {
  const inner = (part: UpdateValue) => {
    const text = printUpdateValue(part, show);
    return part.kind === 'arithmetic' ? `(${text})` : text;
  };
  switch (value.kind) {
    case 'path':
      return printPath(value.path);
    case 'value':
      return printValue(value.value, show);
    case 'arithmetic':
      return `${inner(value.left)} ${value.operator} ${inner(value.right)}`;
    case 'list_append':
      return `list_append(${inner(value.first)}, ${inner(value.second)})`;
    case 'if_not_exists':
      return `if_not_exists(${printPath(value.path)}, ${inner(value.otherwise)})`;
  }
}
