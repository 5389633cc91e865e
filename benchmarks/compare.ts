import type { MaybePromise } from '../src/model/maybe-promise.ts';

/** How much work a run does. Counts follow from it alone, so that two runs with equal settings do equal work. */
export interface Settings {
  readonly seed: number;
  /** How long each side of a comparison works, all its rounds together, on the machine the rates were taken from. */
  readonly seconds: number;
  readonly rounds: number;
}

/** The same work done twice: by us, and by the bare engine below us. */
export interface Comparison<Input> {
  readonly store: string;
  readonly operation: string;
  readonly items: number;
  readonly clients: number;
  /** About how many a second the bare engine does, from which the number of operations in a round follows. */
  readonly rate: number;
  /** How many operations one call does together; a round has a multiple of it. */
  readonly perCall?: number;
  /** The least ratio that we promise, if we promise one. */
  readonly ratioMin?: number;
  /** Makes the input of one round, outside the time that is measured. */
  prepare(round: number, operations: number): Input;
  /** Does one round and answers a hash of everything it read. */
  ours(input: Input): MaybePromise<number>;
  raw(input: Input): MaybePromise<number>;
}

export interface Result {
  readonly store: string;
  readonly operation: string;
  readonly items: number;
  readonly clients: number;
  /** Operations per second, medians of the rounds. */
  readonly ours: number;
  readonly raw: number;
  readonly ratio: number;
  /** The lowest and the highest ratio of one round to the round of the other side right before it. */
  readonly spread: readonly [number, number];
  readonly ratioMin: number | null;
  /** What both sides read; equal on every machine for equal settings. */
  readonly hash: string;
}

/**
 * Lets both sides work in turns, so that a machine that grows slower or faster meanwhile does so for both, and
 * compares the medians of their rounds. The sides must have read the same, or the comparison means nothing.
 */
export async function compare<Input>(
  comparison: Comparison<Input>,
  { seconds, rounds }: Settings,
): Promise<Result> {
  const perCall = comparison.perCall ?? 1;
  const callsMin = Math.ceil((comparison.rate * seconds) / rounds / perCall);
  const operations = Math.max(comparison.clients, callsMin) * perCall;
  const rates: { ours: number[]; raw: number[] } = { ours: [], raw: [] };
  let hash = 0;
  // The round before the first is not counted: it warms up caches and compilers.
  for (let round = -1; round < rounds; round++) {
    const input = comparison.prepare(round, operations);
    const raw = await measure(() => comparison.raw(input));
    const ours = await measure(() => comparison.ours(input));
    if (raw.hash !== ours.hash)
      throw new Error(`${comparison.store}, ${comparison.operation}: the two sides did not read the same`);
    if (round < 0) continue;
    rates.raw.push((operations / raw.ms) * 1_000);
    rates.ours.push((operations / ours.ms) * 1_000);
    hash = Math.imul(hash ^ ours.hash, 0x01000193);
  }
  const ratios = rates.ours.map((rate, round) => rate / rates.raw[round]!);
  const [ours, raw] = [median(rates.ours), median(rates.raw)];
  return {
    store: comparison.store,
    operation: comparison.operation,
    items: comparison.items,
    clients: comparison.clients,
    ours,
    raw,
    ratio: ours / raw,
    spread: [Math.min(...ratios), Math.max(...ratios)],
    ratioMin: comparison.ratioMin ?? null,
    hash: hexOf(hash),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
}

/** Runs the collector, where Node was started so that it can be, so that no side pays for the other's garbage. */
export function collectGarbage(): void {
  globalThis.gc?.();
}

async function measure(work: () => MaybePromise<number>): Promise<{ ms: number; hash: number }> {
  collectGarbage();
  const start = performance.now();
  const result = work();
  const hash = result instanceof Promise ? await result : result;
  return { ms: performance.now() - start, hash };
}

function hexOf(hash: number): string {
  return (hash >>> 0).toString(16).padStart(8, '0');
}
