import { describe, expect, it } from 'vitest';
import { withReturns } from '../../studio/pages/items/line-ends.ts';

/** A text area gives every line end as \n. */
function areaOf(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}

describe('a text with carriage returns', () => {
  it.each([
    ['line 1\r\nline 2', 'line 1\nline 2!', 'line 1\r\nline 2!'],
    ['a\r\nb', 'a\nnew\nb', 'a\r\nnew\r\nb'],
    ['a\nb\rc', 'new\na\nb\nc', 'new\na\nb\rc'],
    ['a\r\nb\r\nc', 'a\nc', 'a\r\nc'],
    ['a\nb', 'a\nb\nc', 'a\nb\nc'],
  ])('keeps the ends of its lines: %j', (before, typed, after) => {
    expect(withReturns(typed, before)).toBe(after);
    expect(withReturns(areaOf(before), before)).toBe(before);
  });

  it('never becomes another text than the one that was typed', () => {
    expect(areaOf(withReturns('\nb\n\n', 'a\rb\n'))).toBe('\nb\n\n');
  });
});
