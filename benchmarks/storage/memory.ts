import { default as sortedBtree } from 'sorted-btree';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import { type Comparison, collectGarbage, compare, median, type Result, type Settings } from '../compare.ts';
import { batchesOf } from './clients.ts';
import { hashOf, Items, isExpected, type Write } from './items.ts';
import { batchesToFill, conditionalPut, fill } from './units.ts';

const BTree = sortedBtree.default;
type Tree = InstanceType<typeof BTree<string, Uint8Array>>;

export interface ForkResult {
  readonly items: number;
  /** Microseconds, medians. */
  readonly fork: number;
  readonly forkAndFirstPut: number;
  readonly forkMax: number;
}

/** The memory store beside a bare ordered map: a B+ tree of strings that holds the very same values. */
export async function compareMemory(
  count: number,
  settings: Settings,
): Promise<{ results: Result[]; fork: ForkResult }> {
  const items = new Items(count, settings.seed);
  const store = new MemoryStore();
  const tree: Tree = new BTree<string, Uint8Array>(undefined, (a, b) => (a < b ? -1 : a > b ? 1 : 0));
  for (const batch of batchesToFill(items)) {
    store.transact(fill(batch));
    for (const { key, value } of batch) tree.set(latin1(key), value);
  }
  const fork = measureFork(store, items, settings);
  const results: Result[] = [];
  for (const comparison of reads(store, tree, items)) results.push(await compare(comparison, settings));
  for (const comparison of writes(store, tree, items)) results.push(await compare(comparison, settings));
  return { results, fork };
}

/** Keys both as the bytes that our callers have and as the strings that callers of a bare map would keep. */
interface Keys {
  readonly bytes: readonly Uint8Array[];
  readonly strings: readonly string[];
}

function reads(store: MemoryStore, tree: Tree, items: Items): Comparison<Keys>[] {
  const about = { store: 'memory', items: items.count, clients: 1 };
  const prepare = (round: number, operations: number): Keys => {
    const bytes = items.keys(operations, round);
    return { bytes, strings: bytes.map(latin1) };
  };
  const ours = ({ bytes }: Keys) => {
    let hash = 0;
    for (const key of bytes) hash = (hash + hashOf(store.get(key))) | 0;
    return hash;
  };
  const get: Comparison<Keys> = {
    ...about,
    operation: 'get; the map is given strings',
    rate: 1_000_000,
    ratioMin: 0.5,
    prepare,
    ours,
    raw: ({ strings }) => {
      let hash = 0;
      for (const key of strings) hash = (hash + hashOf(tree.get(key))) | 0;
      return hash;
    },
  };
  const getByBytes: Comparison<Keys> = {
    ...get,
    operation: 'get; the map is given bytes',
    raw: ({ bytes }) => {
      let hash = 0;
      for (const key of bytes) hash = (hash + hashOf(tree.get(latin1(key)))) | 0;
      return hash;
    },
  };
  const range = (limit: number, rate: number): Comparison<Keys> => ({
    ...about,
    operation: `range of ${limit}`,
    rate,
    prepare,
    ours: ({ bytes }) => {
      let hash = 0;
      for (const from of bytes)
        for (const entry of store.range({ from, limit }).entries) hash = (hash + hashOf(entry.value)) | 0;
      return hash;
    },
    raw: ({ strings }) => {
      let hash = 0;
      const pair: (string | Uint8Array)[] = [];
      for (const from of strings) {
        let left = limit;
        for (const [, value] of tree.entries(from, pair)) {
          hash = (hash + hashOf(value)) | 0;
          if (--left === 0) break;
        }
      }
      return hash;
    },
  });
  return [get, getByBytes, range(10, 400_000), range(100, 80_000)];
}

function writes(store: MemoryStore, tree: Tree, items: Items): Comparison<Write[]>[] {
  const about = { store: 'memory', items: items.count, clients: 1, rate: 400_000 };
  const prepare = (round: number, operations: number) => items.writes(operations, round);
  const raw = (input: Write[]) => {
    let hash = 0;
    for (const write of input) {
      const key = latin1(write.key);
      const found = tree.get(key);
      if (!isExpected(found, write)) continue;
      tree.set(key, write.value);
      hash = (hash + hashOf(found)) | 0;
    }
    return hash;
  };
  return [
    {
      ...about,
      operation: 'conditional put',
      prepare,
      raw,
      ours: (input) => {
        let hash = 0;
        for (const write of input) hash = (hash + store.transact(conditionalPut(write))) | 0;
        return hash;
      },
    },
    {
      ...about,
      operation: 'conditional put, 25 in one call',
      perCall: 25,
      prepare,
      raw,
      ours: (input) => {
        let hash = 0;
        for (const batch of batchesOf(input, 25))
          for (const outcome of store.transactMany(batch.map(conditionalPut)))
            if (outcome.ok) hash = (hash + outcome.result) | 0;
        return hash;
      },
    },
  ];
}

/** A fork must cost the same whatever the store holds, and so little that every test can have its own. */
function measureFork(store: MemoryStore, items: Items, { rounds, seconds, seed }: Settings): ForkResult {
  collectGarbage();
  const writes = new Items(items.count, seed).writes(Math.max(20, Math.ceil((2_000 * seconds) / rounds)), 0);
  const fork: number[] = [];
  const both: number[] = [];
  for (const write of writes) {
    const start = performance.now();
    const copy = store.fork();
    const forked = performance.now();
    copy.transact(conditionalPut(write));
    both.push((performance.now() - start) * 1_000);
    fork.push((forked - start) * 1_000);
  }
  return {
    items: items.count,
    fork: median(fork),
    forkAndFirstPut: median(both),
    forkMax: Math.max(...fork),
  };
}

function latin1(bytes: Uint8Array): string {
  return Buffer.prototype.latin1Slice.call(bytes, 0, bytes.length);
}
