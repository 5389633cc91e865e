import { describe, expect, it } from 'vitest';
import { DynamoError } from '../errors.ts';
import { type AttributeValue, equalValues, setOf } from './attribute-value.ts';
import { checkAttributeName, readAttributeValue, readItem } from './read-attribute-value.ts';

const prefix = 'One or more parameter values were invalid: ';
const empty = 'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes';
const several =
  'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes';
const tooDeep =
  'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit';

function messages(json: unknown): { older: unknown; newer: unknown } {
  const message = (layer: 'older' | 'newer') => {
    const result = readAttributeValue(json, layer);
    return result instanceof DynamoError ? result.message : result;
  };
  return { older: message('older'), newer: message('newer') };
}

function inBoth(json: unknown, message: unknown): void {
  expect(messages(json)).toEqual({ older: message, newer: message });
}

function nested(levels: number, innermost: unknown): unknown {
  let json = innermost;
  for (let i = 0; i < levels; i++) json = i % 2 === 0 ? { M: { a: json } } : { L: [json] };
  return json;
}

describe('one value', () => {
  it('comes out in normal form', () => {
    inBoth({ S: '' }, { S: '' });
    inBoth({ N: '+01.50' }, { N: '1.5' });
    inBoth({ B: '' }, { B: '' });
    inBoth({ BOOL: false }, { BOOL: false });
    inBoth({ NULL: true }, { NULL: true });
    inBoth({ L: [] }, { L: [] });
    inBoth({ M: {} }, { M: new Map() });
    inBoth({ SS: ['\u{10000}', '\uffff', 'a'] }, { SS: ['a', '\uffff', '\u{10000}'] });
    inBoth({ NS: ['10', '9', '-1e1', '0.5'] }, { NS: ['-10', '0.5', '9', '10'] });
    inBoth({ BS: ['/w==', 'AA==', ''] }, { BS: ['', 'AA==', '/w=='] });
  });

  it('has exactly one known type', () => {
    inBoth({}, empty);
    inBoth({ dog: 'x' }, empty);
    inBoth({ S: null }, empty);
    inBoth({ dog: 'x', S: 'a', N: null }, { S: 'a' });
    inBoth({ S: 'a', N: '1' }, several);
    inBoth({ S: 'a', N: 'b' }, 'The parameter cannot be converted to a numeric value: b');
    inBoth({ M: { a: {} } }, empty);
    inBoth({ L: [{ S: 'a', BOOL: true }] }, several);
  });

  it('answers for JSON of any other shape', () => {
    for (const json of [
      undefined,
      null,
      1,
      'x',
      [],
      [{ S: 'a' }],
      { S: 1 },
      { N: 1 },
      { B: 'A' },
      { B: 'AB==' },
      { L: {} },
      { M: [] },
      { SS: 'a' },
      { SS: [1] },
      { BS: ['?'] },
      { NULL: 'x' },
      { BOOL: 'true' },
    ]) {
      inBoth(json, empty);
    }
    expect(readItem(null, 'newer')).toEqual(new Map());
    expect(readItem([1], 'newer')).toEqual(new Map());
  });

  it('words faults of sets by layer', () => {
    inBoth({ SS: [] }, `${prefix}An string set  may not be empty`);
    inBoth({ NS: [] }, `${prefix}An number set  may not be empty`);
    inBoth({ BS: [] }, `${prefix}Binary sets should not be empty`);
    expect(messages({ SS: ['b', 'a', 'b', 'c'] })).toEqual({
      older: `${prefix}Input collection [b, a, b, c] contains duplicates.`,
      newer: `${prefix}Input collection ["a", "b", "b", "c"] contains duplicates.`,
    });
    expect(messages({ SS: ['c', 'b', 'a', 'b'] }).newer).toBe(
      `${prefix}Input collection ["a", "b", "c", "b"] contains duplicates.`,
    );
    expect(messages({ BS: ['/w==', 'AA==', 'AA=='] })).toEqual({
      older: `${prefix}Input collection [/w==, AA==, AA==]of type BS contains duplicates.`,
      newer: `${prefix}Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.`,
    });
    expect(messages({ NS: ['1', '2', '1.0'] })).toEqual({
      older: 'Input collection contains duplicates',
      newer: `${prefix}Input collection contains duplicates.`,
    });
    inBoth({ NS: ['1', 'b', 'a'] }, 'The parameter cannot be converted to a numeric value: b');
    inBoth({ NULL: false }, `${prefix}Null attribute value types must have the value of true`);
  });

  it('nests 31 levels around a scalar and not 32', () => {
    expect(messages(nested(31, { S: 'x' })).newer).not.toBe(tooDeep);
    inBoth(nested(32, { S: 'x' }), tooDeep);
    inBoth(nested(100_000, { S: 'x' }), tooDeep);
    expect(readItem({ a: nested(31, { N: '1' }) }, 'older')).toBeInstanceOf(Map);
    expect(readItem({ a: nested(32, { N: '1' }) }, 'older')).toBeInstanceOf(DynamoError);
  });
});

describe('an item', () => {
  it('keeps names that mean something to JavaScript', () => {
    const item = readItem(
      JSON.parse(
        '{"__proto__":{"S":"p"},"constructor":{"M":{"__proto__":{"N":"1"}}},"10":{"S":"ten"},"9":{"S":"nine"}}',
      ),
      'newer',
    );
    expect(item).toEqual(
      new Map<string, AttributeValue>([
        ['9', { S: 'nine' }],
        ['10', { S: 'ten' }],
        ['__proto__', { S: 'p' }],
        ['constructor', { M: new Map([['__proto__', { N: '1' }]]) }],
      ]),
    );
    expect(({} as Record<string, unknown>).S).toBeUndefined();
    expect((readItem({}, 'newer') as ReadonlyMap<string, unknown>).get('constructor')).toBeUndefined();
  });

  it('has names of 1 to 65,535 bytes', () => {
    expect(checkAttributeName('')?.message).toBe('Empty attribute name');
    expect(checkAttributeName('a'.repeat(65_535))).toBeUndefined();
    expect(checkAttributeName('a'.repeat(65_536))?.message).toBe(
      'Attribute name is too large, must be less than 65536 bytes',
    );
    expect(checkAttributeName('é'.repeat(32_767))).toBeUndefined();
    expect(checkAttributeName('é'.repeat(32_768))).toBeInstanceOf(DynamoError);
    expect(readItem({ a: { M: { '': { S: 'x' } } } }, 'newer')).toBeInstanceOf(DynamoError);
  });

  it('replaces lone surrogates', () => {
    expect(readItem({ '\ud800': { S: 'a\udc00b' } }, 'newer')).toEqual(
      new Map([['\ufffd', { S: 'a\ufffdb' }]]),
    );
    inBoth({ SS: ['\ud800'] }, { SS: ['\ufffd'] });
    expect(messages({ SS: ['\ud800', '\udc00'] }).newer).toBe(
      `${prefix}Input collection ["\ufffd", "\ufffd"] contains duplicates.`,
    );
  });
});

describe('sets made by the engine', () => {
  it('are sorted, without repeats, and equal as sets', () => {
    expect(setOf('NS', ['10', '9', '10'])).toEqual({ NS: ['9', '10'] });
    expect(equalValues(setOf('SS', ['b', 'a']), setOf('SS', ['a', 'b', 'a']))).toBe(true);
    expect(equalValues(setOf('SS', ['1']), setOf('NS', ['1']))).toBe(false);
  });
});
