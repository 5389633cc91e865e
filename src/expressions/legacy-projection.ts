import { type DynamoError, invalidParameter } from '../model/errors.ts';
import { checkAttributeName } from '../model/values/read-attribute-value.ts';
import { wellFormed } from '../model/values/utf8.ts';
import { projectionOf } from './project.ts';
import type { Projection } from './tree.ts';

/** AttributesToGet as a projection. Its names are attributes of the item, whatever dots they have. */
export function attributesToGet(sent: readonly string[]): Projection | DynamoError {
  const names = new Set<string>();
  for (const text of sent) {
    const name = wellFormed(text);
    const wrong = checkAttributeName(name);
    if (wrong !== undefined) return wrong;
    if (names.has(name)) return invalidParameter(`Duplicate value in attribute name: ${name}`);
    names.add(name);
  }
  return projectionOf([...names].map((name) => [name] as const));
}
