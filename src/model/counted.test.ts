import { describe, expect, it } from 'vitest';
import { counted } from './counted.ts';

describe('a counted noun', () => {
  it.each([
    [1, 'item', '1 item'],
    [0, 'item', '0 items'],
    [1_234, 'item', '1,234 items'],
    [2, 'sampled entry', '2 sampled entries'],
    [2, 'Query', '2 Queries'],
    [2, 'key', '2 keys'],
    [2, 'global index', '2 global indexes'],
    [1.25, 'unit', '1.3 units'],
  ])('%s %s', (count, noun, text) => {
    expect(counted(count, noun)).toBe(text);
  });

  it('takes the figure as its caller writes numbers', () => {
    expect(counted(12.6, 'throttle', '13')).toBe('13 throttles');
  });
});
