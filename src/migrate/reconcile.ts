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
/** Items come and go while two counts are made; more than this share is no coincidence. */
const driftShare = 0.001;
const driftLeast = 25;
const countsMax = 4;

/**
 * Ends when all is as the new design wants it: a pass over every item of the table finds nothing to write, old and new
 * items are equally many, new indexes have as many entries as they should, and a sample reads the same by the old and
 * by the new keys. What a pass finds wrong it mends, and is followed by another one.
 */
export async function reconcile(options: ReconcileOptions): Promise<Counts> {
  const { pass, items, work, note } = options;
  const { store, step } = pass;
  for (let round = 1; ; round++) {
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
      if (round === passesMax)
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
    await compareCounts(options, counts);
    const compared = await compareSamples(options, samples);
    return { ...counts, compared };
  }
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= Math.max(driftLeast, driftShare * Math.max(a, b));
}

async function compareCounts(options: ReconcileOptions, counts: Counts): Promise<void> {
  const { work, pass } = options;
  for (const { entity, moves } of work) {
    if (!moves) continue;
    const [old, now] = [counts[`old ${entity}`] ?? 0, counts[`new ${entity}`] ?? 0];
    if (!isNear(old, now))
      throw miscounted(`${old} items of ${entity} lie under the old keys and ${now} under the new ones`);
  }
  const sampling = samplingOf(options);
  for (const slot of options.countedIndexes) {
    // Entities that are new, or that move, bring entries which this pass does not count.
    const counted = work.filter(({ slots }) => slots.includes(slot)).map(({ entity }) => entity);
    if (counted.length === 0 || options.placedIn(slot).some((entity) => !counted.includes(entity))) continue;
    const wanted = counts[`in ${slot}`] ?? 0;
    let found = 0;
    for (let look = 1; look <= countsMax; look++) {
      if (look > 1) await pass.surroundings.wait(250 * 2 ** look, pass.calls.signal);
      found = await countEntries(sampling, slot, () => pass.store.keep());
      if (isNear(found, wanted)) break;
    }
    if (!isNear(found, wanted))
      throw miscounted(`index ${slot} has ${found} entries, and ${wanted} items belong in it`);
    counts[`entries of ${slot}`] = found;
  }
}

function miscounted(text: string): MigrationError {
  return new MigrationError(
    'data',
    `The counts do not agree: ${text}.`,
    'Items may come and go while they are counted. Run the same command again; if it stays, look for programs that write by the old keys only.',
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
