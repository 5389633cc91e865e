import { property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../tests/assert-property.ts';
import { logLine, printable, printableJson, terminalText } from './printable.ts';

const forged = 'x\n2026-11-19T00:00:00.000Z PutItem Orders 200';
const dangerous = /[\p{Cc}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2060-\u206f\u061c\ufeff]|\p{Cs}/u;

describe('text of others', () => {
  it.each([
    ['a\nb\r\tc', 'a\\nb\\r\\tc'],
    ['\u001b[31mred\u001b[0m', '\\u001b[31mred\\u001b[0m'],
    ['\u009b2Jx\u0085y', '\\u009b2Jx\\u0085y'],
    ['abc\u202egpj.exe\u2066', 'abc\\u202egpj.exe\\u2066'],
    ['a\u2028b\u2029c\ufeff', 'a\\u2028b\\u2029c\\ufeff'],
    ['\ud800x\udc00', '\\ud800x\\udc00'],
    ['Grüße, 日本, 👍', 'Grüße, 日本, 👍'],
  ])('%j is printed as %j', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  it('has nothing left that is not seen as it is, and stays as it is once it is escaped', () => {
    assertProperty(
      property(string({ unit: 'binary', maxLength: 40 }), (text) => {
        expect(printable(text)).not.toMatch(dangerous);
        expect(printable(printable(text))).toBe(printable(text));
        expect(JSON.parse(printableJson({ text }))).toEqual({ text });
        expect(printableJson({ text })).not.toMatch(dangerous);
        expect(terminalText(text).replaceAll('\n', '')).not.toMatch(/[\u0080-\u009f\u202e\r]/);
      }),
    );
  });

  it('begins no line of a log', () => {
    expect(logLine(forged)).toBe('x\n    2026-11-19T00:00:00.000Z PutItem Orders 200');
    expect(logLine('Error: x\n    at y\n')).toBe('Error: x\n    at y\n    ');
    expect(logLine('a\u001b[2Kb')).toBe('a\\u001b[2Kb');
  });

  it('keeps the styles of our own on a terminal, and no other sequence', () => {
    const text =
      '\u001b[1mOrders\u001b[0m\n  \u001b[31mred\u001b[0m \u001b[2J \u001b[8mhidden \u001b]0;title\u0007';
    expect(terminalText(text)).toBe(
      '\u001b[1mOrders\u001b[0m\n  \u001b[31mred\u001b[0m \\u001b[2J \\u001b[8mhidden \\u001b]0;title\\u0007',
    );
  });
});
