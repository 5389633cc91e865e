import { addHistogram } from './histogram.ts';
import type { MinutePoint } from './minute-point.ts';

/** A minute of which values came late, until its chunk is encoded again. */
export class LateMinute implements MinutePoint {
  readonly minute: number;
  count = 0;
  sum = 0;
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;
  histogram: Map<number, number> | undefined = new Map();

  constructor(first: MinutePoint) {
    this.minute = first.minute;
    this.addPoint(first);
  }

  addPoint({ count, sum, min, max, histogram }: MinutePoint): void {
    this.count += count;
    this.sum += sum;
    this.min = Math.min(this.min, min);
    this.max = Math.max(this.max, max);
    // Percentiles of some of the values would be wrong.
    if (histogram === undefined) this.histogram = undefined;
    else if (this.histogram !== undefined) addHistogram(this.histogram, histogram);
  }
}
