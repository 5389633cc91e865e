import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { DynamoError } from '../../model/errors.ts';
import type { AttributeValue, Item } from '../../model/values/attribute-value.ts';
import { setOf } from '../../model/values/attribute-value.ts';
import { meetsCondition } from '../evaluate-condition.ts';
import { ParsedExpressions } from '../parsed-cache.ts';
import { readExpressions } from '../request-expressions.ts';
import type { Comparator, Condition, DocumentPath, Operand } from '../tree.ts';
import { parseStatement } from './parse-statement.ts';
import { printCondition } from './print-condition.ts';
import { resolveStatement } from './resolve-statement.ts';

/** Random conditions mean the same to an item, whether they are written as PartiQL or as an expression. */

const names = ['a', 'b', 'key', 'it"s', 'select', 'x.y'];
const path = fc
  .tuple(
    fc.constantFrom(...names),
    fc.array(fc.oneof(fc.constantFrom(...names), fc.nat(2)), { maxLength: 2 }),
  )
  .map(([first, rest]): DocumentPath => [first, ...rest]);

const text = fc.constantFrom('', 'a', 'ab', "it's", 'é𝄞', '?');
const number = fc.constantFrom('0', '1', '-1.5', '10', '123456789012345678901234567890');
const { value } = fc.letrec<{ value: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    text.map((S): AttributeValue => ({ S })),
    number.map((N): AttributeValue => ({ N })),
    fc.boolean().map((BOOL): AttributeValue => ({ BOOL })),
    fc.constant<AttributeValue>({ NULL: true }),
    fc.uniqueArray(text, { minLength: 1, maxLength: 2 }).map((members) => setOf('SS', members)),
    fc.uniqueArray(number, { minLength: 1, maxLength: 2 }).map((members) => setOf('NS', members)),
    fc.array(tie('value'), { maxLength: 3 }).map((L): AttributeValue => ({ L })),
    fc
      .array(fc.tuple(fc.constantFrom(...names), tie('value')), { maxLength: 2 })
      .map((members): AttributeValue => ({ M: new Map(members) })),
  ),
}));
const item: fc.Arbitrary<Item> = fc
  .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 4 })
  .map((members) => new Map(members));

const simple: fc.Arbitrary<Operand> = fc.oneof(
  path.map((each): Operand => ({ kind: 'path', path: each })),
  value.map((each): Operand => ({ kind: 'value', value: each })),
);
const operand: fc.Arbitrary<Operand> = fc.oneof(
  { weight: 5, arbitrary: simple },
  { weight: 1, arbitrary: simple.map((inner): Operand => ({ kind: 'size', operand: inner })) },
);
const comparator = fc.constantFrom<Comparator>('=', '<>', '<', '<=', '>', '>=');
const type = fc.constantFrom('S', 'N', 'BOOL', 'NULL', 'L', 'M', 'SS', 'NS');
const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3 },
    fc.record({ kind: fc.constant('compare' as const), comparator, left: operand, right: operand }),
    fc.record({ kind: fc.constant('between' as const), operand, low: operand, high: operand }),
    fc.record({
      kind: fc.constant('in' as const),
      operand,
      list: fc.array(operand, { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constantFrom('attribute_exists' as const, 'attribute_not_exists' as const), path }),
    fc.record({ kind: fc.constant('attribute_type' as const), operand: simple, type }),
    fc.record({ kind: fc.constant('begins_with' as const), operand: simple, prefix: simple }),
    fc.record({ kind: fc.constant('contains' as const), container: simple, element: simple }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      conditions: fc.array(tie('condition'), { minLength: 2, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('not' as const), condition: tie('condition') }),
  ) as fc.Arbitrary<Condition>,
}));

/** A condition as a ConditionExpression with its names and values. */
class ExpressionPrinter {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, unknown> = {};

  print(given: Condition): string {
    const operands = (...all: Operand[]) => all.map((each) => this.#operand(each));
    switch (given.kind) {
      case 'and':
      case 'or':
        return given.conditions.map((part) => this.#grouped(part)).join(` ${given.kind} `);
      case 'not':
        return `NOT ${this.#grouped(given.condition)}`;
      case 'compare':
        return operands(given.left, given.right).join(` ${given.comparator} `);
      case 'between': {
        const [middle, low, high] = operands(given.operand, given.low, given.high);
        return `${middle} BETWEEN ${low} AND ${high}`;
      }
      case 'in':
        return `${this.#operand(given.operand)} IN (${operands(...given.list).join(', ')})`;
      case 'attribute_exists':
      case 'attribute_not_exists':
        return `${given.kind}(${this.#path(given.path)})`;
      case 'attribute_type':
        return `attribute_type(${this.#operand(given.operand)}, ${this.#value({ S: given.type })})`;
      case 'begins_with':
        return `begins_with(${operands(given.operand, given.prefix).join(', ')})`;
      case 'contains':
        return `contains(${operands(given.container, given.element).join(', ')})`;
    }
  }

  #grouped(part: Condition): string {
    const printed = this.print(part);
    return ['and', 'or', 'not', 'between'].includes(part.kind) ? `(${printed})` : printed;
  }

  #operand(given: Operand): string {
    switch (given.kind) {
      case 'path':
        return this.#path(given.path);
      case 'value':
        return this.#value(given.value);
      case 'size':
        return `size(${this.#operand(given.operand)})`;
      case 'condition':
        throw new Error('no operand of an expression');
    }
  }

  #path([first, ...rest]: DocumentPath): string {
    const printed = rest.map((each) => (typeof each === 'number' ? `[${each}]` : `.${this.#name(each)}`));
    return this.#name(first) + printed.join('');
  }

  #name(name: string): string {
    const reference = `#n${names.indexOf(name)}`;
    this.names[reference] = name;
    return reference;
  }

  #value(given: AttributeValue): string {
    const reference = `:v${Object.keys(this.values).length}`;
    this.values[reference] = wire(given);
    return reference;
  }
}

function wire(given: AttributeValue): unknown {
  if ('L' in given) return { L: given.L.map(wire) };
  if ('M' in given) return { M: Object.fromEntries([...given.M].map(([name, each]) => [name, wire(each)])) };
  return given;
}

function fromExpression(given: Condition): Condition | string {
  const printer = new ExpressionPrinter();
  const ConditionExpression = printer.print(given);
  const read = readExpressions(
    {
      ConditionExpression,
      ...(Object.keys(printer.names).length > 0 && { ExpressionAttributeNames: printer.names }),
      ...(Object.keys(printer.values).length > 0 && { ExpressionAttributeValues: printer.values }),
    },
    'older',
    new ParsedExpressions(),
  );
  if (read instanceof DynamoError) return read.message!.replace('Invalid ConditionExpression: ', '');
  return read.condition!;
}

function fromStatement(given: Condition): Condition | string {
  const parsed = parseStatement(`SELECT * FROM tab WHERE ${printCondition(given)}`);
  const resolved = parsed instanceof DynamoError ? parsed : resolveStatement(parsed, []);
  if (resolved instanceof DynamoError) return resolved.message!;
  if (resolved.kind !== 'select') throw new Error('not a SELECT');
  return resolved.where!;
}

it('as a statement and as an expression', () => {
  let met = 0;
  let refused = 0;
  assertProperty(
    fc.property(condition, fc.array(item, { minLength: 1, maxLength: 5 }), (given, items) => {
      const [expression, statement] = [fromExpression(given), fromStatement(given)];
      if (typeof expression === 'string' || typeof statement === 'string') {
        expect(statement).toEqual(expression);
        refused++;
        return;
      }
      for (const each of items) {
        const meets = meetsCondition(expression, each);
        expect(meetsCondition(statement, each)).toBe(meets);
        expect(meetsCondition(given, each)).toBe(meets);
        if (meets) met++;
      }
    }),
    { numRuns: propertyRuns(2_000) },
  );
  // The property would also hold if no condition were ever met or refused.
  expect(met).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
});

it('printed and read again', () => {
  assertProperty(
    fc.property(condition, (given) => {
      // Reading joins ORs of ORs and ANDs of ANDs; after that nothing changes any more.
      const read = fromStatement(given);
      if (typeof read === 'string') return;
      expect(fromStatement(read)).toEqual(read);
    }),
    { numRuns: propertyRuns(2_000) },
  );
});
