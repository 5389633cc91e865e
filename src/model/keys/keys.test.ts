import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { compareKeyValues, type KeyType, type KeyValue, typeOf } from '../values/attribute-value.ts';
import { encodeBase64 } from '../values/base64.ts';
import { compareBytes } from '../values/bytes.ts';
import { canonicalNumber } from '../values/numbers.ts';
import { indexBounds, type KeyBounds, type RangeCondition, tableBounds } from './key-bounds.ts';
import { decodeKeyValue, encodeGroup, encodeKeyValue } from './key-encoding.ts';
import {
  cutKeyBytes,
  decodeSortKey,
  type Hash16,
  hashBytes,
  indexKey,
  isCutKey,
  itemHash,
  keyBytesLimit,
  partitionHash,
  partitionPrefix,
  tableKey,
} from './keys.ts';

const h16: Hash16 = (bytes) => createHash('sha256').update(bytes).digest().subarray(0, 16);
const id = Uint8Array.of(9, 9, 1);

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.string({
    unit: fc.constantFrom('\u0000', '\u0001', 'a', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'),
    maxLength: 6,
  }),
);
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 6 }),
  fc.array(fc.constantFrom(0, 1, 0xfe, 0xff), { maxLength: 6 }).map((all) => Uint8Array.from(all)),
);
const digits = fc
  .array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 38 })
  .map((all) => all.join(''));
const number = fc
  .oneof(
    fc.integer({ min: -200, max: 200 }).map(String),
    fc
      .tuple(fc.constantFrom('', '-'), digits, fc.integer({ min: -130, max: 88 }))
      .map(([sign, all, power]) => `${sign}${all}e${power}`),
    fc.constantFrom('1e125', '-1e125', '1e-130', '-1e-130', `${'9'.repeat(38)}e88`, `-${'9'.repeat(38)}e88`),
  )
  .map((spelled) => canonicalNumber(spelled, 'newer'))
  .filter((one): one is string => typeof one === 'string');

const ofType: Record<KeyType, fc.Arbitrary<KeyValue>> = {
  S: text.map((S) => ({ S })),
  N: number.map((N) => ({ N })),
  B: bytes.map((one) => ({ B: encodeBase64(one) })),
};
const types: readonly KeyType[] = ['S', 'N', 'B'];
const anyType = fc.constantFrom(...types);

function compareTuples(a: readonly KeyValue[], b: readonly KeyValue[]): number {
  for (const [i, one] of a.entries()) {
    const order = compareKeyValues(one, b[i]!)!;
    if (order !== 0) return Math.sign(order);
  }
  return 0;
}

function meets(value: KeyValue, condition: RangeCondition | undefined): boolean {
  if (condition === undefined) return true;
  if (condition.operator === 'BETWEEN') {
    return compareKeyValues(condition.low, value)! <= 0 && compareKeyValues(value, condition.high)! <= 0;
  }
  const order = compareKeyValues(value, condition.value)!;
  switch (condition.operator) {
    case '=':
      return order === 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    case 'begins_with': {
      const beginning = encodeKeyValue(condition.value);
      return compareBytes(encodeKeyValue(value).subarray(0, beginning.length), beginning) === 0;
    }
  }
}

function conditionOf(type: KeyType, value: fc.Arbitrary<KeyValue>): fc.Arbitrary<RangeCondition> {
  const operators = ['=', '<', '<=', '>', '>=', ...(type === 'N' ? [] : ['begins_with' as const])] as const;
  return fc.oneof(
    fc.record({ operator: fc.constantFrom(...operators), value }),
    fc.record({ operator: fc.constant('BETWEEN' as const), low: value, high: value }),
  );
}

function within(key: Uint8Array, bounds: KeyBounds): boolean {
  return compareBytes(bounds.from, key) <= 0 && (bounds.to === undefined || compareBytes(key, bounds.to) < 0);
}

describe('one key value', () => {
  it.each(types)('%s keeps its order, alone and in a group, and comes back', (type) => {
    assertProperty(
      fc.property(ofType[type], ofType[type], (a, b) => {
        const order = Math.sign(compareKeyValues(a, b)!);
        expect(Math.sign(compareBytes(encodeKeyValue(a), encodeKeyValue(b)))).toBe(order);
        expect(Math.sign(compareBytes(encodeGroup(a), encodeGroup(b)))).toBe(order);
        expect(decodeKeyValue(encodeKeyValue(a), type)).toEqual(a);
      }),
      { numRuns: propertyRuns(3_000) },
    );
  });

  it('has these bytes on disk', () => {
    const hex = (value: KeyValue) => Buffer.from(encodeKeyValue(value)).toString('hex');
    expect(hex({ S: 'aé' })).toBe('61c3a9');
    expect(hex({ B: 'AP8=' })).toBe('00ff');
    expect(hex({ N: '0' })).toBe('80');
    expect(hex({ N: '1' })).toBe('81820b00');
    expect(hex({ N: '-1' })).toBe('7f7df4ff');
    expect(hex({ N: '123' })).toBe('81840d1f00');
    expect(Buffer.from(encodeGroup({ S: 'a\u0000b' })).toString('hex')).toBe('6100ff620000');
    expect(encodeKeyValue({ N: '12345678901234567890123456789012345678' }).length).toBe(22);
  });

  it('is refused when it is damaged', () => {
    for (const wrong of [
      [],
      [0x80, 0],
      [0x81],
      [0x81, 1, 0],
      [0x81, 1, 2, 1],
      [0x90, 1, 2, 0],
      [0x81, 1, 102, 0],
      [0x7f, 1, 2, 0],
    ]) {
      expect(() => decodeKeyValue(Uint8Array.from(wrong), 'N')).toThrow();
    }
    expect(() => decodeKeyValue(Uint8Array.of(0xff), 'S')).toThrow();
  });
});

describe('a table key', () => {
  it('has its sort key last and gives it back', () => {
    assertProperty(
      fc.property(
        ofType.S,
        anyType.chain((type) => ofType[type]),
        (hash, range) => {
          const key = tableKey(id, { hash, range }, h16);
          const prefix = partitionPrefix(id, [hash], h16);
          expect(key.subarray(0, prefix.length)).toEqual(prefix);
          expect(partitionHash(key, id.length)).toEqual(prefix.subarray(id.length));
          expect(decodeSortKey(key, id.length, typeOf(range) as KeyType)).toEqual(range);
        },
      ),
      { numRuns: propertyRuns(500) },
    );
  });

  it('is the same for the same value only', () => {
    const key = (hash: KeyValue) =>
      Buffer.from(tableKey(id, { hash, range: undefined }, h16)).toString('hex');
    const thousand = canonicalNumber('1e3', 'newer') as string;
    expect(key({ N: thousand })).toBe(key({ N: '1000' }));
    expect(new Set([key({ S: '1' }), key({ N: '1' }), key({ B: 'MQ==' })]).size).toBe(3);
    const pair = (...hash: KeyValue[]) => Buffer.from(partitionPrefix(id, hash, h16)).toString('hex');
    expect(pair({ S: 'a' }, { S: 'b' })).not.toBe(pair({ S: 'ab' }, { S: '' }));
    expect(pair({ S: 'a' }, { S: 'b' })).not.toBe(pair({ S: 'b' }, { S: 'a' }));
  });

  it('is bounded exactly by conditions on the sort key', () => {
    const partition = partitionPrefix(id, [{ S: 'p' }], h16);
    const cases = anyType.chain((type) =>
      fc.record({
        value: ofType[type],
        condition: fc.option(conditionOf(type, ofType[type]), { nil: undefined }),
      }),
    );
    assertProperty(
      fc.property(cases, ({ value, condition }) => {
        const bounds = tableBounds(partition, condition);
        expect(bounds.exact).toBe(true);
        expect(within(tableKey(id, { hash: { S: 'p' }, range: value }, h16), bounds)).toBe(
          meets(value, condition),
        );
        expect(within(tableKey(id, { hash: { S: 'q' }, range: value }, h16), bounds)).toBe(false);
      }),
      { numRuns: propertyRuns(3_000) },
    );
  });
});

describe('an index key', () => {
  const hash: KeyValue[] = [{ S: 'p' }, { N: '1' }];
  const keyOf = (range: readonly KeyValue[], sort = 'x') =>
    indexKey(id, { hash, range }, itemHash({ hash: { S: 't' }, range: { S: sort } }, h16), h16);
  const partition = partitionPrefix(id, hash, h16);
  const schema = fc.array(anyType, { maxLength: 4 });

  it('orders tuples attribute by attribute', () => {
    const pairs = schema.chain((attributes) => {
      const tuple = fc.tuple(...attributes.map((type) => ofType[type]));
      return fc.tuple(tuple, tuple);
    });
    assertProperty(
      fc.property(pairs, ([a, b]) => {
        const order = compareTuples(a, b);
        const bytewise = Math.sign(compareBytes(keyOf(a), keyOf(b)));
        expect(bytewise).toBe(order);
        expect(isCutKey(keyOf(a))).toBe(false);
        if (order !== 0) expect(Math.sign(compareBytes(keyOf(a, 'y'), keyOf(b, 'z')))).toBe(order);
      }),
      { numRuns: propertyRuns(3_000) },
    );
  });

  it('is bounded exactly by equal attributes and a condition on the next', () => {
    const cases = fc.array(anyType, { minLength: 1, maxLength: 4 }).chain((attributes) =>
      fc.nat(attributes.length - 1).chain((at) =>
        fc.record({
          range: fc.tuple(...attributes.map((type) => ofType[type])),
          other: fc.tuple(...attributes.map((type) => ofType[type])),
          same: fc.boolean(),
          at: fc.constant(at),
          condition: fc.option(conditionOf(attributes[at]!, ofType[attributes[at]!]), { nil: undefined }),
        }),
      ),
    );
    assertProperty(
      fc.property(cases, ({ range, other, same, at, condition }) => {
        const equal = (same ? range : other).slice(0, at);
        const bounds = indexBounds(partition, equal, condition);
        const expected = compareTuples(equal, range) === 0 && meets(range[at]!, condition);
        expect(bounds.exact).toBe(true);
        expect(within(keyOf(range), bounds)).toBe(expected);
      }),
      { numRuns: propertyRuns(3_000) },
    );
  });

  /** Long values with long common prefixes, so that keys are cut in many places, also among zeros. */
  const long: fc.Arbitrary<KeyValue> = fc
    .record({
      length: fc.integer({ min: 1000, max: 1024 }),
      filler: fc.constantFrom(0, 1, 0x61),
      tail: fc.uint8Array({ maxLength: 3 }),
    })
    .map(({ length, filler, tail }) => {
      const value = new Uint8Array(length).fill(filler);
      value.set(tail, length - tail.length);
      return { B: encodeBase64(value) };
    });
  const longTuple = fc.array(fc.oneof(long, long, ofType.B), { minLength: 4, maxLength: 4 });

  it('stays under the limit and in order when it is cut', () => {
    let cut = 0;
    assertProperty(
      fc.property(longTuple, longTuple, (a, b) => {
        const [x, y] = [keyOf(a, '1'), keyOf(b, '2')];
        expect(x.length).toBeLessThan(keyBytesLimit);
        if (isCutKey(x)) cut++;
        const order = compareTuples(a, b);
        const bytewise = Math.sign(compareBytes(x, y));
        const heads = [x, y].map((key) => key.subarray(0, cutKeyBytes - hashBytes));
        const tied = isCutKey(x) && isCutKey(y) && compareBytes(heads[0]!, heads[1]!) === 0;
        if (!tied && order !== 0) expect(bytewise).toBe(order);
        expect(bytewise).not.toBe(0);
      }),
      { numRuns: propertyRuns(500) },
    );
    expect(cut).toBeGreaterThan(50);
  });

  it('is never outside the bounds of a condition that it meets, cut or not', () => {
    let inexact = 0;
    assertProperty(
      fc.property(
        longTuple,
        longTuple,
        fc.nat(3),
        fc.boolean(),
        conditionOf('B', long),
        (range, other, at, same, condition) => {
          const equal = (same ? range : other).slice(0, at);
          const bounds = indexBounds(partition, equal, condition);
          if (!bounds.exact) inexact++;
          const expected = compareTuples(equal, range) === 0 && meets(range[at]!, condition);
          const inside = within(keyOf(range), bounds);
          if (expected) expect(inside).toBe(true);
          if (bounds.exact) expect(inside).toBe(expected);
        },
      ),
      { numRuns: propertyRuns(1_000) },
    );
    expect(inexact).toBeGreaterThan(50);
  });
});
