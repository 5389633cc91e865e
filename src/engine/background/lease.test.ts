import { describe, expect, it } from 'vitest';
import { rounds, type SeededRandom, seededRandom, testSeeds } from '../../../tests/seeded-random.ts';
import { MemoryStore } from '../../storage/memory/memory-store.ts';
import { sweepKey } from '../store-keys.ts';
import { Lease, leaseAt } from './lease.ts';

const place = leaseAt(sweepKey);

const termMs = 10_000;
const retryMs = 200;

/** A memory that several processes share. */
class SharedMemory extends MemoryStore {
  override readonly exclusive = false as boolean as true;
}

class Shared {
  readonly store: MemoryStore;
  nowMs = 1_000_000;
  stopwatchMs = 0;
  pauses = 0;
  onPause = async () => {};

  constructor(store: MemoryStore = new SharedMemory()) {
    this.store = store;
  }

  get stored() {
    return place.read(this.store.get(place.key));
  }

  lease(holder: string, signal = new AbortController().signal, aheadMs = 0): Lease {
    return new Lease({
      ...{ store: this.store, place, termMs, retryMs, signal },
      nowMs: () => this.nowMs + aheadMs,
      stopwatchMs: () => this.stopwatchMs,
      holder: () => holder,
      pause: async () => {
        this.pauses++;
        this.stopwatchMs += retryMs;
        await this.onPause();
      },
    });
  }
}

describe('a lease', () => {
  it('of a store of one process is always held and never written', async () => {
    const shared = new Shared(new MemoryStore());
    const lease = shared.lease('any');
    expect([lease.isCurrent, await lease.take(), await lease.isHeld()]).toEqual([true, true, true]);
    await lease.release();
    expect(shared.stored).toBeUndefined();
  });

  it('is renewed in the second half of its term only, and asks for no name before it is needed', async () => {
    const shared = new Shared();
    const lease = shared.lease('first');
    expect(lease.isCurrent).toBe(false);
    await lease.release();
    await lease.take();
    const untilMs = shared.nowMs + termMs;
    expect(shared.stored).toMatchObject({ holder: 'first', untilMs });
    shared.nowMs += termMs / 2 - 1;
    expect([await lease.take(), await lease.isHeld()]).toEqual([true, true]);
    expect(shared.stored).toMatchObject({ untilMs });
    shared.nowMs += 1;
    expect(await lease.isHeld()).toBe(true);
    expect(shared.stored).toMatchObject({ untilMs: shared.nowMs + termMs });
    shared.nowMs += termMs;
    expect(lease.isCurrent).toBe(false);
  });

  it('of a holder that renews it is waited for as long as it does, and then ends by the clock', async () => {
    const shared = new Shared();
    const first = shared.lease('first');
    await first.take();
    shared.onPause = async () => {
      shared.nowMs += retryMs;
      if (shared.pauses <= 100) expect(await first.isHeld()).toBe(true);
    };
    expect(await shared.lease('second').take()).toBe(true);
    expect(first.isCurrent).toBe(false);
    // The last renewal is from the hundredth pause or half a term before.
    expect(shared.pauses).toBeGreaterThan(100 + termMs / retryMs / 2);
    expect(shared.pauses).toBeLessThanOrEqual(100 + termMs / retryMs);
    expect(shared.stored).toMatchObject({ holder: 'second' });
  });

  it('that nobody renews for its term in real time ends though the clock stands still', async () => {
    const shared = new Shared();
    await shared.lease('first').take();
    shared.onPause = async () => {
      if (shared.pauses !== 30) return;
      shared.nowMs++;
      await shared.lease('first').isHeld();
    };
    expect(await shared.lease('second').take()).toBe(true);
    expect(shared.pauses).toBe(30 + termMs / retryMs);
  });

  it.each([2, 11, 100_000])(
    'made before the clock was set back by %d terms is waited for as long as its term',
    async (terms) => {
      const shared = new Shared();
      await shared.lease('first').take();
      shared.nowMs -= terms * termMs;
      expect(await shared.lease('second').take()).toBe(true);
      expect(shared.pauses).toBe(termMs / retryMs);
    },
  );

  it.each([2, 11, 100_000])(
    'of a living holder whose clock is %d terms ahead is never taken by another process',
    async (terms) => {
      const shared = new Shared();
      const ahead = shared.lease('first', undefined, terms * termMs);
      const other = shared.lease('second');
      for (let i = 0; i < 100; i++) {
        expect([await ahead.isHeld(), await other.isHeld()]).toEqual([true, false]);
        shared.nowMs += termMs / 4;
        shared.stopwatchMs += termMs / 4;
      }
    },
  );

  it('made by a wrong clock is taken without waiting, once it was seen unchanged for its term', async () => {
    const shared = new Shared();
    await shared.lease('first', undefined, 1_000 * termMs).take();
    const other = shared.lease('second');
    expect(await other.isHeld()).toBe(false);
    shared.stopwatchMs += termMs - 1;
    expect(await other.isHeld()).toBe(false);
    shared.stopwatchMs += 1;
    expect(await other.isHeld()).toBe(true);
  });

  it('ends for its holder after its term, though the clock was set back meanwhile', async () => {
    const shared = new Shared();
    const first = shared.lease('first');
    await first.take();
    shared.nowMs -= 1_000 * termMs;
    expect(first.isCurrent).toBe(true);
    shared.stopwatchMs += termMs;
    expect(first.isCurrent).toBe(false);
    expect(await first.isHeld()).toBe(true);
    expect(shared.stored).toMatchObject({ untilMs: shared.nowMs + termMs });
  });

  const seeds = testSeeds('lease');
  it.each(seeds)('has one holder at a time, as a naive model says, %i', async (seed) => {
    for (let round = 0; round < rounds(50); round++) await randomHolders(seededRandom(seed + round));
  });
});

/** Asks without waiting, as processes come and go; the clock only goes forward. */
async function randomHolders(random: SeededRandom): Promise<void> {
  const shared = new Shared();
  const names = ['a', 'b', 'c'];
  const leases = names.map((name) => shared.lease(name));
  const known = names.map(() => 0);
  let holder: { index: number; untilMs: number } | undefined;
  for (let step = 0; step < 60; step++) {
    const index = random.below(names.length);
    const kind = random.pick(['ask', 'ask', 'release', 'kill', 'time']);
    if (kind === 'time') {
      const ms = random.below(termMs);
      shared.nowMs += ms;
      shared.stopwatchMs += ms;
    } else if (kind === 'kill') {
      leases[index] = shared.lease(names[index]!);
      known[index] = 0;
    } else if (kind === 'release') {
      await leases[index]!.release();
      if (known[index] !== 0 && holder?.index === index) holder = undefined;
      known[index] = 0;
    } else {
      const isFresh = known[index]! - shared.nowMs > termMs / 2;
      const isFree = holder === undefined || holder.index === index || holder.untilMs <= shared.nowMs;
      expect(await leases[index]!.isHeld()).toBe(isFresh || isFree);
      if (!isFresh && isFree) {
        known[index] = shared.nowMs + termMs;
        holder = { index, untilMs: known[index]! };
      } else if (!isFresh) known[index] = 0;
    }
    expect(leases.map(({ isCurrent }) => isCurrent)).toEqual(known.map((until) => until > shared.nowMs));
    expect(leases.filter(({ isCurrent }) => isCurrent).length).toBeLessThanOrEqual(1);
    expect(shared.stored).toEqual(holder && { holder: names[holder.index], untilMs: holder.untilMs });
  }
}
