import { describe, expect, it, vi } from 'vitest';
import { BoundedCache, ParsedExpressions } from './parsed-cache.ts';
import { ExpressionProblem } from './tree.ts';

describe('parsed expressions', () => {
  it('are parsed once for each text', () => {
    const parsed = new ParsedExpressions();
    expect(parsed.condition('a = :v')).toBe(parsed.condition('a = :v'));
    expect(parsed.update('REMOVE a')).toBe(parsed.update('REMOVE a'));
    expect(parsed.projection('a, b')).toBe(parsed.projection('a, b'));
  });

  it('keep their problems too', () => {
    const parsed = new ParsedExpressions();
    const problem = parsed.condition('a =');
    expect(problem).toBeInstanceOf(ExpressionProblem);
    expect(parsed.condition('a =')).toBe(problem);
  });

  it('are apart by kind and by owner', () => {
    const parsed = new ParsedExpressions();
    expect(parsed.projection('a')).not.toBe(parsed.condition('a'));
    expect(new ParsedExpressions().projection('a')).not.toBe(parsed.projection('a'));
  });
});

describe('a bounded cache', () => {
  it('keeps no more characters than it may', () => {
    const cache = new BoundedCache(1_000, (text) => ({ text }));
    for (let i = 0; i < 10_000; i++) expect(cache.get(`${i}`.padStart(10)).text).toBe(`${i}`.padStart(10));
    expect(cache.size).toBeLessThanOrEqual(100);
    expect(cache.size).toBeGreaterThanOrEqual(50);
  });

  it('keeps what is asked for again and again', () => {
    const make = vi.fn((text: string) => ({ text }));
    const cache = new BoundedCache(1_000, make);
    for (let i = 0; i < 1_000; i++) {
      cache.get('evergreen ');
      cache.get(`${i}`.padStart(10));
    }
    expect(make.mock.calls.filter(([text]) => text === 'evergreen ')).toHaveLength(1);
  });

  it('does not keep what is too long for it', () => {
    const cache = new BoundedCache(10, (text) => ({ text }));
    expect(cache.get('0123456789').text).toBe('0123456789');
    expect(cache.size).toBe(0);
  });
});
