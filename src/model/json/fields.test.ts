import { expect, it } from 'vitest';
import {
  type Field,
  flag,
  isA,
  json,
  listOf,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  text,
  tuple,
  variants,
  whole,
} from './fields.ts';

interface Leaf {
  readonly name: string;
  readonly size?: number;
}
type Shape =
  | { readonly kind: 'round'; readonly radius: number }
  | { readonly kind: 'square'; readonly side: number };

const leaf = object<Leaf>({ name: text, size: optional(whole) });
const shape = variants<Shape, 'kind'>('kind', {
  round: object({ kind: oneOf('round'), radius: number }),
  square: object({ kind: oneOf('square'), side: number }),
});

it.each<[field: Field<unknown>, value: unknown, fault: string | undefined]>([
  [text, '', undefined],
  [text, 1, ' is no text'],
  [flag, false, undefined],
  [flag, null, ' is no true or false'],
  [number, 0.5, undefined],
  [whole, 0.5, ' is no whole number'],
  [whole, 2 ** 53, ' is no whole number'],
  [json, undefined, undefined],
  [oneOf('a', 'b'), 'b', undefined],
  [oneOf('a', 'b'), 'c', ' is none of a, b'],
  [listOf(text), [], undefined],
  [listOf(text), ['a', 1], '[1] is no text'],
  [listOf(text), { 0: 'a' }, ' is no list'],
  [tuple(text, whole), ['a', 1], undefined],
  [tuple(text, whole), ['a'], ' is no list of 2'],
  [tuple(text, whole), ['a', 'b'], '[1] is no whole number'],
  [mapOf(whole), { a: 1 }, undefined],
  [mapOf(whole), { 'a.b': 'c' }, '["a.b"] is no whole number'],
  [mapOf(whole), [1], ' is no object'],
  [leaf, { name: 'a' }, undefined],
  [leaf, { name: 'a', size: 1, later: {} }, undefined],
  [leaf, { name: 'a', size: null }, '.size is no whole number'],
  [leaf, {}, '.name is no text'],
  [leaf, null, ' is no object'],
  [object<{ readonly constructor: unknown }>({ constructor: text }), {}, '.constructor is no text'],
  [shape, { kind: 'square', side: 2 }, undefined],
  [shape, { kind: 'square', radius: 2 }, '.side is no number'],
  [shape, { kind: 'toString' }, '.kind is none of round, square'],
  [object<{ readonly of: readonly Leaf[] }>({ of: listOf(leaf) }), { of: [{}] }, '.of[0].name is no text'],
])('%#: finds the first wrong part of a value', (field, value, fault) => {
  expect(field.fault(value)).toBe(fault);
  expect(isA(field, value)).toBe(fault === undefined);
});

it('needs a field for each member, and an optional one where the member is', () => {
  // @ts-expect-error size is missing
  object<Leaf>({ name: text });
  // @ts-expect-error size may be absent
  object<Leaf>({ name: text, size: whole });
  // @ts-expect-error name may not be absent
  object<Leaf>({ name: optional(text), size: optional(whole) });
  // @ts-expect-error a text is no number
  object<Leaf>({ name: whole, size: optional(whole) });
  // @ts-expect-error one kind is missing
  variants<Shape, 'kind'>('kind', { round: object({ kind: oneOf('round'), radius: number }) });
});
