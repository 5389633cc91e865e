import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { projectionOf } from '../../expressions/project.ts';
import { Slices } from '../../model/slices.ts';
import { encodeItem, type ItemHeader } from '../../model/stored/stored-item.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { bodyBytes } from '../../wire/reply-body.ts';
import { PageItems } from './page-items.ts';

const header: ItemHeader = {
  encrypted: false,
  tombstone: false,
  itemBytes: 1,
  era: 0,
  writtenMicros: 1,
  region: 0,
  version: 1,
};
const slices = new Slices(() => Promise.resolve());
const nothing = { startKey: undefined, filter: undefined, projection: undefined, keyClauses: undefined };

/** Item lengths, from the shortest possible to more than the initial size of the list. */
const lengths = fc.array(fc.oneof({ weight: 20, arbitrary: fc.nat(60) }, fc.nat(90_000)), { maxLength: 300 });

function answerOf(items: PageItems): unknown {
  const { chunks } = items.answer('{"Count":"ö"}');
  return JSON.parse(Buffer.from(bodyBytes(chunks)).toString());
}

it('lists every item that it took, in order, however many and however long', () => {
  assertProperty(
    fc.property(lengths, fc.boolean(), (taken, projects) => {
      const projection = projects ? projectionOf([['a']]) : undefined;
      const items = new PageItems({ ...nothing, projection }, undefined, slices);
      for (const [i, length] of taken.entries()) {
        const item: Item = new Map([
          ['a', { S: `${i}` }],
          ['b', { S: 'ö'.repeat(length) }],
        ]);
        expect(items.take({ key: new Uint8Array(0), value: encodeItem(item, header) })).toBe(undefined);
      }
      expect(items.count).toBe(taken.length);
      expect(answerOf(items)).toEqual({
        Items: taken.map((length, i) => ({
          a: { S: `${i}` },
          ...(!projects && { b: { S: 'ö'.repeat(length) } }),
        })),
        Count: 'ö',
      });
    }),
    { numRuns: propertyRuns(30) },
  );
});

it('only counts what is only to be counted', () => {
  const items = new PageItems(nothing, 'COUNT', slices);
  for (let i = 0; i < 100; i++)
    expect(
      items.take({ key: new Uint8Array(0), value: encodeItem(new Map([['a', { S: 'x' }]]), header) }),
    ).toBe(undefined);
  expect(items.count).toBe(100);
  expect(answerOf(items)).toEqual({ Count: 'ö' });
});
