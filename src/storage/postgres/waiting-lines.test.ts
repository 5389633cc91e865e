import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { seededRandom, testSeed } from '../../../tests/seeded-random.ts';
import { WaitingLines } from './waiting-lines.ts';

describe('waiting lines', () => {
  it('let one at a time write a key, in the order of their coming', async () => {
    const random = seededRandom(testSeed('waiting lines'));
    const lines = new WaitingLines();
    const names = ['a', 'b', 'c', 'd'];
    const came = new Map(names.map((name) => [name, [] as number[]]));
    const served = new Map(names.map((name) => [name, [] as number[]]));
    const writing = new Set<string>();
    const work = async (one: number, keys: readonly string[]) => {
      for (const key of keys) {
        expect(writing.has(key)).toBe(false);
        writing.add(key);
        served.get(key)!.push(one);
      }
      for (let turns = random.below(4); turns > 0; turns--) await nextTurn();
      for (const key of keys) writing.delete(key);
      if (random.below(5) === 0) throw new Error('unlucky');
      return one;
    };
    const all = Array.from({ length: 200 }, async (_, one) => {
      const keys = names.filter(() => random.below(3) > 0);
      for (const key of keys) came.get(key)!.push(one);
      const done = lines.inTurn(keys, undefined, () => work(one, keys));
      expect(await done.catch((error: Error) => error.message)).toBeOneOf([one, 'unlucky']);
    });
    await Promise.all(all);
    expect(served).toEqual(came);
    await nextTurn();
    expect(lines.isBusy(names)).toBe(false);
  });

  it('close behind one who gives up, who lets nobody pass those before him', async () => {
    const lines = new WaitingLines();
    const order: string[] = [];
    let finishFirst = () => {};
    const first = lines.inTurn(['a'], undefined, async () => {
      order.push('first');
      await new Promise<void>((resolve) => {
        finishFirst = resolve;
      });
    });
    const giving = new AbortController();
    const second = lines.inTurn(['a'], giving.signal, async () => void order.push('second'));
    const third = lines.inTurn(['a'], new AbortController().signal, async () => void order.push('third'));
    giving.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    await nextTurn();
    expect(order).toEqual(['first']);
    finishFirst();
    await Promise.all([first, third]);
    expect(order).toEqual(['first', 'third']);
    await expect(lines.inTurn(['a'], giving.signal, async () => {})).rejects.toThrow('enough');
    await nextTurn();
    expect(lines.isBusy(['a'])).toBe(false);
  });

  it('hand on what was left on a key, and forget it with the line', async () => {
    const lines = new WaitingLines();
    const left = { value: Uint8Array.of(1), writeId: 'one' };
    lines.leave('a', left);
    expect(lines.left('a'), 'nobody is there to be told').toBeUndefined();
    const first = lines.inTurn(['a', 'b'], undefined, async () => lines.leave('a', left));
    const second = lines.inTurn(['a'], undefined, async () => lines.left('a'));
    await first;
    expect(await second).toBe(left);
    await nextTurn();
    expect(lines.left('a')).toBeUndefined();
  });
});
