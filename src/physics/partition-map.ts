import { capacityLimits } from '../model/limits.ts';
import { memoryBounds } from './constants.ts';
import type { PartitionState } from './partition-state.ts';
import { compareSort, noSortKey, type Position, partPlace, placeOf, placesEnd } from './place.ts';

const { partitionsPerResourceMax } = memoryBounds;
const {
  partitionBytesMax,
  partitionReadUnitsPerSecondMax: readCeiling,
  partitionWriteUnitsPerSecondMax: writeCeiling,
} = capacityLimits;

/** One partition as the record keeps it. */
export interface PartitionEntry extends Position {
  readonly id: number;
  /** An estimate of what is stored in it. */
  readonly bytes: number;
}

/**
 * The partitions of a table or index: ranges of positions, in order, without gaps. Partition `i` begins at its start and
 * ends before the start of the next. Partitions are cut and never merged. The lower half of a cut keeps the id.
 *
 * What a partition spent and when is its state, which exists only while the partition is in use.
 */
export class PartitionMap {
  #count: number;
  #starts: Float64Array;
  #ids: Uint32Array;
  #bytes: Float64Array;
  readonly #sorts: Uint8Array[];
  readonly #states: (PartitionState | undefined)[];
  #nextId: number;

  private constructor(entries: readonly PartitionEntry[], nextId: number) {
    this.#count = entries.length;
    this.#starts = Float64Array.from(entries, ({ place }) => place);
    this.#ids = Uint32Array.from(entries, ({ id }) => id);
    this.#bytes = Float64Array.from(entries, ({ bytes }) => bytes);
    this.#sorts = entries.map(({ sort }) => sort);
    this.#states = entries.map(() => undefined);
    this.#nextId = nextId;
  }

  /** Equal ranges of the hash. */
  static ofEqualParts(parts: number): PartitionMap {
    const count = Math.min(Math.max(1, Math.floor(parts)), partitionsPerResourceMax);
    const entries: PartitionEntry[] = [];
    for (let i = 0; i < count; i++)
      entries.push({ id: i + 1, place: partPlace(i, count), sort: noSortKey, bytes: 0 });
    return new PartitionMap(entries, count + 1);
  }

  /** From a record that has been checked. */
  static ofEntries(entries: readonly PartitionEntry[], nextId: number): PartitionMap {
    return new PartitionMap(entries, nextId);
  }

  get count(): number {
    return this.#count;
  }

  get nextId(): number {
    return this.#nextId;
  }

  entry(index: number): PartitionEntry {
    return {
      id: this.#ids[index]!,
      place: this.#starts[index]!,
      sort: this.#sorts[index]!,
      bytes: this.#bytes[index]!,
    };
  }

  idAt(index: number): number {
    return this.#ids[index]!;
  }

  indexOfId(id: number): number {
    for (let i = 0; i < this.#count; i++) if (this.#ids[i] === id) return i;
    return -1;
  }

  stateAt(index: number): PartitionState | undefined {
    return this.#states[index];
  }

  setState(index: number, state: PartitionState | undefined): void {
    this.#states[index] = state;
  }

  /** The partition that a position lies in. */
  find(place: number, key: Uint8Array, sortAt: number): number {
    const starts = this.#starts;
    let low = 0;
    let high = this.#count - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      const start = starts[middle]!;
      if (start < place || (start === place && compareSort(key, sortAt, this.#sorts[middle]!) >= 0))
        low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** How many partitions lie between two positions, with both of theirs. */
  countBetween(first: Position, last: Position): number {
    const from = this.find(first.place, first.sort, 0);
    return Math.max(1, this.find(last.place, last.sort, 0) - from + 1);
  }

  /**
   * How many partitions a page of a Scan visits, from the hash where it began to the entry where it stopped, or to
   * everything before the hash where its segment ends. Each costs at least the least read, even if it holds nothing. The
   * sort keys matter only where a collection is cut: a page that goes on inside one does not pay for its beginning again.
   */
  countVisited(
    first: Uint8Array,
    end:
      | { readonly last: Uint8Array; readonly lastSort?: Uint8Array }
      | { readonly before: Uint8Array | undefined },
    firstSort: Uint8Array = noSortKey,
  ): number {
    const from = this.find(placeOf(first), firstSort, 0);
    if ('last' in end)
      return Math.max(1, this.find(placeOf(end.last), end.lastSort ?? noSortKey, 0) - from + 1);
    if (end.before === undefined) return this.#count - from;
    const place = placeOf(end.before);
    const to = this.find(place, noSortKey, 0);
    const endsBefore = this.#isStart(to, place, noSortKey) && to > from;
    return Math.max(1, to - from + (endsBefore ? 0 : 1));
  }

  /** The share of the hash space that a partition has: its share of evenly spread keys. */
  share(index: number): number {
    return (this.#endPlace(index) - this.#starts[index]!) / placesEnd;
  }

  /** Cuts a partition. Answers whether it could: the cut must lie inside, and there is a bound on partitions. */
  split(index: number, cut: Position, bytesAbove = this.#bytes[index]! / 2): boolean {
    if (this.#count >= partitionsPerResourceMax || !this.#liesInside(index, cut)) return false;
    this.#makeRoom();
    const at = index + 1;
    this.#starts.copyWithin(at + 1, at, this.#count);
    this.#ids.copyWithin(at + 1, at, this.#count);
    this.#bytes.copyWithin(at + 1, at, this.#count);
    this.#starts[at] = cut.place;
    this.#ids[at] = this.#nextId++;
    this.#bytes[at] = bytesAbove;
    this.#bytes[index]! -= bytesAbove;
    this.#sorts.splice(at, 0, cut.sort.length === 0 ? noSortKey : cut.sort.slice());
    this.#states.splice(at, 0, undefined);
    this.#count++;
    return true;
  }

  /** The middle of a partition's hash range; undefined when the range is one collection. */
  middle(index: number): Position | undefined {
    const start = this.#starts[index]!;
    const width = this.#endPlace(index) - start;
    return width < 2 ? undefined : { place: start + Math.floor(width / 2), sort: noSortKey };
  }

  /** Whether evenly spread traffic fits under every ceiling. */
  fits(readUnits: number, writeUnits: number, shared: boolean): boolean {
    const needed = partitionsNeeded(readUnits, writeUnits, shared);
    for (let i = 0; i < this.#count; i++) if (this.#isTooWide(i, needed)) return false;
    return true;
  }

  /**
   * Cuts until evenly spread traffic fits under every ceiling: a partition whose share of it is too much is halved.
   * Four partitions that shall give 6,000 write units become eight (paper: ATC 2022). Answers the number of cuts.
   */
  growFor(readUnits: number, writeUnits: number, shared: boolean): number {
    const needed = partitionsNeeded(readUnits, writeUnits, shared);
    const before = this.#count;
    for (let cutAny = true; cutAny; ) {
      cutAny = false;
      for (let i = 0; i < this.#count; i++) {
        const middle = this.#isTooWide(i, needed) ? this.middle(i) : undefined;
        if (middle === undefined || !this.split(i, middle)) continue;
        i++;
        cutAny = true;
      }
    }
    return this.#count - before;
  }

  addBytes(index: number, delta: number): number {
    const bytes = Math.max(0, this.#bytes[index]! + delta);
    this.#bytes[index] = bytes;
    return bytes;
  }

  /** Spreads the bytes of a whole table, of which nobody knows where they are, over the hash space. */
  spreadBytes(total: number): void {
    for (let i = 0; i < this.#count; i++) this.#bytes[i] = total * this.share(i);
  }

  /** Cuts partitions of more than 10 GB that have more than one collection. Answers the number of cuts. */
  growForBytes(): number {
    const before = this.#count;
    for (let i = 0; i < this.#count; i++) {
      while (this.#bytes[i]! > partitionBytesMax) {
        const middle = this.middle(i);
        if (middle === undefined || !this.split(i, middle)) break;
      }
    }
    return this.#count - before;
  }

  /** What a table of known size weighs, where a record knows only how it was spread. */
  scaleBytes(total: number): void {
    let known = 0;
    for (let i = 0; i < this.#count; i++) known += this.#bytes[i]!;
    if (known <= 0) this.spreadBytes(total);
    else for (let i = 0; i < this.#count; i++) this.#bytes[i]! *= total / known;
  }

  #isTooWide(index: number, needed: number): boolean {
    // Rounding of places must not make a ninth partition out of eight.
    return this.share(index) * needed > 1 + 1e-9;
  }

  #endPlace(index: number): number {
    return index + 1 < this.#count ? this.#starts[index + 1]! : placesEnd;
  }

  #liesInside(index: number, { place, sort }: Position): boolean {
    if (!(place >= 0 && place < placesEnd)) return false;
    return this.find(place, sort, 0) === index && !this.#isStart(index, place, sort);
  }

  #isStart(index: number, place: number, sort: Uint8Array): boolean {
    return this.#starts[index] === place && compareSort(sort, 0, this.#sorts[index]!) === 0;
  }

  #makeRoom(): void {
    if (this.#count < this.#starts.length) return;
    const room = Math.max(8, this.#count * 2);
    this.#starts = enlarged(this.#starts, new Float64Array(room));
    this.#bytes = enlarged(this.#bytes, new Float64Array(room));
    this.#ids = enlarged(this.#ids, new Uint32Array(room));
  }
}

/** Provisioned units of both kinds share a partition; on demand each kind has the whole of it. */
export function partitionsNeeded(readUnits: number, writeUnits: number, shared: boolean): number {
  const [reads, writes] = [readUnits / readCeiling, writeUnits / writeCeiling];
  return shared ? reads + writes : Math.max(reads, writes);
}

function enlarged<T extends Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
