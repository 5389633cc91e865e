import fc from 'fast-check';
import { DynamoError } from '../errors.ts';
import type { ItemHeader } from '../stored/stored-item.ts';
import type { Item } from './attribute-value.ts';
import { encodeBase64 } from './base64.ts';
import { readItem } from './read-attribute-value.ts';

/**
 * Items with names and texts of every kind: properties that JavaScript objects have, and characters that need an
 * escape or several bytes.
 */

export const name = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'length',
    '0',
    '9',
    '10',
    '-1',
    '1e3',
    'a',
    'S',
    '\uffff',
    '\u{10000}',
    '"',
    '\\',
    '\n',
    '\u2028',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }),
);
export const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('"', '\\', '\u0000', '\u001f', '\u007f', 'é', '\u2029', '\u{1f600}', 'x'),
  }),
  fc.constantFrom(
    '',
    'plain',
    '\\'.repeat(33),
    `${'\\'.repeat(40)}"${'z'.repeat(40)}"`,
    'x'.repeat(127),
    'x'.repeat(128),
    'x'.repeat(129),
    `${'y'.repeat(5_000)}"é`,
  ),
);
const number = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom('0', '-0', '1e125', '1e-130', '1.50', '+7', '0.1'),
);
const binary = fc.uint8Array({ maxLength: 8 }).map(encodeBase64);
const setBy = <T>(member: fc.Arbitrary<T>, key: (one: T) => unknown) =>
  fc.uniqueArray(member, { minLength: 1, maxLength: 6, selector: key });

/** DynamoDB JSON as a request may contain it. */
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    text.map((S) => ({ S })),
    number.map((N) => ({ N })),
    binary.map((B) => ({ B })),
    fc.boolean().map((BOOL) => ({ BOOL })),
    fc.constant({ NULL: true }),
    setBy(text, (one) => one).map((SS) => ({ SS })),
    setBy(number, (one) => Number(one) + 0).map((NS) => ({ NS })),
    setBy(binary, (one) => one).map((BS) => ({ BS })),
    fc.array(tie('value'), { maxLength: 4 }).map((L) => ({ L })),
    fc
      .array(fc.tuple(name, tie('value')), { maxLength: 4 })
      .map((entries) => ({ M: Object.fromEntries(entries) })),
  ),
}));
export const item: fc.Arbitrary<Item> = fc.array(fc.tuple(name, value), { maxLength: 8 }).map((entries) => {
  const read = readItem(Object.fromEntries(entries), 'newer');
  if (read instanceof DynamoError) throw new Error(read.message);
  return read;
});

export const header: ItemHeader = {
  encrypted: false,
  tombstone: false,
  itemBytes: 10,
  era: 0,
  writtenMicros: 1_794_000_000_123_456,
  region: 3,
  version: 7,
};
