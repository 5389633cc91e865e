import { describe, expect, it } from 'vitest';
import { leastUsedOfLargest } from './fair-drop.ts';

/** The accounts in a text, of which each letter is an entry, used in this order. */
function droppedOf(accounts: string, count: number): string {
  const entries = [...accounts].map((account, use) => ({ account, use }));
  const dropped = leastUsedOfLargest(
    entries,
    count,
    ({ account }) => account,
    ({ use }) => use,
  );
  return dropped.map(({ account, use }) => `${account}${use}`).join(' ');
}

describe('what is dropped of too many', () => {
  it('is the least used of one account', () => {
    expect(droppedOf('aaaa', 2)).toBe('a0 a1');
    expect(droppedOf('aa', 5)).toBe('a0 a1');
    expect(droppedOf('', 3)).toBe('');
  });

  it('belongs to the accounts with the most', () => {
    expect(droppedOf('bbaaaaaa', 2)).toBe('a2 a3');
    expect(droppedOf('bbaaaaaa', 4)).toBe('a2 a3 a4 a5');
    expect(droppedOf('bbbaaac', 2)).toBe('b0 a3');
    expect(droppedOf('abcd', 2)).toBe('a0 b1');
  });
});
