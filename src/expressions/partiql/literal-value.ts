import { DynamoError, validationError } from '../../model/errors.ts';
import { itemLimits } from '../../model/limits.ts';
import { type AttributeValue, setOf } from '../../model/values/attribute-value.ts';
import { canonicalNumber } from '../../model/values/numbers.ts';
import { checkAttributeName } from '../../model/values/read-attribute-value.ts';
import { wellFormed } from '../../model/values/utf8.ts';
import type { Expression, Place } from './expression.ts';

/** What is wrong with a literal, and the token that is to blame, if the service names one. */
export interface LiteralProblem {
  readonly error: DynamoError;
  readonly token: Place | undefined;
}

/**
 * The value that a literal stands for. `under` is where in the value the expression stands, which errors tell: `root`,
 * `root.a`, `root[0]` (observed: public captures, September 2026). Parameters are values by themselves, but no parts of
 * one.
 */
export function literalValue(
  expression: Expression,
  under = 'root',
  level = 1,
): AttributeValue | LiteralProblem {
  if (level > itemLimits.nestingLevelsMax) {
    return problem(`Nesting Levels have exceeded supported limits under ${under}`);
  }
  switch (expression.kind) {
    case 'string':
      return { S: wellFormed(expression.text) };
    case 'number':
      return numberValue(expression.text, under);
    case 'boolean':
      return { BOOL: expression.value };
    case 'null':
      return { NULL: true };
    case 'list': {
      const members: AttributeValue[] = [];
      for (const [i, member] of expression.members.entries()) {
        const value = literalValue(member, `${under}[${i}]`, level + 1);
        if ('error' in value) return value;
        members.push(value);
      }
      return { L: members };
    }
    case 'struct':
      return structValue(expression, under, level);
    case 'bag':
      return bagValue(expression.members, under);
    case 'missing':
      return problem('MISSING must be compared using IS operator');
    case 'ion':
      return problem(
        `Ion Literals are not supported: ${expression.text} under key ${under}`,
        expression.token,
      );
    default:
      return problem(`Unsupported data type: ${dataType(expression)} under key ${under}`, expression.token);
  }
}

/**
 * The types by the names of the parser's nodes. `Parameter` and the name of a function (observed: public captures,
 * September and October 2026); the others follow from them (inferred).
 */
function dataType(expression: Expression): string {
  switch (expression.kind) {
    case 'parameter':
      return 'Parameter';
    case 'call':
      return expression.name;
    case 'path':
      return expression.steps.length === 1 ? 'VariableReference' : 'Path';
    case 'operation':
      return expression.operator;
    default:
      return 'Typed';
  }
}

function numberValue(text: string, under: string): AttributeValue | LiteralProblem {
  const number = canonicalNumber(text, 'older');
  return number instanceof DynamoError ? problem(`${number.message} under ${under}`) : { N: number };
}

function structValue(
  { members }: Extract<Expression, { kind: 'struct' }>,
  under: string,
  level: number,
): AttributeValue | LiteralProblem {
  const map = new Map<string, AttributeValue>();
  for (const { name, value } of members) {
    const key = structKey(name, map, under);
    if (typeof key !== 'string') return key;
    const member = literalValue(value, `${under}.${key}`, level + 1);
    if ('error' in member) return member;
    map.set(key, member);
  }
  return { M: map };
}

/** The name of a struct's next member; also for INSERT, whose item is a struct. */
export function structKey(
  name: Expression,
  taken: ReadonlyMap<string, unknown>,
  under: string,
): string | LiteralProblem {
  if (name.kind !== 'string') {
    return problem(
      `Tuple keys must be of type String. Actual type: ${dataType(name)} under ${under}`,
      name.token,
    );
  }
  const key = wellFormed(name.text);
  if (taken.has(key)) return problem(`Duplicate keys in tuple. Key: ${key} under ${under}`);
  const wrong = checkAttributeName(key);
  return wrong === undefined ? key : { error: wrong, token: undefined };
}

/** Sets of strings or of numbers; there is no literal for binary values. */
function bagValue(members: readonly Expression[], under: string): AttributeValue | LiteralProblem {
  if (members.length === 0) return problem('Empty bags are not supported');
  const parameter = members.findIndex(({ kind }) => kind === 'parameter');
  if (parameter >= 0) return literalValue(members[parameter]!, `${under}[${parameter}]`) as LiteralProblem;
  const isOf = (kind: 'string' | 'number') => members.every((member) => member.kind === kind);
  if (!isOf('string') && !isOf('number')) {
    return problem('Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags');
  }
  const texts = members.map((member) => (member as { readonly text: string }).text);
  if (isOf('string')) {
    const strings = texts.map(wellFormed);
    return new Set(strings).size < strings.length ? repeated(texts, '.') : setOf('SS', strings);
  }
  const numbers: string[] = [];
  for (const text of texts) {
    const value = numberValue(text, under);
    if ('error' in value) return value;
    numbers.push((value as { readonly N: string }).N);
  }
  return new Set(numbers).size < numbers.length ? repeated(texts, `! under ${under}`) : setOf('NS', numbers);
}

/** Both endings (observed: public captures, September 2026). */
function repeated(texts: readonly string[], ending: string): LiteralProblem {
  return problem(
    `One or more parameter values were invalid: Input collection [${texts.join(', ')}] contains duplicates${ending}`,
  );
}

function problem(text: string, token?: Place): LiteralProblem {
  return { error: validationError(text), token };
}
