import type { Condition, Operand, Update, UpdateValue } from './tree.ts';

/** The names of all attributes that a condition and an update lead to, at their beginning: what is read of an item. */
export function attributesNamed(
  condition: Condition | undefined,
  update?: Update | undefined,
): ReadonlySet<string> {
  if (condition === undefined && update === undefined) return noNames;
  const names = new Set<string>();
  if (condition !== undefined) addCondition(condition, names);
  if (update !== undefined)
    for (const action of update.actions) {
      names.add(action.path[0]);
      if (action.kind === 'set') addValue(action.value, names);
    }
  return names;
}

/** The names of all attributes that an update may change. */
export function attributesChanged({ actions }: Update): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { path } of actions) names.add(path[0]);
  return names;
}

export const noNames: ReadonlySet<string> = new Set();

function addCondition(condition: Condition, names: Set<string>): void {
  switch (condition.kind) {
    case 'and':
    case 'or':
      for (const part of condition.conditions) addCondition(part, names);
      break;
    case 'not':
      addCondition(condition.condition, names);
      break;
    case 'compare':
      addOperand(condition.left, names);
      addOperand(condition.right, names);
      break;
    case 'between':
      addOperand(condition.operand, names);
      addOperand(condition.low, names);
      addOperand(condition.high, names);
      break;
    case 'in':
      addOperand(condition.operand, names);
      for (const operand of condition.list) addOperand(operand, names);
      break;
    case 'attribute_exists':
    case 'attribute_not_exists':
      names.add(condition.path[0]);
      break;
    case 'attribute_type':
      addOperand(condition.operand, names);
      break;
    case 'begins_with':
      addOperand(condition.operand, names);
      addOperand(condition.prefix, names);
      break;
    case 'contains':
      addOperand(condition.container, names);
      addOperand(condition.element, names);
      break;
  }
}

function addOperand(operand: Operand, names: Set<string>): void {
  if (operand.kind === 'path') names.add(operand.path[0]);
  else if (operand.kind === 'size') addOperand(operand.operand, names);
  else if (operand.kind === 'condition') addCondition(operand.condition, names);
}

function addValue(value: UpdateValue, names: Set<string>): void {
  switch (value.kind) {
    case 'path':
      names.add(value.path[0]);
      break;
    case 'if_not_exists':
      names.add(value.path[0]);
      addValue(value.otherwise, names);
      break;
    case 'list_append':
      addValue(value.first, names);
      addValue(value.second, names);
      break;
    case 'arithmetic':
      addValue(value.left, names);
      addValue(value.right, names);
      break;
  }
}
