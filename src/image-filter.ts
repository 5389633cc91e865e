import { meetsCondition } from './expressions/evaluate-condition.ts';
import { parseStatement } from './expressions/partiql/parse-statement.ts';
import { resolveStatement } from './expressions/partiql/resolve-statement.ts';
import { DynamoError } from './model/errors.ts';
import { readItem } from './model/values/read-attribute-value.ts';

/** Tells whether an item, in DynamoDB JSON, meets a condition. */
export type ImageFilter = (image: object) => boolean;

/** Parses a condition as PartiQL has it after WHERE. Returns the problem if the condition is wrong. */
export function imageFilter(condition: string): ImageFilter | { readonly problem: string } {
  const parsed = parseStatement(`SELECT * FROM "changes" WHERE ${condition}`);
  if (parsed instanceof DynamoError) return problemOf(parsed);
  const statement = resolveStatement(parsed, []);
  if (statement instanceof DynamoError) return problemOf(statement);
  if (statement.kind !== 'select' || statement.where === undefined || statement.order.length > 0)
    return { problem: 'it is not a condition alone' };
  const { where } = statement;
  return (image) => {
    const item = readItem(image, 'older');
    if (item instanceof DynamoError) throw new Error(`an image that is no item: ${item.message}`);
    return meetsCondition(where, item);
  };
}

/** The message of an error as a part of a sentence. */
function problemOf({ message, name }: DynamoError): { readonly problem: string } {
  return { problem: (message ?? name).replace(/\.+$/, '') };
}
