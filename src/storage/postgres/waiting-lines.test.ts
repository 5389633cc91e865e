import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { seededRandom, testSeeds } from '../../../tests/seeded-random.ts';
import { WaitingLines } from './waiting-lines.ts';

const longMs = 60_000;

afterEach(() => {
  vi.useRealTimers();
});

describe('waiting lines', () => {
  const seeds = testSeeds('waiting lines');
  it.each(seeds)('let one at a time have what he claims, in the order of their coming, %i', async (seed) => {
    const random = seededRandom(seed);
    const lines = new WaitingLines(longMs);
    const names = ['a', 'b', 'c', 'd'];
    const came = new Map(names.map((name) => [name, [] as number[]]));
    const served = new Map(names.map((name) => [name, [] as number[]]));
    const writing = new Set<string>();
    const work = async (one: number, claims: readonly string[]) => {
      for (const claim of claims) {
        expect(writing.has(claim)).toBe(false);
        writing.add(claim);
        served.get(claim)!.push(one);
      }
      for (let turns = random.below(4); turns > 0; turns--) await nextTurn();
      for (const claim of claims) writing.delete(claim);
      if (random.below(5) === 0) throw new Error('unlucky');
      return one;
    };
    const all = Array.from({ length: 200 }, async (_, one) => {
      const claims = names.filter(() => random.below(3) > 0);
      for (const claim of claims) came.get(claim)!.push(one);
      const repeated = [...claims, ...claims.slice(0, 1)];
      const done = lines.inTurn(repeated, () => work(one, claims));
      expect(await done.catch((error: Error) => error.message)).toBeOneOf([one, 'unlucky']);
    });
    await Promise.all(all);
    expect(served).toEqual(came);
    await nextTurn();
    expect(lines.isBusy(names)).toBe(false);
  });

  it('hold nobody for too long, who then lets nobody pass those before him', async () => {
    vi.useFakeTimers();
    const lines = new WaitingLines(1_000);
    const order: string[] = [];
    let finishFirst = () => {};
    const first = lines.inTurn(['a'], async (isTurn) => {
      order.push(`first ${isTurn}`);
      await new Promise<void>((resolve) => {
        finishFirst = resolve;
      });
    });
    const second = lines.inTurn(['a'], async (isTurn) => void order.push(`second ${isTurn}`));
    await vi.advanceTimersByTimeAsync(500);
    const third = lines.inTurn(['a'], async (isTurn) => void order.push(`third ${isTurn}`));
    await vi.advanceTimersByTimeAsync(500);
    await second;
    expect(order).toEqual(['first true', 'second false']);
    await vi.advanceTimersByTimeAsync(499);
    expect(order, 'the second is done, but the first is not').toHaveLength(2);
    finishFirst();
    await Promise.all([first, third]);
    expect(order).toEqual(['first true', 'second false', 'third true']);
    await vi.advanceTimersByTimeAsync(0);
    expect(lines.isBusy(['a'])).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('hand on what was left on a key, and forget it with the line', async () => {
    const lines = new WaitingLines(longMs);
    const left = { value: Uint8Array.of(1), writeId: 'one' };
    lines.leave('a', left);
    expect(lines.left('a'), 'nobody is there to be told').toBeUndefined();
    const first = lines.inTurn(['a', 'b'], async () => lines.leave('a', left));
    const second = lines.inTurn(['a'], async () => lines.left('a'));
    await first;
    expect(await second).toBe(left);
    await nextTurn();
    expect(lines.left('a')).toBeUndefined();
  });
});
