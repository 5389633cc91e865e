import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { DynamoError } from '../errors.ts';
import { equalItems, type Item } from '../values/attribute-value.ts';
import { compareBytes } from '../values/bytes.ts';
import { itemSize } from '../values/item-size.ts';
import { readItem } from '../values/read-attribute-value.ts';
import { ItemEncoder } from './item-encoder.ts';
import { decodeAttributes, encodeItem, type ItemHeader } from './stored-item.ts';

const header: ItemHeader = {
  encrypted: false,
  tombstone: false,
  itemBytes: 10,
  era: 0,
  writtenMicros: 1_794_000_000_123_456,
  region: 0,
  version: 7,
};

/** Names, some of which have the same end once they are escaped. */
const name = fc.constantFrom(
  'pk',
  'sk',
  'x"pk',
  '"sk',
  '\\pk',
  'a',
  'é',
  '🙂',
  '__proto__',
  'toString',
  '10',
  '9',
);
const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom('"', '\\', '\u0000', 'é', '🙂', 'x', '{', '}', ',', ':', 'pk'),
    maxLength: 6,
  }),
  fc.constantFrom('', '","pk":{"S":"x"}', 'x'.repeat(128), `${'y'.repeat(2_000)}"é`),
);
const number = fc.constantFrom(
  '0',
  '-0',
  '1',
  '-17',
  '1.50',
  '+7',
  '1e3',
  '.5',
  '123456789012345678901234567890',
);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    text.map((S) => ({ S })),
    number.map((N) => ({ N })),
    fc.constantFrom({ B: '' }, { B: 'AP8=' }, { BOOL: true }, { BOOL: false }, { NULL: true }),
    fc.constantFrom({ SS: ['b', 'a'] }, { NS: ['10', '9', '1e3'] }, { BS: ['AP8=', 'AAA='] }),
    fc.array(tie('value'), { maxLength: 3 }).map((L) => ({ L })),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }).map((M) => ({ M })),
  ),
}));

class Model {
  readonly S = 'of a class';
}

/** Values that are invalid or merely unusual. */
const odd = fc.constantFrom<unknown>(
  ...[null, undefined, 7, 'text', [], {}, { S: 7 }, { S: null }, { N: 7 }, { N: 'x' }, { N: '1e126' }],
  ...[
    { S: 'a', N: '1' },
    { S: 'a', N: undefined },
    { X: 'a' },
    { BOOL: 'true' },
    { NULL: false },
    { B: '!' },
  ],
  ...[{ B: new Uint8Array(2) }, { SS: [] }, { SS: ['a', 'a'] }, { SS: ['a', 1] }, { NS: ['1', '1.0'] }],
  ...[
    { L: {} },
    { L: [null] },
    { L: [{}] },
    { M: [] },
    { M: null },
    { M: { a: null } },
    { M: { '': { S: 'a' } } },
  ],
  ...[
    { S: '\ud800' },
    { M: { '\udc00': { S: 'a' } } },
    new Model(),
    Object.create({ S: 'inherited' }),
    new Map(),
  ],
  ...[nested(31), nested(32), nested(33), nested(40)],
);

function nested(levels: number): unknown {
  let inner: unknown = { S: 'deep' };
  for (let i = 1; i < levels; i++) inner = i % 2 === 0 ? { L: [inner] } : { M: { in: inner } };
  return inner;
}

const item = fc.array(fc.tuple(name, value), { maxLength: 7 }).map((entries) => Object.fromEntries(entries));
const names: ReadonlySet<string> = new Set(['pk', 'sk']);

function parts(of: Item): Item {
  return new Map([...of].filter(([each]) => names.has(each)));
}

function read(json: unknown): Item {
  const found = readItem(json, 'newer');
  if (found instanceof DynamoError) throw new Error(found.message);
  return found;
}

describe('an item as it was sent', () => {
  it('is encoded and measured as the one that is read, and knows its attributes of the names', () => {
    const encoder = new ItemEncoder();
    assertProperty(
      fc.property(item, (json) => {
        const expected = read(json);
        const sent = encoder.sent(json, names)!;
        expect(sent.bytes).toBe(itemSize(expected));
        expect(compareBytes(sent.stored(header), encodeItem(expected, header))).toBe(0);
        expect(equalItems(sent.attributes, parts(expected))).toBe(true);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  it('is left to others when it is not ordinary, and taken for nothing that it is not', () => {
    const encoder = new ItemEncoder();
    let left = 0;
    assertProperty(
      fc.property(item, name, odd, (json, at, wrong) => {
        const whole = { ...json, [at]: wrong };
        const sent = encoder.sent(whole, names);
        if (sent === undefined) left++;
        else expect(compareBytes(sent.stored(header), encodeItem(read(whole), header))).toBe(0);
      }),
      { numRuns: propertyRuns(2_000) },
    );
    expect(left).toBeGreaterThan(propertyRuns(1_000));
    for (const whole of [undefined, null, 'item', [], new Model(), new Map(), Object.create({})])
      expect(encoder.sent(whole, names)).toBeUndefined();
  });

  it('sorts the names of each kind of item, however many kinds there are', () => {
    const encoder = new ItemEncoder();
    for (let round = 0; round < 3; round++) {
      for (let kind = 0; kind < 600; kind++) {
        const json = Object.fromEntries([3, 1, 2].map((n) => [`n${n}-${kind}`, { N: String(kind) }]));
        expect(compareBytes(encoder.sent(json, names)!.stored(header), encodeItem(read(json), header))).toBe(
          0,
        );
      }
    }
  });

  it('gives its stored form to each who asks, with the header that was asked for', () => {
    const json = { pk: { S: 'a' }, rest: { S: 'b' } };
    const sent = new ItemEncoder().sent(json, names)!;
    const first = sent.stored(header);
    const second = sent.stored({ ...header, version: 8 });
    expect(compareBytes(first, encodeItem(read(json), header))).toBe(0);
    expect(compareBytes(second, encodeItem(read(json), { ...header, version: 8 }))).toBe(0);
  });

  it('has its attributes of other names too', () => {
    const json = { pk: { S: 'a' }, sk: { N: '1.0' }, other: { BOOL: true } };
    const sent = new ItemEncoder().sent(json, names)!;
    expect(sent.withNames(names)).toBe(sent);
    const renamed = sent.withNames(new Set(['pk', 'other', 'absent']));
    expect([...renamed.attributes]).toEqual([
      ['other', { BOOL: true }],
      ['pk', { S: 'a' }],
    ]);
    expect(renamed.bytes).toBe(sent.bytes);
    expect(compareBytes(renamed.stored(header), sent.stored(header))).toBe(0);
  });
});

describe('a glance at what is stored', () => {
  it('never takes other attributes for the same', () => {
    const encoder = new ItemEncoder();
    const one = fc.constantFrom<unknown>({ S: 'a' }, { S: 'b' }, { S: 'aa' }, { N: '1' }, undefined);
    const other = fc.constantFrom<unknown>({ S: '"' }, { S: '' }, { M: { pk: { S: 'a' } } }, undefined);
    const few = fc
      .record({ pk: one, sk: one, 'r"sk': one, 'p"pk': one, '"sk': one, a: other, z: other })
      .map((json) => Object.fromEntries(Object.entries(json).filter(([, each]) => each !== undefined)));
    let same = 0;
    assertProperty(
      fc.property(few, few, fc.boolean(), (json, other, isMixed) => {
        const before = isMixed ? { ...json, ...other } : other;
        const stored = encodeItem(read(before), header);
        const likeness = encoder.sent(json, names)!.likeness(stored);
        expect(likeness === 'same').toBe(equalItems(read(json), read(before)));
        if (likeness === undefined) return;
        same++;
        expect(equalItems(decodeAttributes(stored, names), parts(read(json)))).toBe(true);
      }),
      { numRuns: propertyRuns(20_000) },
    );
    expect(same).toBeGreaterThan(100);
  });

  it('tells of an item that was changed in one place beside them', () => {
    const encoder = new ItemEncoder();
    const placed = { pk: { S: 'a' }, sk: { S: 'b' } };
    assertProperty(
      fc.property(fc.constantFrom('a', 'pl', 'z'), value, value, item, (at, before, after, rest) => {
        const common = { ...rest, ...placed };
        const stored = encodeItem(read({ ...common, [at]: before }), header);
        expect(encoder.sent({ ...common, [at]: after }, names)!.likeness(stored)).toBeDefined();
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });
});
