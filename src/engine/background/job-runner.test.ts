import { describe, expect, it } from 'vitest';
import { FakeBackground, nextTurn } from '../../../tests/engine/fake-background.ts';
import { object, oneOf, whole } from '../../model/json/fields.ts';
import { seededRandomness } from '../../runtime/randomness.ts';
import { MemoryStore } from '../../storage/memory/memory-store.ts';
import type { RangeRequest, Store } from '../../storage/store.ts';
import { DamagedValue, StoreError } from '../../storage/store-error.ts';
import { jsonRecord } from '../json-record.ts';
import { JobFailure, type JobKind, JobRunner } from './job-runner.ts';

interface Count {
  readonly state: 'going' | 'done' | 'failed';
  readonly count: number;
}

const counts = jsonRecord<Count>(
  'a count',
  1,
  object<Count>({ state: oneOf('going', 'done', 'failed'), count: whole }),
);
const keyOf = (number: number) => Uint8Array.of(0xf0, number);

/** Jobs that count to three, and a runner for them. */
class Counting {
  readonly store: MemoryStore;
  readonly background = new FakeBackground();
  /** What the steps did, and why jobs failed. */
  readonly steps: string[] = [];
  readonly reasons: string[] = [];
  /** Called in every step, behind its work. */
  inStep: (number: number, count: number) => Promise<void> | void = () => {};
  tidyAtMs = Number.POSITIVE_INFINITY;
  tidied = 0;
  readonly kind: JobKind = {
    name: 'A count',
    range: { from: Uint8Array.of(0xf0), to: Uint8Array.of(0xf1) },
    isUnderWay: (stored, key) => counts.decode(stored, key).state === 'going',
    steps: (stored, key) => this.#count(counts.decode(stored, key), key),
    fail: async (key, reason) => {
      this.reasons.push(reason);
      this.put(key[1]!, { state: 'failed', count: 0 });
    },
    tidy: async () => void this.tidied++,
    tidyAtMs: async () => this.tidyAtMs,
  };
  readonly runner: JobRunner;

  constructor(store?: Store, memory = new MemoryStore()) {
    this.store = memory;
    this.runner = new JobRunner(
      { store: store ?? this.store, random: seededRandomness(1), kinds: [this.kind] },
      this.background,
    );
  }

  async *#count({ count: begun }: Count, key: Uint8Array): AsyncGenerator<void, void> {
    for (let count = begun + 1; ; count++) {
      await this.inStep(key[1]!, count);
      this.steps.push(`${key[1]}:${count}`);
      this.put(key[1]!, { state: count === 3 ? 'done' : 'going', count });
      if (count === 3) return;
      yield;
    }
  }

  put(number: number, record: Count): void {
    this.write(number, counts.encode(record));
  }

  write(number: number, value: Uint8Array): void {
    const mutations = [{ kind: 'put', key: keyOf(number), value }] as const;
    this.store.transact({ reads: [], decide: () => ({ result: undefined, mutations }) });
  }

  begin(...numbers: number[]): void {
    for (const number of numbers) this.put(number, { state: 'going', count: 0 });
    this.runner.wake();
  }

  states(): string[] {
    const { entries } = this.store.range({ ...this.kind.range, limit: 100 });
    return entries.map(({ key, value }) => counts.decode(value, key).state);
  }

  /** Lets the runner come to rest. */
  async rest(): Promise<void> {
    const rested = this.runner.settled();
    let isOver = false;
    void rested.then(() => {
      isOver = true;
    });
    for (await nextTurn(); !isOver; await nextTurn())
      for (const pause of this.background.open) {
        this.background.realMs += pause.ms;
        pause.end();
      }
    await rested;
  }
}

/** The store as one that other processes share. */
function shared(memory: MemoryStore, refuses?: () => never): Store {
  return new Proxy(memory, {
    get: (target, name) => {
      if (name === 'exclusive') return false;
      if (name === 'transact' && refuses !== undefined) return refuses;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  }) as Store;
}

describe('the runner of jobs', () => {
  it('does a step of each job in turn', async () => {
    const jobs = new Counting();
    jobs.begin(1, 2);
    await jobs.rest();
    expect(jobs.steps).toEqual(['1:1', '2:1', '1:2', '2:2', '1:3', '2:3']);
    expect(jobs.states()).toEqual(['done', 'done']);
  });

  it('finds a job that begins while others are at work', async () => {
    const jobs = new Counting();
    jobs.inStep = (number, count) => {
      if (number === 1 && count === 2) jobs.begin(2);
    };
    jobs.begin(1);
    await jobs.rest();
    expect(jobs.states()).toEqual(['done', 'done']);
  });

  it('goes on with others while one waits', async () => {
    const jobs = new Counting();
    let answer = () => {};
    jobs.inStep = (number) =>
      number !== 1
        ? undefined
        : new Promise<void>((resolve) => {
            answer = resolve;
          });
    jobs.begin(1, 2);
    for (let turn = 0; turn < 50; turn++) {
      await nextTurn();
      for (const pause of jobs.background.open) pause.end();
    }
    expect(jobs.steps).toEqual(['2:1', '2:2', '2:3']);
    jobs.inStep = () => {};
    answer();
    await jobs.rest();
    expect(jobs.states()).toEqual(['done', 'done']);
  });

  it('resumes from the record after trouble that may pass, which it logs once', async () => {
    const jobs = new Counting();
    let troubles = 2;
    jobs.inStep = (_, count) => {
      if (count === 2 && troubles-- > 0) throw new StoreError('unavailable', 'no connection');
    };
    jobs.begin(1);
    await jobs.rest();
    expect(jobs.steps).toEqual(['1:1', '1:2', '1:3']);
    expect(jobs.reasons).toEqual([]);
    expect(jobs.background.lines).toHaveLength(1);
  });

  it.each([
    ['damage', () => new StoreError('corrupt', 'a chunk is damaged'), []],
    ['its own reason', () => new JobFailure('the source is gone'), []],
    ['a bug', () => new TypeError('no function'), [/^A count failed: TypeError: no function\n/]],
  ])('fails a job for %s, and no other', async (_, error, lines) => {
    const jobs = new Counting();
    jobs.inStep = (number) => {
      if (number === 1) throw error();
    };
    jobs.begin(1, 2);
    await jobs.rest();
    expect(jobs.states()).toEqual(['failed', 'done']);
    expect(jobs.reasons).toEqual([error().message]);
    expect(jobs.background.lines).toEqual(lines.map((line) => expect.stringMatching(line)));
  });

  it('sets a job aside whose undoing fails too, and tries it again later', async () => {
    const jobs = new Counting();
    let failures = 0;
    jobs.inStep = (number) => {
      if (number === 1 && ++failures < 3) throw new JobFailure('full');
    };
    Object.assign(jobs.kind, { fail: async () => jobs.background.log('not undone') });
    jobs.begin(1, 2);
    await jobs.rest();
    expect(jobs.states()).toEqual(['going', 'done']);
    expect(failures).toBe(1);
    expect(jobs.background.open.map(({ ms }) => ms)).toEqual([15_000]);
    for (let pass = 0; pass < 2; pass++) {
      jobs.runner.wake();
      await jobs.rest();
    }
    expect(jobs.states()).toEqual(['done', 'done']);
    expect(jobs.background.lines).toEqual(['not undone']);
  });

  it('tries to fail a job again when failing it met trouble that passed', async () => {
    const jobs = new Counting();
    jobs.inStep = (number) => {
      if (number === 1) throw new JobFailure('the source is gone');
    };
    const { fail } = jobs.kind;
    let troubles = 2;
    Object.assign(jobs.kind, {
      fail(key: Uint8Array, reason: string): Promise<void> {
        if (troubles-- > 0) throw new StoreError('unavailable', 'no connection');
        return fail!(key, reason);
      },
    });
    jobs.begin(1, 2);
    await jobs.rest();
    expect(jobs.states()).toEqual(['going', 'done']);
    jobs.runner.wake();
    await jobs.rest();
    expect(jobs.states()).toEqual(['failed', 'done']);
    expect(jobs.reasons).toEqual(['the source is gone']);
  });

  it('begins a job only once in a pass if its steps change nothing', async () => {
    const jobs = new Counting();
    let begun = 0;
    Object.assign(jobs.kind, {
      async *steps() {
        begun++;
        yield;
      },
    });
    jobs.begin(1);
    await jobs.rest();
    expect(begun).toBe(1);
    expect(jobs.background.open.map(({ ms }) => ms)).toEqual([15_000]);
  });

  it('leaves a record alone that it cannot read, says so once, and does the others', async () => {
    const jobs = new Counting();
    jobs.write(1, new TextEncoder().encode('{"format":1,"state":"going"}'));
    jobs.begin(2);
    await jobs.rest();
    jobs.begin(3);
    await jobs.rest();
    expect(jobs.steps).toEqual(['2:1', '2:2', '2:3', '3:1', '3:2', '3:3']);
    expect(jobs.background.lines).toEqual([
      'The store has a count under the key f001 that is damaged: its value.count is no whole number. The job is left as it is.',
    ]);
  });

  it('passes over a record that the store finds damaged', async () => {
    const memory = new MemoryStore();
    const store = new Proxy(memory, {
      get(target, name) {
        if (name !== 'range')
          return Reflect.get(target, name, target).bind?.(target) ?? Reflect.get(target, name);
        return (request: RangeRequest) => {
          const page = target.range(request);
          const bad = page.entries.find(({ key }) => key[0] === 0xf0 && key[1] === 2);
          if (bad !== undefined) throw new DamagedValue(bad.key, 'not what was written');
          return page;
        };
      },
    }) as Store;
    const jobs = new Counting(store, memory);
    jobs.begin(1, 2, 3);
    await jobs.rest();
    expect(jobs.states()).toEqual(['done', 'going', 'done']);
    expect(jobs.background.lines).toEqual(['not what was written. The job is left as it is.']);
  });

  it('looks at a shared store without work and writes nothing, not even a lease', async () => {
    const memory = new MemoryStore();
    const jobs = new Counting(shared(memory, () => expect.unreachable('an idle process writes')));
    jobs.runner.wake();
    await jobs.runner.settled();
    await nextTurn();
    expect(jobs.tidied).toBe(0);
    // It rests until it looks for work of processes that were killed.
    expect(jobs.background.open.map(({ ms }) => ms)).toEqual([15_000]);
    jobs.background.abort();
  });

  it('tidies when it is time by the clock', async () => {
    const jobs = new Counting();
    const { clock } = jobs.background;
    jobs.tidyAtMs = clock.nowMicros() / 1000 + 60_000;
    jobs.runner.wake();
    await jobs.rest();
    expect(jobs.tidied).toBe(0);
    jobs.tidyAtMs -= 60_000;
    jobs.runner.wake();
    await jobs.rest();
    expect(jobs.tidied).toBe(1);
  });
});
