import { expect, it } from 'vitest';
import { isReservedWord, reservedWords } from './reserved-words.ts';

it('has the 573 words of the guide, each once, in order', () => {
  const words = [...reservedWords];
  expect(words).toHaveLength(573);
  expect(words).toEqual([...words].sort());
  expect(words.every((word) => /^[A-Z_]+$/.test(word))).toBe(true);
});

it.each(['FLATTERN', 'INNTER', 'LOGED', 'name', 'Status', 'tTl', 'size', 'SET', 'abort', 'zone', '_x'])(
  'knows %s',
  (word) => {
    expect(isReservedWord(word)).toBe(word !== '_x');
  },
);

it.each(['contains', 'begins_with', 'attribute_exists', 'a', 'pk', 'sk', 'constructo', '__proto__'])(
  'does not reserve %s',
  (word) => {
    expect(isReservedWord(word)).toBe(false);
  },
);
