import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { Bytes, Store, Unit } from '../../src/storage/store.ts';
import { StoreError, type Trouble } from '../../src/storage/store-error.ts';
import { bytes, text } from './bytes.ts';
import { storeContract } from './contract.ts';
import { FaultyStore, Gate, holdAnswer, holdCall, loseAnswer, refuse } from './faulty-store.ts';

storeContract('memory behind a plan without faults', async () => ({
  open: async () => new FaultyStore(new MemoryStore()),
  remove: async () => {},
  keeps: false,
  manyKeys: 5_000,
}));

describe('a faulty store', () => {
  it('fails exactly the n-th operation, before it does anything', async () => {
    for (let nth = 1; nth <= 6; nth++) {
      const inner = new MemoryStore();
      const store = new FaultyStore(inner, [{ nth, effect: refuse('full') }]);
      const troubles: (Trouble | undefined)[] = [];
      for (let i = 1; i <= 6; i++)
        troubles.push(await troubleOf(() => store.transact(put(`key ${i}`, 'value'))));
      expect(troubles).toEqual([1, 2, 3, 4, 5, 6].map((i) => (i === nth ? 'full' : undefined)));
      for (let i = 1; i <= 6; i++)
        expect(text(inner.get(bytes(`key ${i}`)))).toBe(i === nth ? undefined : 'value');
    }
  });

  it('counts among the calls of one method, or those a predicate chooses', async () => {
    const ofKey = (key: string) => (call: { args: readonly unknown[] }) =>
      text(call.args[0] as Bytes) === key;
    const store = new FaultyStore(new MemoryStore(), [
      { method: 'get', nth: 2, effect: refuse('unavailable') },
      { method: 'get', where: ofKey('bad'), effect: refuse('corrupt') },
      { method: 'range', from: 2, effect: refuse('closed') },
    ]);
    const get = (key: string) => troubleOf(() => store.get(bytes(key)));
    const range = () => troubleOf(() => store.range({ limit: 1 }));
    expect([await get('a'), await range(), await get('a'), await get('a')]).toEqual([
      undefined,
      undefined,
      'unavailable',
      undefined,
    ]);
    expect([await get('bad'), await get('good'), await get('bad')]).toEqual([
      'corrupt',
      undefined,
      'corrupt',
    ]);
    expect([await range(), await range()]).toEqual(['closed', 'closed']);
    expect(store.calls.map((call) => call.method).filter((method) => method === 'range')).toHaveLength(3);
  });

  it('has committed a unit whose answer it lost, and not one that it lost on its way', async () => {
    const inner = new MemoryStore();
    const store = new FaultyStore(inner, [
      { nth: 1, effect: loseAnswer() },
      { nth: 2, effect: refuse('unknown-outcome') },
    ]);
    expect(await troubleOf(() => store.transact(put('done', '1')))).toBe('unknown-outcome');
    expect(await troubleOf(() => store.transact(put('lost', '1')))).toBe('unknown-outcome');
    expect(text(inner.get(bytes('done')))).toBe('1');
    expect(inner.get(bytes('lost'))).toBeUndefined();
  });

  it('plays a crash: a commit without an answer, then nothing any more', async () => {
    const inner = new MemoryStore();
    const store = new FaultyStore(inner, [
      { nth: 2, effect: loseAnswer() },
      { from: 3, effect: refuse('unavailable') },
    ]);
    const troubles: unknown[] = [];
    for (const key of ['a', 'b', 'c', 'd'])
      troubles.push(await troubleOf(() => store.transact(put(key, '1'))));
    expect(troubles).toEqual([undefined, 'unknown-outcome', 'unavailable', 'unavailable']);
    expect(inner.range({ limit: 10 }).entries.map((entry) => text(entry.key))).toEqual(['a', 'b']);
  });

  it('says unavailable when the answer of a read is lost', async () => {
    const store = new FaultyStore(new MemoryStore(), [{ effect: loseAnswer() }]);
    expect(await troubleOf(() => store.get(bytes('a')))).toBe('unavailable');
    expect(await troubleOf(() => store.deleteRange(bytes('a'), bytes('b')))).toBe('unknown-outcome');
  });

  it('leaves the bug of a decide what it is, even when the answer would have been lost', async () => {
    const bug = new TypeError('a bug');
    const store = new FaultyStore(new MemoryStore(), [{ effect: loseAnswer() }]);
    const failing = async () =>
      store.transact({
        reads: [],
        decide: () => {
          throw bug;
        },
      });
    await expect(failing()).rejects.toBe(bug);
  });

  it('fails single units of a call that has several', async () => {
    const inner = new MemoryStore();
    const store = new FaultyStore(inner, [
      { method: 'transactMany', nth: 1, effect: refuse('contention', [0]) },
      { method: 'transactMany', nth: 1, effect: loseAnswer([2]) },
      { method: 'transactMany', nth: 2, effect: refuse('full') },
    ]);
    const units = ['a', 'b', 'c'].map((key) => put(key, '1'));
    const outcomes = await store.transactMany(units);
    expect(outcomes.map((outcome) => (outcome.ok ? 'done' : (outcome.error as StoreError).trouble))).toEqual([
      'contention',
      'done',
      'unknown-outcome',
    ]);
    expect(inner.getMany(['a', 'b', 'c'].map(bytes)).map(text)).toEqual([undefined, '1', '1']);
    expect((await store.transactMany(units)).map((outcome) => outcome.ok)).toEqual([false, false, false]);
    expect((await store.transactMany(units)).map((outcome) => outcome.ok)).toEqual([true, true, true]);
  });

  it('holds a call back until the test lets it go', async () => {
    const inner = new MemoryStore();
    const gate = new Gate();
    const store = new FaultyStore(inner, [{ method: 'transact', nth: 1, effect: holdCall(gate) }]);
    const held = store.transact(put('a', 'held'));
    await gate.reached;
    expect(inner.get(bytes('a'))).toBeUndefined();
    await store.transact(put('a', 'overtook'));
    gate.open();
    await held;
    expect(text(inner.get(bytes('a')))).toBe('held');
  });

  it('holds an answer back while the unit is there for others to see', async () => {
    const gate = new Gate();
    const store = new FaultyStore(new MemoryStore(), [{ method: 'transact', effect: holdAnswer(gate) }]);
    let answered = false;
    const held = Promise.resolve(store.transact(put('a', '1'))).then(() => {
      answered = true;
    });
    await gate.reached;
    expect(text(await store.get(bytes('a')))).toBe('1');
    expect(answered).toBe(false);
    gate.open();
    await held;
    expect(answered).toBe(true);
  });

  it('applies several faults to one call in the order of the plan', async () => {
    const inner = new MemoryStore();
    const gate = new Gate();
    const store = new FaultyStore(inner, [
      { effect: holdCall(gate) },
      { effect: refuse('full') },
      { effect: loseAnswer() },
    ]);
    const trouble = troubleOf(() => store.transact(put('a', '1')));
    await gate.reached;
    gate.open();
    expect(await trouble).toBe('full');
    expect(inner.get(bytes('a'))).toBeUndefined();
  });

  it('reaches the reads of a snapshot, and never its closing', async () => {
    const store = new FaultyStore(new MemoryStore(), [
      { where: (call) => call.onSnapshot, nth: 2, effect: refuse('closed') },
    ]);
    const snapshot = await store.snapshot();
    expect(await troubleOf(() => snapshot.get(bytes('a')))).toBeUndefined();
    expect(await troubleOf(() => snapshot.getMany([bytes('a')]))).toBe('closed');
    await snapshot.close();
    await store.close();
  });

  it('answers at once where the store inside does and nothing holds the call', () => {
    const store: Store = new FaultyStore(new MemoryStore());
    expect(store.transact(put('a', '1'))).toBeUndefined();
    expect(text(store.get(bytes('a')) as Bytes)).toBe('1');
  });
});

function put(key: string, value: string): Unit<void> {
  return {
    reads: [],
    decide: () => ({
      result: undefined,
      mutations: [{ kind: 'put', key: bytes(key), value: bytes(value) }],
    }),
  };
}

async function troubleOf(call: () => unknown): Promise<Trouble | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    if (error instanceof StoreError) return error.trouble;
    throw error;
  }
}
