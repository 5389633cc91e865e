import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { name } from '../values/any-item.fixture.ts';
import { compareUtf8, decodeUtf8, utf8Length } from '../values/utf8.ts';
import { invalidName, nameOrder } from './name-orders.ts';

describe('the order of names', () => {
  it('is that of their UTF-8 bytes, whether they are known or new', () => {
    const names = fc.uniqueArray(name, { maxLength: 6 });
    assertProperty(
      fc.property(names, fc.nat(2), (given, times) => {
        for (let i = 0; i <= times; i++) {
          const order = nameOrder([...given]);
          expect(order.given).toEqual(given);
          expect(order.sorted).toEqual(given.toSorted(compareUtf8));
          expect(order.bytes).toBe(given.reduce((sum, one) => sum + utf8Length(one), 0));
          if (order.heads !== undefined)
            expect(order.heads.map(decodeUtf8)).toEqual(order.sorted.map((one) => `${JSON.stringify(one)}:`));
          const some = new Set(given.slice(1));
          expect(order.among(some)).toEqual(order.sorted.map((one) => some.has(one)));
        }
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('is cached for names that come again', () => {
    expect(nameOrder(['made', 'once']).heads).toBeUndefined();
    const known = nameOrder(['made', 'once']);
    expect(nameOrder(['made', 'once'])).toBe(known);
    expect(known.heads).toBeDefined();
    expect(nameOrder(['once', 'made'])).not.toBe(known);
  });

  it('is not kept for names that are many or long', () => {
    const many = Array.from({ length: 65 }, (_, i) => `n${i}`);
    for (const given of [many, ['x'.repeat(1_025)]]) expect(nameOrder(given)).not.toBe(nameOrder(given));
  });

  it('tells names that a request may not use', () => {
    for (const wrong of ['\ud800', '', 'x'.repeat(65_536)])
      expect(nameOrder([wrong]).bytes).toBe(invalidName);
    expect(nameOrder(['__proto__', 'a']).bytes).toBe(10);
  });
});
