import { valueSize } from '../model/values/item-size.ts';
import { utf8Length } from '../model/values/utf8.ts';
import type { DocumentPath, Update, UpdateAction, UpdateValue } from './tree.ts';

/**
 * What UpdateItem, and no other write, holds against 400 KB besides the item: the expression itself, charged by its
 * clauses and by the values of the request at every use, whatever is in the item. The charges were found by bisecting
 * the live service with 80 probes (observed: conformance suite, eu-west-2, October 2026). A third of the Regions had no
 * such rule in September (observed: conformance suite, September 2026).
 */
export function updateCharge({ actions }: Update): number {
  return actions.reduce((charge, action) => charge + actionCharge(action), 3);
}

function actionCharge(action: UpdateAction): number {
  const target = targetCharge(action.path);
  switch (action.kind) {
    case 'set':
      return 19 + target + operandCharge(action.value);
    case 'add':
      return 19 + target + valueSize(action.value);
    case 'remove':
    case 'delete':
      return 1 + target;
  }
}

function targetCharge([first, ...steps]: DocumentPath): number {
  return utf8Length(first) + steps.reduce<number>((charge, step) => charge + 4 + stepLength(step), 0);
}

function operandCharge(value: UpdateValue): number {
  switch (value.kind) {
    case 'value':
      return valueSize(value.value);
    case 'path':
      return pathCharge(value.path);
    case 'if_not_exists':
      return 39 + pathCharge(value.path) + operandCharge(value.otherwise);
    case 'list_append':
      return 37 + operandCharge(value.first) + operandCharge(value.second);
    case 'arithmetic':
      return (value.operator === '+' ? 34 : 37) + operandCharge(value.left) + operandCharge(value.right);
  }
}

/** What a path leads to is free. */
function pathCharge(path: DocumentPath): number {
  return path.reduce<number>((charge, step) => charge + 14 + stepLength(step), 1);
}

function stepLength(step: string | number): number {
  return typeof step === 'number' ? String(step).length : utf8Length(step);
}
