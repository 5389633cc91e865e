import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { header, item, name } from '../values/any-item.fixture.ts';
import type { Item } from '../values/attribute-value.ts';
import { changedSize, itemSize } from '../values/item-size.ts';
import { ItemEncoder } from './item-encoder.ts';
import { encodeItem } from './stored-item.ts';

/**
 * An item before and after a change, and names that occur in either, in both or in none. The other attributes are
 * equal.
 */
const change = fc
  .tuple(item, item, fc.array(name, { maxLength: 3 }), fc.nat())
  .map(([before, values, others, pick]) => {
    const candidates = [...before.keys(), ...values.keys(), ...others];
    const names = new Set(candidates.filter((_, i) => ((pick >> i) & 1) === 1));
    const after = new Map(before);
    for (const each of names) {
      const value = values.get(each);
      if (value === undefined) after.delete(each);
      else after.set(each, value);
    }
    return { before, after, names };
  });

function only(whole: Item, names: ReadonlySet<string>): Item {
  return new Map([...whole].filter(([each]) => names.has(each)));
}

it('is stored as if it had been encoded as a whole', () => {
  const encoder = new ItemEncoder();
  assertProperty(
    fc.property(change, ({ before, after, names }) => {
      const whole = encodeItem(after, header);
      const stored = encodeItem(before, { ...header, version: 6 });
      const kept = new Uint8Array(stored);
      const changed = encoder.encodeChanged(stored, only(after, names), names, header);
      expect(Buffer.from(changed).equals(whole)).toBe(true);
      expect(Buffer.from(stored).equals(kept)).toBe(true);
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

it('has the size of the whole, told from what has changed', () => {
  assertProperty(
    fc.property(change, ({ before, after, names }) => {
      const size = changedSize(only(before, names), itemSize(before), only(after, names));
      expect(size).toBe(itemSize(after));
    }),
    { numRuns: propertyRuns(300) },
  );
});

it('throws at what is no item', () => {
  const stored = encodeItem(new Map([['a', { S: 'b' }]]), header);
  const cut = stored.subarray(0, stored.length - 3);
  expect(() => new ItemEncoder().encodeChanged(cut, new Map(), new Set(['b']), header)).toThrow(
    'stored item is not canonical JSON',
  );
});
