import { describe, expect, it } from 'vitest';
import {
  billedBytes,
  captureUnits,
  fetchedItemBytes,
  fetchingPageUnits,
  type IndexEntryChange,
  indexWriteUnits,
  insightUnits,
  itemsReadUnits,
  itemWriteUnits,
  pageReadUnits,
  readUnits,
  replayReadUnits,
  transactWriteUnits,
  writeUnits,
} from './units.ts';

const KB = 1024;

describe('read units', () => {
  it.each([
    [0, 0.5, 1, 2],
    [1, 0.5, 1, 2],
    [4 * KB, 0.5, 1, 2],
    [4 * KB + 1, 1, 2, 4],
    [8 * KB, 1, 2, 4],
    [9 * KB, 1.5, 3, 6],
    [400 * KB, 50, 100, 200],
  ])('%i bytes: %d eventual, %d strong, %d transactional', (bytes, eventual, strong, transactional) => {
    expect(readUnits(bytes, 'eventual')).toBe(eventual);
    expect(readUnits(bytes, 'strong')).toBe(strong);
    expect(readUnits(bytes, 'transactional')).toBe(transactional);
  });

  it('of a batch: each item alone, missing ones the least', () => {
    expect(itemsReadUnits([1.5 * KB, 6.5 * KB], 'strong')).toBe(3);
    expect(itemsReadUnits([1.5 * KB, 6.5 * KB, 0], 'eventual')).toBe(2);
    expect(itemsReadUnits([300, 5 * KB], 'transactional')).toBe(6);
  });

  it('of a page: one rounding over all items', () => {
    // 8 index entries of 2,000 bytes: 16,000 bytes are four units of 4 KB.
    expect(pageReadUnits(8 * 2_000, 'eventual')).toBe(2);
    expect(pageReadUnits(8 * 2_000, 'strong')).toBe(4);
    expect(pageReadUnits(0, 'eventual')).toBe(0.5);
    expect(pageReadUnits(1_024 * KB, 'eventual')).toBe(128);
  });

  it('of a Scan: at least the least for every partition', () => {
    expect(pageReadUnits(60, 'eventual', 4)).toBe(2);
    expect(pageReadUnits(60, 'strong', 4)).toBe(4);
    expect(pageReadUnits(40 * KB, 'eventual', 4)).toBe(5);
    expect(pageReadUnits(0, 'strong', 16)).toBe(16);
  });

  it('of a fetching Query of a local index', () => {
    // The documented example: four entries of 200 bytes with items of 300 bytes are 4 KB + 4 × 4 KB.
    const strong = fetchingPageUnits(4 * 200, [300, 300, 300, 300], 'strong');
    expect(strong).toEqual({ index: 1, table: 4 });
    const eventual = fetchingPageUnits(4 * 200, [300, 300, 300, 300], 'eventual');
    expect(eventual.index + eventual.table).toBe(2.5);
    expect([0, 300, 4 * KB, 4 * KB + 1].map(fetchedItemBytes)).toEqual([4, 4, 4, 8].map((kb) => kb * KB));
    // Measured: three small rows, eventually consistent.
    expect(fetchingPageUnits(90, [100, 100, 100], 'eventual')).toEqual({ index: 0.5, table: 1.5 });
  });
});

describe('write units', () => {
  it.each([
    [0, 1],
    [1, 1],
    [KB, 1],
    [KB + 1, 2],
    [3.5 * KB, 4],
    [400 * KB, 400],
  ])('%d bytes: %i', (bytes, units) => {
    expect(writeUnits(bytes)).toBe(units);
  });

  it.each([
    ['a new item', undefined, 500, 1],
    ['a smaller item over a larger one', 2.5 * KB, 100, 3],
    ['a larger item over a smaller one', 100, 2.5 * KB, 3],
    ['a delete', 4.2 * KB, undefined, 5],
    ['a delete of nothing', undefined, undefined, 1],
    ['a refused condition on an item of 310 KB', 310 * KB, undefined, 310],
    ['a refused condition on nothing', undefined, undefined, 1],
  ])('%s', (_what, before, after, units) => {
    expect(itemWriteUnits(before, after)).toBe(units);
    expect(transactWriteUnits(before, after)).toBe(2 * units);
  });

  it('of a transaction under a known token are read units', () => {
    expect(replayReadUnits(undefined, 9 * KB)).toBe(6);
    expect(replayReadUnits(9 * KB, 10)).toBe(6);
    expect(replayReadUnits(undefined, undefined)).toBe(2);
  });
});

describe('units of an index', () => {
  const change = (
    before: number | undefined,
    after: number | undefined,
    sameKey = true,
    sameProjection = false,
  ): IndexEntryChange => ({ before, after, sameKey, sameProjection });

  it.each([
    ['absent on both sides', change(undefined, undefined), 0],
    ['added', change(undefined, 1.5 * KB), 2],
    ['removed', change(1.5 * KB, undefined), 2],
    ['unchanged', change(1.5 * KB, 1.5 * KB, true, true), 0],
    ['changed in place, grown', change(0.5 * KB, 2.5 * KB), 3],
    ['changed in place, shrunk', change(2.5 * KB, 0.5 * KB), 3],
    ['moved', change(0.5 * KB, 0.5 * KB, false), 2],
    ['moved, each side rounded alone', change(1.5 * KB, 2.5 * KB, false), 5],
    ['moved with an equal projection', change(100, 100, false, true), 2],
  ])('%s', (_what, entry, units) => {
    expect(indexWriteUnits(entry)).toBe(units);
  });
});

describe('what is billed beside units', () => {
  it('adds 100 bytes to every item and entry, 48 more in replicas', () => {
    expect(billedBytes(1_000, 10)).toBe(2_000);
    expect(billedBytes(1_000, 10, true)).toBe(2_480);
  });

  it('captures the larger image by the KB', () => {
    expect(captureUnits(100, 2.2 * KB)).toBe(3);
    expect(captureUnits(2.2 * KB, undefined)).toBe(3);
  });

  it('weighs a write as three reads: one item at its limits is 180,000 a minute on either side', () => {
    expect(insightUnits(3_000 * 60, 0)).toBe(180_000);
    expect(insightUnits(0, 1_000 * 60)).toBe(180_000);
  });
});
