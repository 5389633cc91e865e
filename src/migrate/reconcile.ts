import type { EntityWork } from '../design/index.ts';
import { compareSample, countEntries, Reservoir, type SampleOptions } from './check-samples.ts';
import { FillItems } from './fill-items.ts';
import { MigrationError } from './migration-error.ts';
import type { PlacedItem, PlacedItems } from './placed-items.ts';
import { type Counts, inParallel, type PassOptions, passTable } from './table-pass.ts';

export interface ReconcileOptions {
  readonly pass: PassOptions;
  readonly items: PlacedItems;
  readonly work: readonly EntityWork[];
  readonly width: number;
  /** How many instances of each entity are compared one by one. */
  readonly samples: number;
  /** Indexes that the migration made. */
  readonly countedIndexes: readonly string[];
  /** The entities with entries in an index. */
  readonly placedIn: (slot: string) => readonly string[];
  readonly note: (text: string) => Promise<void>;
}

const passesMax = 4;
/** Counts that are made at the same time of a table at rest differ by no more than this. */
const driftShare = 0.001;
const driftLeast = 25;
const countsMax = 4;

/**
 * Ends when all is as the new design wants it: a pass over every item of the table finds nothing to write, old and new
 * items are equally many, new indexes have as many entries as they should, and a sample reads the same by the old and
 * by the new keys. What a pass finds wrong it mends, and is followed by another one. So are counts that disagree: while
 * programs write, an index that is counted behind a pass has other entries than the pass has met. Its counts before and
 * behind the next pass lie on either side of what that pass meets.
 */
export async function reconcile(options: ReconcileOptions): Promise<Counts> {
  const { pass, items, work, note } = options;
  const { store, step } = pass;
  let [mendings, miscounts] = [0, 0];
  let before: ReadonlyMap<string, number> = new Map();
  for (;;) {
    const resumed = await store.segments(step);
    const samples = new Map(
      work.map(({ entity }) => [
        entity,
        new Reservoir<PlacedItem>(options.samples, pass.surroundings.random),
      ]),
    );
    const fill = new FillItems({
      ...{ ...pass, items, work, width: options.width, reads: true },
      sample: (entity, one) => samples.get(entity)!.add(one),
    });
    const counts = await passTable(pass, (some) => fill.page(some));
    const mended = counts.written ?? 0;
    if (mended > 0) {
      await note(`reconciliation mended ${mended} items`);
      if (++mendings === passesMax)
        throw new MigrationError(
          'data',
          `${passesMax} passes in a row found items to mend, ${mended} in the last one.`,
          'A program still writes by the old keys only. Find it, then run the same command again.',
        );
      await store.dropSegments(step);
      continue;
    }
    // A run that went on in the middle has not met what the one before could have taken samples of.
    const hasTooFew = work.some(
      ({ entity }) =>
        samples.get(entity)!.all.length < Math.min(options.samples, counts[`old ${entity}`] ?? 0),
    );
    if (resumed.some(({ at, ended }) => at !== null || ended) && hasTooFew) {
      await store.dropSegments(step);
      continue;
    }
    const entries = await countIndexes(options, counts, before);
    const disagreement = itemsDisagree(work, counts) ?? entriesDisagree(entries, before, counts);
    if (disagreement !== undefined) {
      await store.dropSegments(step);
      if (++miscounts === passesMax) throw miscounted(disagreement);
      await note(`counted once more: ${disagreement}`);
      before = entries;
      continue;
    }
    for (const [slot, count] of entries) counts[`entries of ${slot}`] = count;
    const compared = await compareSamples(options, samples);
    return { ...counts, compared };
  }
}

function isBetween(count: number, a: number, b: number): boolean {
  const [least, most] = [Math.min(a, b), Math.max(a, b)];
  const drift = Math.max(driftLeast, driftShare * most);
  return count >= least - drift && count <= most + drift;
}

function itemsDisagree(work: readonly EntityWork[], counts: Counts): string | undefined {
  for (const { entity, moves } of work) {
    const [old, now] = [counts[`old ${entity}`] ?? 0, counts[`new ${entity}`] ?? 0];
    if (moves && !isBetween(old, now, now))
      return `${old} items of ${entity} lie under the old keys and ${now} under the new ones`;
  }
  return undefined;
}

function entriesDisagree(
  entries: ReadonlyMap<string, number>,
  before: ReadonlyMap<string, number>,
  counts: Counts,
): string | undefined {
  for (const [slot, found] of entries) {
    const wanted = counts[`in ${slot}`] ?? 0;
    const earlier = before.get(slot);
    if (isBetween(wanted, earlier ?? found, found)) continue;
    const counted = earlier === undefined ? `${found} entries` : `${earlier} and then ${found} entries`;
    return `index ${slot} has ${counted}, and ${wanted} items belong in it`;
  }
  return undefined;
}

/** The entries of new indexes; an index that may only be behind its table is counted again after a pause. */
async function countIndexes(
  options: ReconcileOptions,
  counts: Counts,
  before: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, number>> {
  const { work, pass } = options;
  const sampling = samplingOf(options);
  const entries = new Map<string, number>();
  for (const slot of options.countedIndexes) {
    // Entities that are new, or that move, bring entries which this pass does not count.
    const counted = work.filter(({ slots }) => slots.includes(slot)).map(({ entity }) => entity);
    if (counted.length === 0 || options.placedIn(slot).some((entity) => !counted.includes(entity))) continue;
    const wanted = counts[`in ${slot}`] ?? 0;
    let distance = Number.POSITIVE_INFINITY;
    for (let look = 1; look <= countsMax; look++) {
      if (look > 1) await pass.surroundings.wait(250 * 2 ** look, pass.calls.signal);
      const found = await countEntries(sampling, slot, () => pass.store.keep());
      entries.set(slot, found);
      const isBehind = Math.abs(found - wanted) < distance;
      distance = Math.abs(found - wanted);
      if (!isBehind || isBetween(wanted, before.get(slot) ?? found, found)) break;
    }
  }
  return entries;
}

function miscounted(text: string): MigrationError {
  return new MigrationError(
    'data',
    `The counts do not agree, pass after pass: ${text}.`,
    'Something writes items or key attributes of the new index that the model does not know, or by the old keys only. Find it, then run the same command again.',
  );
}

function samplingOf({ pass, items }: ReconcileOptions): SampleOptions {
  const { table, calls, readPace, surroundings } = pass;
  return { items, table, calls, readPace, surroundings };
}

async function compareSamples(
  options: ReconcileOptions,
  samples: ReadonlyMap<string, Reservoir<PlacedItem>>,
): Promise<number> {
  const sampling = samplingOf(options);
  let compared = 0;
  for (const needed of options.work) {
    await options.pass.store.keep();
    await inParallel(samples.get(needed.entity)!.all, 8, async (one) => {
      const why = await compareSample(sampling, one, needed);
      if (why !== undefined)
        throw new MigrationError(
          'data',
          `A sample of ${needed.entity} reads differently by the new keys: ${why}.`,
          'Run the same command again; if it stays, look for programs that write by the old keys only.',
        );
      compared++;
    });
  }
  return compared;
}
