import { expect, it } from 'vitest';
import { WorkQueue } from './work-queue.ts';

/** Work that counts how often it runs, and how many run at once for each owner. */
function counted() {
  const queue = new WorkQueue<string>(3);
  const running = new Map<string, number>();
  const ends: (() => void)[] = [];
  const seen = { runs: 0, most: 0 };
  const ask = (owner: string, id: string, fails = false) =>
    queue.run(owner, id, async () => {
      seen.runs++;
      const now = (running.get(owner) ?? 0) + 1;
      running.set(owner, now);
      seen.most = Math.max(seen.most, now);
      await new Promise<void>((resolve) => ends.push(resolve));
      running.set(owner, now - 1);
      if (fails) throw new Error(id);
      return id;
    });
  const endAll = async () => {
    for (let turn = 0; turn < 50; turn++) {
      for (const end of ends.splice(0)) end();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { ask, endAll, seen };
}

it('runs the work of an owner one after the other, and shares what is the same', async () => {
  const { ask, endAll, seen } = counted();
  const answers = ['x', 'x', 'y', 'x', 'z'].map((id) => ask('a', id));
  const other = ask('b', 'x');
  await endAll();
  expect(await Promise.all([...answers, other])).toEqual(['x', 'x', 'y', 'x', 'z', 'x']);
  expect(seen).toEqual({ runs: 4, most: 1 });
  const again = ask('a', 'x');
  await endAll();
  expect(await again).toBe('x');
  expect(seen.runs).toBe(5);
});

it('refuses what would wait behind too much, and goes on after a failure', async () => {
  const { ask, endAll } = counted();
  const failing = ask('a', '0', true);
  const failed = expect(failing).rejects.toThrow('0');
  const waiting = ['1', '2', '3'].map((id) => ask('a', id));
  expect(ask('a', '4')).toBeUndefined();
  expect(ask('b', '4')).toBeDefined();
  await endAll();
  await failed;
  expect(await Promise.all(waiting)).toEqual(['1', '2', '3']);
});
