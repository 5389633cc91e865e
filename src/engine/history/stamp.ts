import { object, whole } from '../../model/json/fields.ts';
import type { ItemHeader } from '../../model/stored/stored-item.ts';

/**
 * The place of a write in the order of a table: the era, then the time within it. The era counts the moments that were
 * taken of the table, and rises behind the barrier of its epoch, so that no clock decides on which side of a moment a
 * write lies (`eras.ts` has the proof). The time orders the writes of one era, as well as the clocks of the processes
 * agree.
 */
export interface Stamp {
  readonly era: number;
  readonly micros: number;
}

/** A cut through the order of a table: the writes up to a stamp, and all later ones. */
export interface Cut extends Stamp {
  /** The first era of the period that has the cut's era. Images that ended after the cut lie in it or in later periods. */
  readonly period: number;
}

export const cutField = object<Cut>({ era: whole, micros: whole, period: whole });

/** The era of a table that no moment was taken of. */
export const firstEra = 0;

/** The last stamp of an era. */
export function endOfEra(era: number): Stamp {
  return { era, micros: Number.MAX_SAFE_INTEGER };
}

const noEra = 0xffff_ffff;

/** The cut behind all writes of a table that gets no more of them. */
export const behindEverything: Cut = { ...endOfEra(noEra), period: noEra };

export function compareStamps(a: Stamp, b: Stamp): number {
  return a.era - b.era || a.micros - b.micros;
}

/** Whether an item was written by a cut. */
export function isBy({ era, writtenMicros }: ItemHeader, cut: Stamp): boolean {
  return era < cut.era || (era === cut.era && writtenMicros <= cut.micros);
}

export function stampOf({ era, writtenMicros }: ItemHeader): Stamp {
  return { era, micros: writtenMicros };
}

/** The lowest stamp above another one. */
export function stampAfter({ era, micros }: Stamp): Stamp {
  return micros >= Number.MAX_SAFE_INTEGER ? { era: era + 1, micros: 0 } : { era, micros: micros + 1 };
}
