import type { Condition, DocumentPath, Operand, Update, UpdateValue } from './tree.ts';

/** The names of all attributes that a condition and an update lead to, at their beginning: what is read of an item. */
export function attributesNamed(
  condition: Condition | undefined,
  update?: Update | undefined,
): ReadonlySet<string> {
  if (condition === undefined && update === undefined) return noNames;
  const names = new Set<string>();
  if (condition !== undefined) visitPaths(condition, ([name]) => names.add(name));
  if (update !== undefined)
    for (const action of update.actions) {
      names.add(action.path[0]);
      if (action.kind === 'set') visitUpdateValue(action.value, ([name]) => names.add(name));
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

/** Every path of a condition, in the order of the text. */
export function visitPaths(condition: Condition, visit: (path: DocumentPath) => void): void {
  const operand = (one: Operand): void => {
    if (one.kind === 'path') visit(one.path);
    else if (one.kind === 'size') operand(one.operand);
    else if (one.kind === 'condition') visitPaths(one.condition, visit);
  };
  switch (condition.kind) {
    case 'and':
    case 'or':
      for (const part of condition.conditions) visitPaths(part, visit);
      break;
    case 'not':
      visitPaths(condition.condition, visit);
      break;
    case 'compare':
      operand(condition.left);
      operand(condition.right);
      break;
    case 'between':
      operand(condition.operand);
      operand(condition.low);
      operand(condition.high);
      break;
    case 'in':
      operand(condition.operand);
      for (const one of condition.list) operand(one);
      break;
    case 'attribute_exists':
    case 'attribute_not_exists':
      visit(condition.path);
      break;
    case 'attribute_type':
      operand(condition.operand);
      break;
    case 'begins_with':
      operand(condition.operand);
      operand(condition.prefix);
      break;
    case 'contains':
      operand(condition.container);
      operand(condition.element);
      break;
  }
}

/** Every path that a value of SET reads, in the order of the text. */
export function visitUpdateValue(value: UpdateValue, visit: (path: DocumentPath) => void): void {
  switch (value.kind) {
    case 'path':
      visit(value.path);
      break;
    case 'if_not_exists':
      visit(value.path);
      visitUpdateValue(value.otherwise, visit);
      break;
    case 'list_append':
      visitUpdateValue(value.first, visit);
      visitUpdateValue(value.second, visit);
      break;
    case 'arithmetic':
      visitUpdateValue(value.left, visit);
      visitUpdateValue(value.right, visit);
      break;
  }
}
