import type { CallOptions, Outcome, Unit } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { groupJob, type Share } from './group-job.ts';
import { jobOf } from './job.ts';
import { runJob, type Workshop } from './run-job.ts';

/** A group is swapped twice at most, for a wrong guess; then a unit that others fight over would hold up the rest. */
const groupTriesMax = 2;

export async function transactMany<R>(
  shop: Workshop,
  units: readonly Unit<R>[],
  options: CallOptions,
): Promise<Outcome<R>[]> {
  const alone = (unit: Unit<R>) => settle(() => runJob(shop, jobOf(unit), options));
  if (units.length === 0) return [];
  if (units.length === 1) return [await alone(units[0]!)];
  let shares: Share<R>[];
  try {
    shares = await runJob(shop, groupJob(units), { ...options, triesMax: groupTriesMax });
  } catch (error) {
    // Nothing of the group was written. Other troubles meet each unit just the same.
    const contended = error instanceof StoreError && error.trouble === 'contention';
    shares = units.map(() => (contended ? 'apart' : { ok: false, error }));
  }
  return await Promise.all(shares.map((share, i) => (share === 'apart' ? alone(units[i]!) : share)));
}

async function settle<R>(work: () => Promise<R>): Promise<Outcome<R>> {
  try {
    return { ok: true, result: await work() };
  } catch (error) {
    return { ok: false, error };
  }
}
