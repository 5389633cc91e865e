import { describe, expect, it } from 'vitest';
import { condition, update } from './cases.fixture.ts';
import { attributesChanged, attributesNamed } from './named-attributes.ts';

describe('the attributes that are named', () => {
  it.each([
    ['p = :s', ['p']],
    [':s = p', ['p']],
    ['p < q', ['p', 'q']],
    ['p.x[2].q = :s', ['p']],
    ['#dotted = :s AND #proto = :s', ['a.b[1]', '__proto__']],
    ['p = :s OR NOT (q = :s AND (r = :s OR t = :s))', ['p', 'q', 'r', 't']],
    ['p BETWEEN q AND r', ['p', 'q', 'r']],
    ['p IN (:s, q, r.x)', ['p', 'q', 'r']],
    [':s IN (p)', ['p']],
    ['attribute_exists(p.x) AND attribute_not_exists(q)', ['p', 'q']],
    ['attribute_type(p, :typeS)', ['p']],
    ['begins_with(p, q)', ['p', 'q']],
    ['contains(p, q)', ['p', 'q']],
    ['size(p) > :n AND size(q) IN (size(r))', ['p', 'q', 'r']],
  ])('in the condition %s', (text, names) => {
    expect([...attributesNamed(condition(text))].sort()).toEqual([...names].sort());
  });

  it.each([
    ['SET p = :s', ['p'], []],
    ['SET p.x[1] = q', ['p'], ['q']],
    ['SET p = q + :n, r = :n - t', ['p', 'r'], ['q', 't']],
    ['SET p = if_not_exists(q, r)', ['p'], ['q', 'r']],
    ['SET p = list_append(q, if_not_exists(r, t))', ['p'], ['q', 'r', 't']],
    ['SET p = if_not_exists(q, :n) + if_not_exists(r, t)', ['p'], ['q', 'r', 't']],
    ['REMOVE p, q.x[0]', ['p', 'q'], []],
    ['ADD p :n, #proto :ss', ['p', '__proto__'], []],
    ['DELETE p :ss SET q = r REMOVE t ADD u :n', ['p', 'q', 't', 'u'], ['r']],
  ])('in the update %s', (text, changed, others) => {
    expect([...attributesChanged(update(text))].sort()).toEqual([...changed].sort());
    expect([...attributesNamed(undefined, update(text))].sort()).toEqual([...changed, ...others].sort());
  });

  it('in both', () => {
    expect([...attributesNamed(condition('p IN (q)'), update('SET r = t'))].sort()).toEqual([
      'p',
      'q',
      'r',
      't',
    ]);
  });
});
