import { describe, expect, it } from 'vitest';
import { jsonFault } from './json-fault.ts';

describe('jsonFault', () => {
  it.each([
    ['{\n  "a": 1\n  "b": 2\n}', 3, 'expected "," or "}", found "b"'],
    ['{\n  "a": 1,\n}', 3, 'expected a name in double quotes, found }'],
    ["{\n  'a': 1 }", 2, "expected a name in double quotes, found 'a'"],
    ['[1,\n 02]', 2, 'expected a value, found 02'],
    ['[1, 2', 1, 'expected "," or "]", found the end of the file'],
    ['{"a"\n 1}', 2, 'expected ":", found 1'],
    ['{"a": tru}', 1, 'expected a value, found tru'],
    ['{} x', 1, 'expected the end, found x'],
    ['', 1, 'expected a value, found the end of the file'],
    ['{"a": {"rate": 1},\n "b": {"rate": 1,\n "rate": 2}}', 3, '"rate" is there twice'],
  ])('tells the line of %j', (text, line, problem) => {
    expect(jsonFault(text)).toEqual({ line, problem });
  });

  it('finds nothing wrong with what JSON.parse reads', () => {
    for (const value of [{ a: [1, -0.5e-7, 'x"\\\n\u2028é', {}, [], null, true] }, 'text', 12, []])
      expect(jsonFault(`\n ${JSON.stringify(value, undefined, 2)} \n`)).toBeUndefined();
  });
});
