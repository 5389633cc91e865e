import { movingFrontShare, sampledPositionsMin } from './constants.ts';
import { comparePositions, noSortKey, type Position, separator } from './place.ts';
import type { SampledPosition } from './position-sample.ts';

/** Why heat leads to no split. */
export type NoSplit = 'too few observations' | 'one item' | 'local indexes' | 'moving front';

/**
 * Where to cut a hot partition, from the positions that were accessed in it: at the gap that divides the load most
 * evenly. A hot item ends up alone after two cuts, one before it and one behind it.
 *
 * No cut helps when all the heat is one item. None is made inside an item collection that local indexes hold together,
 * nor where access moves through sort keys in order: the front would sit in one of the halves (paper: ATC 2022;
 * documented: AWS Database Blog, "Scaling DynamoDB", part 3).
 */
export function chooseSplit(
  samples: readonly SampledPosition[],
  hasLocalIndexes: boolean,
): { readonly cut: Position } | { readonly none: NoSplit } {
  if (samples.length < sampledPositionsMin) return { none: 'too few observations' };
  if (isMovingFront(samples)) return { none: 'moving front' };
  const positions = mergeEqual(hasLocalIndexes ? samples.map(withoutSort) : samples);
  if (positions.length === 1)
    return { none: hasLocalIndexes && mergeEqual(samples).length > 1 ? 'local indexes' : 'one item' };

  const fronts = movingCollections(samples);
  const total = positions.reduce((sum, { units }) => sum + units, 0);
  let best: Position | undefined;
  let bestSide = Number.POSITIVE_INFINITY;
  let left = 0;
  for (let i = 1; i < positions.length; i++) {
    const [before, after] = [positions[i - 1]!, positions[i]!];
    left += before.units;
    if (before.place === after.place && fronts.has(after.place)) continue;
    const side = Math.max(left, total - left);
    if (side >= bestSide) continue;
    bestSide = side;
    best = separator(before, after);
  }
  return best === undefined ? { none: 'moving front' } : { cut: best };
}

function withoutSort({ place, units }: SampledPosition): SampledPosition {
  return { place, sort: noSortKey, units };
}

/** The positions in order, each once, with all its units. */
function mergeEqual(samples: readonly SampledPosition[]): SampledPosition[] {
  const merged: SampledPosition[] = [];
  for (const sample of samples.toSorted(comparePositions)) {
    const last = merged[merged.length - 1];
    if (last === undefined || comparePositions(last, sample) !== 0) merged.push(sample);
    else merged[merged.length - 1] = { ...last, units: last.units + sample.units };
  }
  return merged;
}

/** Whether nearly every position lies on the same side of the one accessed before it. */
function isMovingFront(samples: readonly SampledPosition[]): boolean {
  let ascending = 0;
  let descending = 0;
  for (let i = 1; i < samples.length; i++) {
    const order = comparePositions(samples[i - 1]!, samples[i]!);
    if (order < 0) ascending++;
    else if (order > 0) descending++;
  }
  return Math.max(ascending, descending) >= movingFrontShare * (samples.length - 1);
}

/** The places of the collections in which access moves through the sort keys in order. */
function movingCollections(samples: readonly SampledPosition[]): Set<number> {
  const byPlace = new Map<number, SampledPosition[]>();
  for (const sample of samples) {
    const found = byPlace.get(sample.place);
    if (found === undefined) byPlace.set(sample.place, [sample]);
    else found.push(sample);
  }
  const moving = new Set<number>();
  for (const [place, found] of byPlace)
    if (found.length >= sampledPositionsMin && isMovingFront(found)) moving.add(place);
  return moving;
}
