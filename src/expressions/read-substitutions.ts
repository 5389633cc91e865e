import { DynamoError, validationError } from '../model/errors.ts';
import { expressionLimits } from '../model/limits.ts';
import type { ValidationLayer } from '../model/validation-layer.ts';
import type { AttributeValue } from '../model/values/attribute-value.ts';
import { valueSize } from '../model/values/item-size.ts';
import { checkAttributeName, readAttributeValue } from '../model/values/read-attribute-value.ts';
import { utf8Length, wellFormed } from '../model/values/utf8.ts';

/** ExpressionAttributeNames and ExpressionAttributeValues, or what the service answers to them. */

export function readNames(
  sent: Readonly<Record<string, string>> | undefined,
  layer: ValidationLayer,
): ReadonlyMap<string, string> | DynamoError {
  if (sent === undefined) return noNames;
  const names = new Map<string, string>();
  const parameter = 'ExpressionAttributeNames';
  const keys = Object.keys(sent);
  if (keys.length === 0) return mustNotBeEmpty(parameter);
  for (const key of keys) {
    const wrong = checkKey(parameter, key, '#', true);
    if (wrong !== undefined) return wrong;
  }
  let bytes = 0;
  for (const key of keys) {
    const name = wellFormed(sent[key]!);
    const wrong = checkAttributeName(name);
    if (wrong !== undefined) return invalidValue(parameter, key, wrong, layer);
    bytes += utf8Length(key) + utf8Length(name);
    names.set(key, name);
  }
  return bytes > expressionLimits.substitutionBytesMax ? exceeds(parameter) : names;
}

/** The bound is for names and values together. */
export function readValues(
  sent: Readonly<Record<string, unknown>> | undefined,
  layer: ValidationLayer,
  names: ReadonlyMap<string, string>,
  levelsMax?: number,
): ReadonlyMap<string, AttributeValue> | DynamoError {
  if (sent === undefined) return noValues;
  const values = new Map<string, AttributeValue>();
  const parameter = 'ExpressionAttributeValues';
  const keys = Object.keys(sent);
  if (keys.length === 0) return mustNotBeEmpty(parameter);
  for (const key of keys) {
    const wrong = checkKey(parameter, key, ':', layer === 'newer');
    if (wrong !== undefined) return wrong;
  }
  let bytes = 0;
  for (const [key, name] of names) bytes += utf8Length(key) + utf8Length(name);
  for (const key of keys) {
    const value = readAttributeValue(sent[key], layer, levelsMax);
    if (value instanceof DynamoError) return invalidValue(parameter, key, value, layer);
    bytes += utf8Length(key) + valueSize(value);
    values.set(key, value);
  }
  return bytes > expressionLimits.substitutionBytesMax ? exceeds(parameter) : values;
}

const noNames: ReadonlyMap<string, string> = new Map();
const noValues: ReadonlyMap<string, AttributeValue> = new Map();

type Parameter = 'ExpressionAttributeNames' | 'ExpressionAttributeValues';

/**
 * A key that is too long is called so before its characters are judged. Only of values and only in the older layer
 * does that text keep the size to itself (inferred: reimplementations, which agree on it, 2026).
 */
function checkKey(
  parameter: Parameter,
  key: string,
  sign: '#' | ':',
  showsSize: boolean,
): DynamoError | undefined {
  const bytes = utf8Length(key);
  if (bytes > expressionLimits.placeholderBytesMax) {
    const size = showsSize ? ` size of key: ${bytes}` : '';
    return validationError(
      `${parameter} contains invalid key: The expression attribute map contains a key that is too long;${size}`,
    );
  }
  if (key.startsWith(sign) && /^.[A-Za-z0-9_]+$/.test(key)) return undefined;
  return validationError(`${parameter} contains invalid key: Syntax error; key: "${key}"`);
}

/** The newer layer leaves out where the value was found. */
function invalidValue(
  parameter: Parameter,
  key: string,
  error: DynamoError,
  layer: ValidationLayer,
): DynamoError {
  if (layer === 'newer') return error;
  return validationError(`${parameter} contains invalid value: ${error.message} for key ${key}`);
}

function mustNotBeEmpty(parameter: Parameter): DynamoError {
  return validationError(`${parameter} must not be empty`);
}

function exceeds(parameter: Parameter): DynamoError {
  return validationError(`${parameter} exceeds max size`);
}
