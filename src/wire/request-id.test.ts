import { describe, expect, it } from 'vitest';
import { pooledWords } from '../runtime/randomness.ts';
import { newRequestId } from './request-id.ts';

describe('newRequestId', () => {
  it('has 52 digits and letters', () => {
    expect(newRequestId(() => 0)).toBe('00000000000000000000000003VV4KQNSO5AEMVJF66Q9ASUAAJG');
    expect(newRequestId(() => 0xffffffff)).toBe('VVVVVVVVVVVVVVVVVVVVVVVVVVVV4KQNSO5AEMVJF66Q9ASUAAJG');
  });

  it('differs with every word drawn, and repeats with the source', () => {
    const counting = () => {
      let state = 1;
      return pooledWords((bytes) => {
        for (let index = 0; index < bytes.length; index++) {
          state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
          bytes[index] = state >>> 24;
        }
      });
    };
    const ids = (random: () => number) => Array.from({ length: 2000 }, () => newRequestId(random));
    const first = ids(counting());
    expect(new Set(first).size).toBe(first.length);
    for (const id of first) expect(id).toMatch(/^[0-9A-Z]{52}$/);
    expect(ids(counting())).toEqual(first);
  });
});
