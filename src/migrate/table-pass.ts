import type { ItemJson } from '../design/index.ts';
import type { CapacityPace } from './capacity-pace.ts';
import type { MigrationSurroundings } from './migration-calls.ts';
import type { PatientCalls } from './patient-calls.ts';
import type { SegmentState, StateStore } from './state-store.ts';

/** How often a segment saves its place; a kill does again what came after. */
const saveEveryMs = 1_000;

/** How far a pass over a table has come, and what it has consumed. */
export interface PassProgress {
  readonly items: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly seconds: number;
  readonly segmentsLeft: number;
  readonly throttles: number;
}

export interface PassOptions {
  readonly step: string;
  readonly table: string;
  readonly segments: number;
  readonly calls: PatientCalls;
  readonly store: StateStore;
  readonly readPace: CapacityPace;
  readonly writePace: CapacityPace;
  readonly surroundings: MigrationSurroundings;
  /** Reads of a consistency that costs twice as much. */
  readonly consistent?: boolean;
  readonly progress: (figures: PassProgress) => void;
}

export type Counts = Record<string, number>;

interface ScanAnswer {
  readonly Items?: readonly ItemJson[];
  readonly ScannedCount: number;
  readonly LastEvaluatedKey?: ItemJson;
}

/**
 * Goes over all items of a table in parallel segments, within a number of units a second, and adds up what a handler
 * counts of each page. Where each segment is stands in the table, together with what it has counted, so that another
 * process goes on from there.
 */
export async function passTable(
  options: PassOptions,
  handle: (items: readonly ItemJson[]) => Promise<Counts>,
): Promise<Counts> {
  const { step, store, surroundings, readPace, writePace } = options;
  const found = await store.segments(step);
  // The number of segments is settled by the first run.
  const states: SegmentState[] =
    found.length > 0
      ? found
      : Array.from({ length: options.segments }, () => ({
          ...{ at: null, ended: false, counts: {} },
          of: options.segments,
        }));
  if (found.length === 0) {
    // More segments may be left of a pass that died while it took its checkpoints away.
    await store.dropSegments(step);
    for (const [at, state] of states.entries()) await store.saveSegment(step, at, state);
  }
  const beganMs = surroundings.now();
  let itemsPerUnit: number | undefined;
  let failed = false;

  const tell = () =>
    options.progress({
      items: states.reduce((sum, { counts }) => sum + (counts.items ?? 0), 0),
      readUnits: readPace.used,
      writeUnits: writePace.used,
      seconds: Math.max(0.001, (surroundings.now() - beganMs) / 1_000),
      segmentsLeft: states.filter(({ ended }) => !ended).length,
      throttles: readPace.throttles + writePace.throttles,
    });

  const pageLimit = () => {
    const open = Math.max(1, states.filter(({ ended }) => !ended).length);
    // A page is about a second's worth, so that checkpoints are near and the rate is even.
    const byReads = itemsPerUnit === undefined ? 25 : Math.floor((itemsPerUnit * readPace.rate) / open);
    return Math.max(1, Math.min(1_000, byReads, Math.ceil((2 * writePace.rate) / open)));
  };

  const segment = async (at: number) => {
    let savedMs = surroundings.now();
    while (!states[at]!.ended && !failed) {
      await store.keep();
      const { at: from, counts } = states[at]!;
      const limit = pageLimit();
      const estimated = itemsPerUnit === undefined ? 1 : limit / itemsPerUnit;
      const { answer: page, units } = await options.calls.paced<ScanAnswer>(
        'Scan',
        {
          TableName: options.table,
          Limit: limit,
          ...(states.length > 1 ? { Segment: at, TotalSegments: states.length } : {}),
          ...(from === null ? {} : { ExclusiveStartKey: from }),
          ...(options.consistent === true ? { ConsistentRead: true } : {}),
        },
        readPace,
        estimated,
      );
      if (units > 0 && page.ScannedCount > 0) itemsPerUnit = page.ScannedCount / units;
      const counted = await handle(page.Items ?? []);
      const ended = page.LastEvaluatedKey === undefined;
      states[at] = {
        at: page.LastEvaluatedKey ?? null,
        ended,
        of: states.length,
        counts: added(counts, { ...counted, items: page.ScannedCount }),
      };
      const now = surroundings.now();
      if (ended || now - savedMs >= saveEveryMs) {
        savedMs = now;
        await writePace.take(1, options.calls.signal);
        await store.saveSegment(step, at, states[at]!);
      }
      tell();
    }
  };
  const ends = await Promise.allSettled(
    states.map(async (_, at) => {
      try {
        await segment(at);
      } catch (error) {
        failed = true;
        throw error;
      }
    }),
  );
  const reason = ends.find((end) => end.status === 'rejected')?.reason as unknown;
  if (reason !== undefined) throw reason;
  return states.reduce((sum, { counts }) => added(sum, counts), {} as Counts);
}

export function added(a: Readonly<Counts>, b: Readonly<Counts>): Counts {
  const sum: Counts = { ...a };
  for (const [name, count] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

/** Runs so many of the tasks at the same time. */
export async function inParallel<T>(
  all: readonly T[],
  width: number,
  run: (one: T) => Promise<void>,
): Promise<void> {
  let at = 0;
  let failed = false;
  const worker = async () => {
    while (at < all.length && !failed) {
      try {
        await run(all[at++]!);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: Math.min(width, all.length) }, worker));
  const reason = ends.find((end) => end.status === 'rejected')?.reason as unknown;
  if (reason !== undefined) throw reason;
}
