import { describe, expect, it } from 'vitest';
import { update } from './cases.fixture.ts';
import { updateCharge } from './update-charge.ts';

const ten = { S: 'y'.repeat(10) };
const values = {
  ':list': { L: [ten] },
  ':map': { M: { a: { S: 'y'.repeat(100) } } },
  ':long': { SS: ['s'.repeat(500)] },
};

describe('the charge of an update', () => {
  // How long a value may be that stands beside the clause as `SET b = :pad`, as it was found on the service.
  it.each([
    ['SET b = :pad, c = abcdefghij', 409_532],
    ['SET b = :pad, c = m.z', 409_526],
    ['SET b = :pad, c = l[10]', 409_525],
    ['SET b = :pad, l = list_append(l, :list)', 409_490],
    ['SET b = :pad, c = if_not_exists(c, :map)', 409_397],
    ['SET b = :pad, n = n + :n', 409_505],
    ['SET b = :pad, n = n - :n', 409_502],
    ['SET b = :pad ADD ss :long', 409_056],
    ['SET b = :pad REMOVE abcdefghij', 409_566],
    ['SET b = :pad REMOVE abcdefghij[1]', 409_561],
    ['SET b = :pad DELETE abcdefghij :ss', 409_566],
  ])('%s', (text, longest) => {
    const charge = updateCharge(update(text, { ...values, ':pad': { S: 'p'.repeat(longest) } }));
    expect(charge).toBe(409_600);
  });

  it('counts a value at every use', () => {
    const once = updateCharge(update('SET a = :list', values));
    expect(updateCharge(update('SET a = :list, b = :list', values)) - 3).toBe(2 * (once - 3));
  });
});
