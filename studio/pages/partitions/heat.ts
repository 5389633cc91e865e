import { capacityLimits } from '../../../src/model/limits.ts';
import type { MinuteLoad, PartitionDescription, ResourceDescription } from '../../data/physics.ts';

export type Access = 'write' | 'read';

export const minutesShown = 60;

/** What a partition gives in a second, whatever its table is set to. */
export function ceilingOf(access: Access): number {
  return access === 'write'
    ? capacityLimits.partitionWriteUnitsPerSecondMax
    : capacityLimits.partitionReadUnitsPerSecondMax;
}

export interface Load {
  /** The mean over the minute. */
  readonly unitsPerSecond: number;
  readonly refused: number;
}

const nothing: Load = { unitsPerSecond: 0, refused: 0 };

/**
 * How hot a cell is. The mean of a minute hides its hottest second, but a partition that refused something was at its
 * ceiling.
 */
export function heatOf({ unitsPerSecond, refused }: Load, access: Access): number {
  return refused > 0 ? 1 : unitsPerSecond / ceilingOf(access);
}

export function loadIn(history: readonly MinuteLoad[], minute: number, access: Access): Load {
  const found = history.find((each) => each.minute === minute);
  if (found === undefined) return nothing;
  return access === 'write'
    ? { unitsPerSecond: found.writeUnits / 60, refused: found.refusedWrites }
    : { unitsPerSecond: found.readUnits / 60, refused: found.refusedReads };
}

/**
 * Five steps of heat, mixed between; the tokens say how each looks in both themes. The first steps are small, so that a
 * partition with little to do can be told from one with nothing.
 */
export function heatColour(share: number): string {
  const stops = [0, 0.05, 0.3, 0.7, 1];
  const capped = Math.min(1, Math.max(0, share));
  const step = Math.min(
    3,
    stops.findLastIndex((stop) => stop <= capped),
  );
  const within = (capped - stops[step]!) / (stops[step + 1]! - stops[step]!);
  return `color-mix(in oklab, var(--heat-${step + 1}) ${Math.round(within * 100)}%, var(--heat-${step}))`;
}

/** Partitions from the top of the hash space down, and how tall each is drawn: by its share, but never too thin to see. */
export interface Band {
  readonly partition: PartitionDescription;
  readonly top: number;
  readonly height: number;
}

export function bandsOf(partitions: readonly PartitionDescription[]): { bands: Band[]; height: number } {
  const leastPx = partitions.length > 60 ? 6 : 12;
  // Few partitions need not be tall: what is said about them stands below.
  const wholePx = Math.min(380, Math.max(160, partitions.length * 48));
  const sharedPx = Math.max(120, wholePx - partitions.length * leastPx);
  let top = 0;
  const bands = partitions.map((partition) => {
    const height = leastPx + sharedPx * partition.share;
    const band = { partition, top, height };
    top += height;
    return band;
  });
  return { bands, height: top };
}

/** A split, as far as its text tells which partition it cut and which one came of it. */
export interface Split {
  readonly atMs: number;
  readonly parent: number | undefined;
  readonly child: number | undefined;
  readonly text: string;
}

export function splitsOf({ events }: ResourceDescription): Split[] {
  return events.flatMap(({ atMs, what }) => {
    if (/stays whole/.test(what)) return [];
    const [, parent, count] = /^Partition (\d+) split for heat, now (\d+) partitions/.exec(what) ?? [];
    const known = parent === undefined ? undefined : { parent: Number(parent), child: Number(count) - 1 };
    return [{ atMs, parent: known?.parent, child: known?.child, text: what }];
  });
}
