import { expect, it } from 'vitest';
import { object, text } from '../model/json/fields.ts';
import { decodeUtf8, encodeUtf8 } from '../model/values/utf8.ts';
import { jsonRecord, UnreadableRecord } from './json-record.ts';

interface Note {
  readonly name: string;
}
const key = Uint8Array.of(0x0e, 0x01);
const notes = jsonRecord<Note>('a note', 2, object<Note>({ name: text }));
const decoded = (stored: string) => () => notes.decode(encodeUtf8(stored), key);

it('writes the format first and reads what it wrote', () => {
  const stored = notes.encode({ name: 'a' });
  expect(decodeUtf8(stored)).toBe('{"format":2,"name":"a"}');
  expect(notes.decode(stored, key)).toEqual({ name: 'a' });
});

it('reads members in any order, and keeps those that a later version has added', () => {
  expect(decoded('{"later":1,"name":"a","format":2}')()).toEqual({ later: 1, name: 'a' });
});

it('reads names with escapes as they are, also after similar ones', () => {
  decoded('{"format":2,"name":"a","\\\\":2}')();
  expect(decoded('{"format":2,"name":"a","\\n":2}')()).toEqual({ name: 'a', '\n': 2 });
});

it.each([
  ['{"format":2,"name":', 'corrupt', 'it is no JSON'],
  ['[]', 'corrupt', 'it is no JSON object'],
  ['null', 'corrupt', 'it is no JSON object'],
  ['{"name":"a"}', 'corrupt', 'it has no format'],
  ['{"format":"2","name":"a"}', 'corrupt', 'it has no format'],
  ['{"format":2}', 'corrupt', 'its value.name is no text'],
  ['{"format":3,"name":"a"}', 'format', 'of the format 3, and this version of Stator reads format 2'],
])('refuses %s with its kind and key', (stored, trouble, why) => {
  expect(decoded(stored)).toThrow(UnreadableRecord);
  expect(decoded(stored)).toThrow(
    expect.objectContaining({
      ...{ trouble, kind: 'a note', key },
      message: expect.stringMatching(new RegExp(`^The store has a note under the key 0e01 .*${why}`)),
    }),
  );
});

it('refuses bytes that are no UTF-8', () => {
  expect(() => notes.decode(Uint8Array.of(0xff), key)).toThrow(UnreadableRecord);
});

it('reads and writes records without a format', () => {
  const old = jsonRecord<Note>('a note', 0, object<Note>({ name: text }));
  expect(decodeUtf8(old.encode({ name: 'a' }))).toBe('{"name":"a"}');
  expect(old.decode(encodeUtf8('{"name":"a"}'), key)).toEqual({ name: 'a' });
  expect(() => old.decode(encodeUtf8('{"format":1,"name":"a"}'), key)).toThrow(
    /of the format 1, .* reads format 0/,
  );
});
