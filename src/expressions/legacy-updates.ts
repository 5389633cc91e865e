import { DynamoError, invalidParameter } from '../model/errors.ts';
import type { ValidationLayer } from '../model/validation-layer.ts';
import { type AttributeValue, typeOf } from '../model/values/attribute-value.ts';
import { checkAttributeName, readAttributeValue } from '../model/values/read-attribute-value.ts';
import { wellFormed } from '../model/values/utf8.ts';
import type { Update, UpdateAction } from './tree.ts';

/** One attribute of AttributeUpdates. */
export interface LegacyUpdate {
  readonly Value?: unknown;
  readonly Action?: 'ADD' | 'PUT' | 'DELETE' | undefined;
}

/** AttributeUpdates as an update. An empty one is allowed: it creates the item and changes nothing else. */
export function attributeUpdates(
  updates: Readonly<Record<string, LegacyUpdate>>,
  layer: ValidationLayer,
): Update | DynamoError {
  const actions: UpdateAction[] = [];
  for (const sent of Object.keys(updates)) {
    const name = wellFormed(sent);
    const action = checkAttributeName(name) ?? actionOf(name, updates[sent]!, layer);
    if (action instanceof DynamoError) return action;
    actions.push(action);
  }
  return { actions, form: 'legacy' };
}

function actionOf(
  name: string,
  { Value, Action = 'PUT' }: LegacyUpdate,
  layer: ValidationLayer,
): UpdateAction | DynamoError {
  const path = [name] as const;
  if (Value === undefined) {
    return Action === 'DELETE'
      ? { kind: 'remove', path }
      : invalidParameter('Only DELETE action is allowed when no attribute value is specified');
  }
  const value = readAttributeValue(Value, layer);
  if (value instanceof DynamoError) return value;
  switch (Action) {
    case 'PUT':
      return { kind: 'set', path, value: { kind: 'value', value } };
    case 'ADD':
      return addition(path, value);
    case 'DELETE':
      if ('SS' in value || 'NS' in value || 'BS' in value) return { kind: 'delete', path, value };
      return invalidParameter(`DELETE action with value is not supported for the type ${typeOf(value)}`);
  }
}

/** Unlike that of an expression, this ADD takes lists, which it appends (observed: Alternator's tests). */
function addition(path: readonly [string], value: AttributeValue): UpdateAction | DynamoError {
  if ('N' in value || 'L' in value || 'SS' in value || 'NS' in value || 'BS' in value) {
    return { kind: 'add', path, value };
  }
  return invalidParameter(`ADD action is not supported for the type ${typeOf(value)}`);
}
