import { expect, expectTypeOf, it } from 'vitest';
import { answerProblems } from '../../../tests/conformance/check-answers.ts';
import type { Stator } from '../../stator.ts';
import { type PutItemInput, putItemShape } from '../items/put-item.ts';
import type { DescribeLimitsInput } from '../tables/describe-limits.ts';
import { type InputOf, inputShape } from './input-shape.ts';
import { type OutputOf, outputShape } from './output-shape.ts';
import type { AttributeValue, AttributeValueInput } from './plain-attribute-value.ts';
import {
  attributeValue,
  blob,
  boolean,
  integer,
  list,
  map,
  oneOf,
  required,
  string,
  structure,
  timestamp,
} from './shape.ts';

const members = {
  Name: required(string({ min: 1 })),
  Kind: oneOf('A', 'B'),
  Count: integer(),
  IsOn: boolean,
  At: timestamp,
  Bytes: blob,
  Item: map(attributeValue),
  Tags: list(structure('Tag', { Key: required(string()), Value: string() })),
};

it('infers the type of an input', () => {
  const shape = inputShape('Scan', members);
  expectTypeOf<InputOf<typeof shape>>().toEqualTypeOf<{
    readonly Name: string;
    readonly Kind?: 'A' | 'B';
    readonly Count?: number;
    readonly IsOn?: boolean;
    readonly At?: number;
    readonly Bytes?: Uint8Array | string;
    readonly Item?: Readonly<Record<string, AttributeValueInput>>;
    readonly Tags?: readonly { readonly Key: string; readonly Value?: string }[];
  }>();
  expectTypeOf(shape.operation).toEqualTypeOf<'Scan'>();
  expect(shape.layer).toBe('older');
  expect(putItemShape.layer).toBe('newer');
});

it('infers the type of an output', () => {
  const shape = outputShape(members);
  expectTypeOf<OutputOf<typeof shape>>().toEqualTypeOf<{
    readonly Name: string;
    readonly Kind?: 'A' | 'B';
    readonly Count?: number;
    readonly IsOn?: boolean;
    readonly At?: Date;
    readonly Bytes?: Uint8Array;
    readonly Item?: Record<string, AttributeValue>;
    readonly Tags?: { readonly Key: string; readonly Value?: string }[];
  }>();
});

it('gives plain methods the types of their operations', () => {
  type Methods = Pick<Stator, 'putItem' | 'listTables' | 'describeLimits'>;
  expectTypeOf<Parameters<Methods['putItem']>[0]>().toEqualTypeOf<PutItemInput>();
  // Only an input without required members may be left out.
  expectTypeOf<undefined>().not.toExtend<Parameters<Methods['putItem']>[0]>();
  expectTypeOf<undefined>().toExtend<Parameters<Methods['listTables']>[0]>();
  expectTypeOf<{ Surplus: number }>().not.toExtend<DescribeLimitsInput>();
  expectTypeOf<Awaited<ReturnType<Methods['listTables']>>>().toEqualTypeOf<{
    readonly TableNames: string[];
    readonly LastEvaluatedTableName?: string;
  }>();
});

it.each([
  [{ Name: 'a', Kind: 'A', Item: { a: { S: 'x' } }, Tags: [{ Key: 'k' }] }, []],
  [{}, ['the answer lacks Name']],
  [{ Name: 'a', Other: 1 }, ['the answer has no member Other']],
  [{ Name: 'a', Kind: 'C' }, ['the answer.Kind: one of A, B and not "C"']],
  [{ Name: 'a', Tags: [{ Key: 1 }] }, ['the answer.Tags[0].Key: a string and not 1']],
  [{ Name: 'a', Item: { a: {} } }, ['the answer.Item.a: an attribute value and not {}']],
  [{ Name: 'a', At: 'now', Count: '1' }, 2],
])('holds the answer %j against an output shape', (answer, problems) => {
  const found = answerProblems(outputShape(members).shape, answer);
  if (typeof problems === 'number') expect(found).toHaveLength(problems);
  else expect(found).toEqual(problems);
});
