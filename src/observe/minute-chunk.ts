import { bucketOf, type Histogram, sortedBuckets } from './histogram.ts';
import { type HistogramPart, type MinutePoint, PointSum, type VisitBucket } from './minute-point.ts';

/**
 * Minutes as bytes, for memory and store alike. A chunk holds the minutes of a span of `chunkMinutes`; each is
 *
 *     minutes since the one before (varint) | flags | count | sum, min, max | histogram
 *
 * Numbers are varints if they are whole, or if they are whole thousandths (flag 32), as times are that were measured in
 * microseconds; else doubles (flags 1: sum, 8: count, 16: min and max). Where all values are
 * equal (flag 2) the one value stands for sum, min and max, and the histogram is implied. Flag 4: there is a histogram:
 * its length in bytes, the number of buckets, and of each bucket the distance to the one before and its count. These
 * bytes are on disk.
 */
export const chunkMinutes = 360;

export function chunkOf(minute: number): number {
  return Math.floor(minute / chunkMinutes);
}

const sumIsDouble = 1;
const allEqual = 2;
const hasHistogram = 4;
const countIsDouble = 8;
const endsAreDoubles = 16;
const inThousandths = 32;

/** Chunks from this size on grow by little, so that little room is wasted. */
const largeBytes = 16_384;

/** Appends minutes, each later than the one before. */
export class MinuteChunk {
  readonly chunk: number;
  #bytes: Uint8Array;
  #length = 0;
  #lastMinute: number;

  constructor(chunk: number, stored?: Uint8Array) {
    this.chunk = chunk;
    this.#lastMinute = chunk * chunkMinutes - 1;
    this.#bytes = stored ?? new Uint8Array(64);
    if (stored === undefined) return;
    this.#length = stored.length;
    visitMinutes(stored, stored.length, chunk, (minute) => {
      this.#lastMinute = minute;
    });
  }

  get byteLength(): number {
    return this.#bytes.length;
  }

  get lastMinute(): number {
    return this.#lastMinute;
  }

  /** The encoded minutes; neither side changes them. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  visit(visit: VisitMinute): void {
    visitMinutes(this.#bytes, this.#length, this.chunk, visit);
  }

  append(point: MinutePoint): void {
    const { minute, count, histogram } = point;
    const isScaled = isInThousandths(point);
    const [sum, min, max] = isScaled
      ? [Math.round(point.sum * 1000), Math.round(point.min * 1000), Math.round(point.max * 1000)]
      : [point.sum, point.min, point.max];
    const isEqual = min === max && min * count === sum;
    const flags =
      (isScaled ? inThousandths : 0) |
      (isEqual ? allEqual : 0) |
      (isWhole(isEqual ? min : sum) ? 0 : sumIsDouble) |
      (histogram === undefined ? 0 : hasHistogram) |
      (isWhole(count) ? 0 : countIsDouble) |
      (isWhole(min) && isWhole(max) ? 0 : endsAreDoubles);
    this.#reserve(40 + (histogram?.size ?? 0) * 12);
    this.#varint(minute - this.#lastMinute);
    this.#bytes[this.#length++] = flags;
    this.#number(count, (flags & countIsDouble) !== 0);
    if (isEqual) this.#number(min, (flags & sumIsDouble) !== 0);
    else {
      this.#number(sum, (flags & sumIsDouble) !== 0);
      this.#number(min, (flags & endsAreDoubles) !== 0);
      this.#number(max, (flags & endsAreDoubles) !== 0);
      if (histogram !== undefined) this.#histogram(histogram);
    }
    this.#lastMinute = minute;
  }

  /** Gives back the room that was reserved for more minutes. */
  trim(): void {
    if (this.#bytes.length > this.#length) this.#bytes = this.#bytes.slice(0, this.#length);
  }

  #histogram(histogram: Histogram): void {
    const at = this.#length;
    // Four bytes hold the length of any histogram of one minute.
    this.#length += 4;
    this.#varint(histogram.size);
    let before = 0;
    for (const [bucket, count] of sortedBuckets(histogram)) {
      this.#varint(zigzag(bucket - before));
      this.#varint(Math.max(1, Math.round(count)));
      before = bucket;
    }
    new DataView(this.#bytes.buffer, this.#bytes.byteOffset).setUint32(at, this.#length - at - 4);
  }

  /** Readers may hold the old bytes, so that they are copied and never moved. */
  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const factor = this.#bytes.length < largeBytes ? 1.5 : 1.125;
    const grown = new Uint8Array(Math.max(this.#length + bytes, Math.ceil(this.#bytes.length * factor)));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }

  #number(value: number, isDouble: boolean): void {
    if (!isDouble) {
      this.#varint(zigzag(value));
      return;
    }
    new DataView(this.#bytes.buffer, this.#bytes.byteOffset).setFloat64(this.#length, value);
    this.#length += 8;
  }

  #varint(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }
}

export type VisitMinute = (
  minute: number,
  count: number,
  sum: number,
  min: number,
  max: number,
  histogram: HistogramPart | undefined,
) => void;

/** Decodes minutes in their order. Histograms are decoded when somebody asks for them. */
export function visitMinutes(bytes: Uint8Array, length: number, chunk: number, visit: VisitMinute): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const varint = (): number => {
    let value = bytes[at++]!;
    if (value < 128) return value;
    value -= 128;
    for (let scale = 128; ; scale *= 128) {
      const byte = bytes[at++]!;
      if (byte < 128) return value + byte * scale;
      value += (byte - 128) * scale;
    }
  };
  const number = (isDouble: boolean): number => {
    if (!isDouble) return unzigzag(varint());
    at += 8;
    return view.getFloat64(at - 8);
  };
  let minute = chunk * chunkMinutes - 1;
  while (at < length) {
    minute += varint();
    const flags = bytes[at++]!;
    const count = number((flags & countIsDouble) !== 0);
    const scale = (flags & inThousandths) === 0 ? 1 : 1000;
    const first = number((flags & sumIsDouble) !== 0) / scale;
    if ((flags & allEqual) !== 0) {
      const part = (flags & hasHistogram) === 0 ? undefined : new OneBucket(first, count);
      visit(minute, count, first * count, first, first, part);
      continue;
    }
    const min = number((flags & endsAreDoubles) !== 0) / scale;
    const max = number((flags & endsAreDoubles) !== 0) / scale;
    if ((flags & hasHistogram) === 0) {
      visit(minute, count, first, min, max, undefined);
      continue;
    }
    const part = new EncodedHistogram(bytes, at + 4);
    at += 4 + view.getUint32(at);
    visit(minute, count, first, min, max, part);
  }
}

/** The minutes of a chunk as points. */
export function decodeMinutes(bytes: Uint8Array, chunk: number): MinutePoint[] {
  const points: MinutePoint[] = [];
  visitMinutes(bytes, bytes.length, chunk, (minute, count, sum, min, max, histogram) => {
    const point = new PointSum(minute);
    point.add({ count, sum, min, max }, histogram);
    points.push(point);
  });
  return points;
}

class OneBucket implements HistogramPart {
  readonly #value: number;
  readonly #count: number;

  constructor(value: number, count: number) {
    this.#value = value;
    this.#count = count;
  }

  visit(each: VisitBucket): void {
    each(bucketOf(this.#value), this.#count);
  }
}

class EncodedHistogram implements HistogramPart {
  readonly #bytes: Uint8Array;
  readonly #at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** A dashboard decodes millions of buckets, so that this makes no closure, and one byte is one step. */
  visit(each: VisitBucket): void {
    const bytes = this.#bytes;
    let at = this.#at;
    let left = bytes[at++]!;
    for (let scale = 128, byte = left; byte >= 128; scale *= 128) {
      byte = bytes[at++]!;
      left += (byte - 1) * scale;
    }
    for (let bucket = 0; left > 0; left--) {
      let step = bytes[at++]!;
      // Distances of buckets have at most 19 bits.
      for (let shift = 7, byte = step; byte >= 128; shift += 7) {
        byte = bytes[at++]!;
        step += (byte - 1) << shift;
      }
      bucket += (step & 1) === 0 ? step >> 1 : -((step + 1) >> 1);
      let count = bytes[at++]!;
      for (let scale = 128, byte = count; byte >= 128; scale *= 128) {
        byte = bytes[at++]!;
        count += (byte - 1) * scale;
      }
      each(bucket, count);
    }
  }
}

/** Whole numbers whose doubled value is still exact. */
function isWhole(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 51 && !Object.is(value, -0);
}

/** Values with three digits behind the point, which a double does not hold exactly. */
function isInThousandths({ sum, min, max }: MinutePoint): boolean {
  if (isWhole(sum) && isWhole(min) && isWhole(max)) return false;
  return isThousandths(sum) && isThousandths(min) && isThousandths(max);
}

function isThousandths(value: number): boolean {
  return Math.abs(value) < 2 ** 32 && Math.abs(value * 1000 - Math.round(value * 1000)) < 1e-6;
}

function zigzag(value: number): number {
  return value >= 0 ? value * 2 : -value * 2 - 1;
}

function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
