import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { headerBytes } from './stored-item.ts';
import { StoredList } from './stored-list.ts';

const item = fc.record({ header: fc.integer({ min: 1, max: 9 }), json: fc.string({ maxLength: 60 }) });

it('is its items with commas between, and touches nothing around it', () => {
  assertProperty(
    fc.property(fc.array(item, { minLength: 1, maxLength: 8 }), fc.boolean(), (items, hasHeaders) => {
      const before = hasHeaders ? headerBytes : 0;
      const stored = items.map(({ header, json }) =>
        Buffer.concat([Buffer.alloc(before, header), Buffer.from(json)]),
      );
      const list = new StoredList(stored, before);
      const wanted = items.map(({ json }) => json).join(',');
      expect(Buffer.from(list.toBytes()).toString()).toBe(wanted);

      const around = Buffer.alloc(100 + list.length, '.');
      expect(list.write(around, 50)).toBe(50 + list.length);
      expect(around.toString()).toBe(`${'.'.repeat(50)}${wanted}${'.'.repeat(50)}`);
    }),
    { numRuns: propertyRuns(300) },
  );
});
