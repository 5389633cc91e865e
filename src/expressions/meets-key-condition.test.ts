import { describe, expect, it } from 'vitest';
import type { RangeCondition } from '../model/keys/key-bounds.ts';
import type { AttributeValue, Item, KeyValue } from '../model/values/attribute-value.ts';
import { meetsHash, meetsRange } from './meets-key-condition.ts';

const key = {
  hash: [{ name: 'h', type: 'S' as const }],
  range: [
    { name: 'a', type: 'S' as const },
    { name: 'b', type: 'N' as const },
  ],
};
const item: Item = new Map<string, AttributeValue>([
  ['h', { S: 'x' }],
  ['a', { S: 'mn' }],
  ['b', { N: '5' }],
]);
const condition = (range: RangeCondition | undefined, equal: readonly KeyValue[] = []) => ({
  hash: [{ S: 'x' }],
  equal,
  range,
});

describe('what a query asks of a key', () => {
  it('is its partition', () => {
    expect(meetsHash(condition(undefined), key, item)).toBe(true);
    expect(meetsHash({ ...condition(undefined), hash: [{ S: 'y' }] }, key, item)).toBe(false);
    expect(meetsHash(condition(undefined), key, new Map())).toBe(false);
  });

  it.each<[RangeCondition, boolean]>([
    [{ operator: '=', value: { S: 'mn' } }, true],
    [{ operator: '<', value: { S: 'mn' } }, false],
    [{ operator: '<=', value: { S: 'mn' } }, true],
    [{ operator: '>', value: { S: 'mm' } }, true],
    [{ operator: '>=', value: { S: 'mo' } }, false],
    [{ operator: 'begins_with', value: { S: 'm' } }, true],
    [{ operator: 'begins_with', value: { S: 'n' } }, false],
    [{ operator: 'BETWEEN', low: { S: 'mn' }, high: { S: 'mn' } }, true],
    [{ operator: 'BETWEEN', low: { S: 'mo' }, high: { S: 'mz' } }, false],
  ])('is its order: %j', (range, expected) => {
    expect(meetsRange(condition(range), key, item)).toBe(expected);
  });

  it('is the values of the first attributes and the order of the next', () => {
    expect(meetsRange(condition({ operator: '>', value: { N: '4' } }, [{ S: 'mn' }]), key, item)).toBe(true);
    expect(meetsRange(condition({ operator: '>', value: { N: '4' } }, [{ S: 'm' }]), key, item)).toBe(false);
  });

  it('begins with bytes, not with letters of base64', () => {
    const binary = { hash: [], range: [{ name: 'a', type: 'B' as const }] };
    const bytes: Item = new Map([['a', { B: 'AQID' }]]);
    const begins = (B: string) => ({
      hash: [],
      equal: [],
      range: { operator: 'begins_with' as const, value: { B } },
    });
    expect(meetsRange(begins('AQI='), binary, bytes)).toBe(true);
    expect(meetsRange(begins('AQM='), binary, bytes)).toBe(false);
    expect(meetsRange(begins('AQIDBA=='), binary, bytes)).toBe(false);
  });
});
