import { capacityLimits } from '../model/limits.ts';
import { memoryBounds } from './constants.ts';
import type { PartitionEntry } from './partition-map.ts';
import { comparePositions, noSortKey, placesEnd } from './place.ts';

/**
 * What the model must remember of a table or index: the map, the peaks and the budget of decreases. It is written only
 * when it changes. These bytes are on disk; integers are big-endian.
 *
 *     0   version (u8), 1
 *     1   highest read rate ever provisioned (f64)      9   highest write rate (f64)
 *     17  peak of read units consumed on demand (f64)   25  peak of write units (f64)
 *     33  warm read units asked for (f64)               41  warm write units (f64)
 *     49  last decrease of throughput, ms (f64)         57  decreases on that UTC day (u16)
 *     59  next partition id (u32)
 *     63  number of growth steps under way (u8), then for each: read units, write units, due ms (3 × f64)
 *     …   number of partitions (u32), then for each: id (u32), place (u64), bytes stored (f64),
 *         length of the sort key (u16), sort key
 *     …   FNV-1a hash of everything before (u32)
 */
export interface PartitionRecord {
  readonly provisionedPeak: Throughput;
  readonly onDemandPeak: Throughput;
  readonly warm: Throughput;
  /** When throughput was last lowered, 0 for never, and how often on that UTC day. */
  readonly decreasedAtMs: number;
  readonly decreasesThatDay: number;
  readonly growths: readonly Growth[];
  readonly nextId: number;
  readonly partitions: readonly PartitionEntry[];
}

/** Units a second. */
export interface Throughput {
  readonly read: number;
  readonly write: number;
}

/** Partitions that come when their time is due. */
export interface Growth extends Throughput {
  readonly dueMs: number;
}

const version = 1;
const headBytes = 64;
const growthBytes = 24;
const entryBytes = 22;
const sortBytesMax = 2_500;
const figureMax = 1e18;

export function encodePartitionRecord(record: PartitionRecord): Uint8Array {
  const { partitions, growths } = record;
  const sortBytes = partitions.reduce((sum, { sort }) => sum + sort.length, 0);
  const length =
    headBytes + growths.length * growthBytes + 4 + partitions.length * entryBytes + sortBytes + 4;
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, version);
  const figures = [
    ...[record.provisionedPeak.read, record.provisionedPeak.write],
    ...[record.onDemandPeak.read, record.onDemandPeak.write],
    ...[record.warm.read, record.warm.write],
    record.decreasedAtMs,
  ];
  for (const [i, figure] of figures.entries()) view.setFloat64(1 + 8 * i, figure);
  view.setUint16(57, record.decreasesThatDay);
  view.setUint32(59, record.nextId);
  view.setUint8(63, growths.length);
  let at = headBytes;
  for (const { read, write, dueMs } of growths) {
    view.setFloat64(at, read);
    view.setFloat64(at + 8, write);
    view.setFloat64(at + 16, dueMs);
    at += growthBytes;
  }
  view.setUint32(at, partitions.length);
  at += 4;
  for (const { id, place, sort, bytes: stored } of partitions) {
    view.setUint32(at, id);
    view.setBigUint64(at + 4, BigInt(place));
    view.setFloat64(at + 12, stored);
    view.setUint16(at + 20, sort.length);
    bytes.set(sort, at + entryBytes);
    at += entryBytes + sort.length;
  }
  view.setUint32(at, fnv1a(bytes, at));
  return bytes;
}

/** Why bytes are no record of partitions. The caller decides whether a table then gets a new map. */
export class BadPartitionRecord extends Error {
  constructor(why: string) {
    super(`The record of a partition map cannot be read: ${why}`);
    this.name = 'BadPartitionRecord';
  }
}

export function decodePartitionRecord(bytes: Uint8Array): PartitionRecord {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length === 0) throw new BadPartitionRecord('it is empty');
  if (bytes[0] !== version)
    throw new BadPartitionRecord(`its format is ${bytes[0]}, and ${version} is known`);
  if (bytes.length < headBytes + 4 + entryBytes + 4) throw new BadPartitionRecord('it is too short');
  const end = bytes.length - 4;
  if (view.getUint32(end) !== fnv1a(bytes, end)) throw new BadPartitionRecord('its checksum is wrong');

  const figure = (at: number): number => {
    const value = view.getFloat64(at);
    if (!(value >= 0 && value <= figureMax)) throw new BadPartitionRecord(`${value} is no figure`);
    return value;
  };
  const growths: Growth[] = [];
  let at = headBytes;
  const growthCount = view.getUint8(63);
  if (growthCount > memoryBounds.pendingGrowthsMax)
    throw new BadPartitionRecord('it has too many growth steps');
  if (at + growthCount * growthBytes + 4 > end) throw new BadPartitionRecord('it ends too early');
  for (let i = 0; i < growthCount; i++, at += growthBytes)
    growths.push({ read: figure(at), write: figure(at + 8), dueMs: figure(at + 16) });
  const partitions = readEntries(bytes, view, at, end, figure);
  const nextId = view.getUint32(59);
  if (partitions.some(({ id }) => id >= nextId)) throw new BadPartitionRecord('an id is not yet given out');
  if (new Set(partitions.map(({ id }) => id)).size !== partitions.length)
    throw new BadPartitionRecord('an id is there twice');
  return {
    provisionedPeak: { read: figure(1), write: figure(9) },
    onDemandPeak: { read: figure(17), write: figure(25) },
    warm: { read: figure(33), write: figure(41) },
    decreasedAtMs: figure(49),
    decreasesThatDay: decreasesOf(view.getUint16(57)),
    growths,
    nextId,
    partitions,
  };
}

function readEntries(
  bytes: Uint8Array,
  view: DataView,
  from: number,
  end: number,
  figure: (at: number) => number,
): PartitionEntry[] {
  const count = view.getUint32(from);
  if (count === 0 || count > memoryBounds.partitionsPerResourceMax)
    throw new BadPartitionRecord(`${count} partitions`);
  const partitions: PartitionEntry[] = [];
  let at = from + 4;
  for (let i = 0; i < count; i++) {
    if (at + entryBytes > end) throw new BadPartitionRecord('it ends too early');
    const place = Number(view.getBigUint64(at + 4));
    if (place >= placesEnd) throw new BadPartitionRecord('a partition begins behind all places');
    const length = view.getUint16(at + 20);
    if (length > sortBytesMax || at + entryBytes + length > end)
      throw new BadPartitionRecord('a sort key is too long');
    const sort = length === 0 ? noSortKey : bytes.slice(at + entryBytes, at + entryBytes + length);
    const entry = { id: view.getUint32(at), place, sort, bytes: figure(at + 12) };
    const before = partitions[i - 1];
    if (before === undefined ? place !== 0 || length !== 0 : comparePositions(before, entry) >= 0)
      throw new BadPartitionRecord('its partitions are not in order');
    partitions.push(entry);
    at += entryBytes + length;
  }
  if (at !== end) throw new BadPartitionRecord('something stands behind its end');
  return partitions;
}

function decreasesOf(count: number): number {
  if (count > capacityLimits.decreasesPerDayMax) throw new BadPartitionRecord(`${count} decreases in a day`);
  return count;
}

function fnv1a(bytes: Uint8Array, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return hash >>> 0;
}
