import { expect, it } from 'vitest';
import { type NamedTexts, nameAttributes } from './name-attributes.ts';

it.each<[NamedTexts, NamedTexts]>([
  [
    { keyCondition: 'name = :n', projection: 'pk, total' },
    { keyCondition: '#n1 = :n', projection: 'pk, #n0', names: { '#n0': 'total', '#n1': 'name' } },
  ],
  [{ filter: 'status = :s' }, { filter: '#n0 = :s', names: { '#n0': 'status' } }],
  [
    { filter: 'status = :s AND total > :t', projection: 'name, status, pk' },
    {
      filter: '#n0 = :s AND #n1 > :t',
      projection: '#n2, #n0, pk',
      names: { '#n0': 'status', '#n1': 'total', '#n2': 'name' },
    },
  ],
  [
    { filter: 'size(data) > :n and Size = :n', projection: 'a.items[0].in' },
    {
      filter: 'size(#n0) > :n and #n1 = :n',
      projection: 'a.#n2[0].#n3',
      names: { '#n0': 'data', '#n1': 'Size', '#n2': 'items', '#n3': 'in' },
    },
  ],
  [
    { filter: '#n0 = :s or status = :s', names: { '#n0': 'state' } },
    { filter: '#n0 = :s or #n1 = :s', names: { '#n0': 'state', '#n1': 'status' } },
  ],
  [
    { filter: 'pk BETWEEN :a AND :b AND NOT x IN (:a)' },
    { filter: 'pk BETWEEN :a AND :b AND NOT x IN (:a)' },
  ],
  [{ names: { '#a': 'b' } }, { names: { '#a': 'b' } }],
  [{}, {}],
])('%j', (given, expected) => {
  expect(nameAttributes(given)).toEqual(expected);
});
