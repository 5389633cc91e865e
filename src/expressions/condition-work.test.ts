import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertProperty } from '../../tests/assert-property.ts';
import type { AttributeValue, Item } from '../model/values/attribute-value.ts';
import { ConditionWork } from './condition-work.ts';
import { meetsCondition } from './evaluate-condition.ts';
import type { Comparator, Condition, Operand } from './tree.ts';

const text = (length: number, end: string): AttributeValue => ({ S: `${'a'.repeat(length)}${end}` });
const binary = (length: number, end: string): AttributeValue => ({
  B: Buffer.from(`${'a'.repeat(length)}${end}`).toString('base64'),
});

const value = fc.oneof(
  fc.tuple(fc.nat(3_000), fc.constantFrom('', 'b', 'c')).map(([length, end]) => text(length, end)),
  fc.tuple(fc.nat(3_000), fc.constantFrom('', 'b', 'c')).map(([length, end]) => binary(length, end)),
  fc.nat(300).map((length): AttributeValue => ({ L: Array.from({ length }, (_, i) => ({ N: `${i}` })) })),
);
const item: fc.Arbitrary<Item> = fc.tuple(value, value).map(
  ([x, y]) =>
    new Map<string, AttributeValue>([
      ['x', x],
      ['y', y],
    ]),
);
const path: fc.Arbitrary<Operand> = fc
  .constantFrom('x', 'y', 'z')
  .map((name) => ({ kind: 'path', path: [name] }));
const operand: fc.Arbitrary<Operand> = fc.oneof(
  path,
  value.map((of): Operand => ({ kind: 'value', value: of })),
);

const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4 },
    fc
      .tuple(fc.constantFrom<Comparator[]>('=', '<>', '<', '>='), operand, operand)
      .map(([comparator, left, right]): Condition => ({ kind: 'compare', comparator, left, right })),
    fc
      .tuple(path, operand)
      .map(([container, element]): Condition => ({ kind: 'contains', container, element })),
    fc
      .tuple(path, fc.array(operand, { minLength: 1, maxLength: 5 }))
      .map(([of, list]): Condition => ({ kind: 'in', operand: of, list })),
    tie('condition').map((of): Condition => ({ kind: 'not', condition: of })),
    fc
      .tuple(
        fc.constantFrom('and' as const, 'or' as const),
        fc.array(tie('condition'), { minLength: 2, maxLength: 4 }),
      )
      .map(([kind, conditions]): Condition => ({ kind, conditions })),
  ),
}));

it('an evaluation that stops and goes on comes to the same result', () => {
  assertProperty(
    fc.property(condition, item, fc.integer({ min: 64, max: 500 }), (judged, of, stepsMax) => {
      const work = new ConditionWork(stepsMax);
      work.begin();
      let isMet = meetsCondition(judged, of, work);
      for (let i = 0; work.isStopped; i++) {
        expect(i).toBeLessThan(1_000);
        work.goOn();
        isMet = meetsCondition(judged, of, work);
      }
      expect(isMet).toBe(meetsCondition(judged, of));
    }),
  );
});

it('counts what grows with the values', () => {
  const stepsOf = (length: number) => {
    const work = new ConditionWork();
    const condition: Condition = {
      kind: 'contains',
      container: { kind: 'path', path: ['x'] },
      element: { kind: 'value', value: text(20, 'b') },
    };
    meetsCondition(condition, new Map([['x', text(length, 'c')]]), work);
    return work.steps;
  };
  expect(stepsOf(400_000) / stepsOf(40_000)).toBeCloseTo(10, 1);
});
