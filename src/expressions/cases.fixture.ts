import { DynamoError } from '../model/errors.ts';
import type { ValidationLayer } from '../model/validation-layer.ts';
import type { AttributeValue, Item } from '../model/values/attribute-value.ts';
import { readItem } from '../model/values/read-attribute-value.ts';
import { ParsedExpressions } from './parsed-cache.ts';
import {
  type ExpressionInput,
  type ExpressionParameter,
  type RequestExpressions,
  readExpressions,
} from './request-expressions.ts';
import type { Condition, Projection, Update } from './tree.ts';

/** Text in, text out: expressions with the placeholders that they name, from a common stock. */

/** `#a` is `a`; `#dotted` and the like are what no bare name can be. */
const names: Readonly<Record<string, string>> = {
  '#a': 'a',
  '#b': 'b',
  '#c': 'c',
  '#dotted': 'a.b[1]',
  '#proto': '__proto__',
  '#constructor': 'constructor',
  '#status': 'status',
};

/** Each value is named for its type, with a second one where order or equality matters. */
export const stock: Readonly<Record<string, unknown>> = {
  ':s': { S: 's' },
  ':s2': { S: 't' },
  ':empty': { S: '' },
  ':n': { N: '1' },
  ':n2': { N: '2' },
  ':b': { B: 'AQ==' },
  ':b2': { B: 'Ag==' },
  ':bool': { BOOL: true },
  ':null': { NULL: true },
  ':l': { L: [{ N: '1' }] },
  ':m': { M: { a: { N: '1' } } },
  ':ss': { SS: ['x', 'y'] },
  ':ns': { NS: ['1', '2'] },
  ':bs': { BS: ['AQ==', 'Ag=='] },
  ':typeS': { S: 'S' },
  ':typeL': { S: 'L' },
};

/** The entries of the stock that the texts name. */
function namedIn<T>(texts: string, entries: Readonly<Record<string, T>>): Record<string, T> | undefined {
  const tokens = new Set(texts.match(/[#:]\w+/g));
  const named = Object.entries(entries).filter(([key]) => tokens.has(key));
  return named.length === 0 ? undefined : Object.fromEntries(named);
}

type Texts = Partial<Record<ExpressionParameter, string>>;

export function read(
  texts: Texts,
  values: Readonly<Record<string, unknown>> = {},
  layer: ValidationLayer = 'older',
): RequestExpressions | DynamoError {
  const all = Object.values(texts).join(' ');
  const input: ExpressionInput = {
    ...texts,
    ExpressionAttributeNames: namedIn(all, names),
    ExpressionAttributeValues: namedIn(all, { ...stock, ...values }),
  };
  return readExpressions(input, layer, new ParsedExpressions());
}

/** What is wrong with an expression, without the prefix that names its parameter; `fine` when nothing is. */
export function problemOf(parameter: ExpressionParameter, text: string): string {
  const result = read({ [parameter]: text });
  if (!(result instanceof DynamoError)) return 'fine';
  const prefix = `Invalid ${parameter}: `;
  const message = result.message ?? '';
  return message.startsWith(prefix) ? message.slice(prefix.length) : `without prefix: ${message}`;
}

export function condition(text: string, values: Readonly<Record<string, unknown>> = {}): Condition {
  return got(read({ ConditionExpression: text }, values)).condition!;
}

export function update(text: string, values: Readonly<Record<string, unknown>> = {}): Update {
  return got(read({ UpdateExpression: text }, values)).update!;
}

export function projection(text: string): Projection {
  return got(read({ ProjectionExpression: text })).projection!;
}

function got(result: RequestExpressions | DynamoError): RequestExpressions {
  if (result instanceof DynamoError) throw new Error(result.message);
  return result;
}

/** An item from its DynamoDB JSON. */
export function item(json: Readonly<Record<string, unknown>>): Item {
  const read = readItem(json, 'older');
  if (read instanceof DynamoError) throw new Error(read.message);
  return read;
}

/** An item as plain JSON for comparison: maps as objects, keys in order. */
export function shown(found: Item | undefined): unknown {
  if (found === undefined) return undefined;
  return Object.fromEntries(
    [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => [name, shownValue(value)]),
  );
}

function shownValue(value: AttributeValue): unknown {
  if ('M' in value) return { M: shown(value.M) };
  return 'L' in value ? { L: value.L.map(shownValue) } : value;
}
