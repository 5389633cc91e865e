import { describe, expect, it } from 'vitest';
import { partStart } from '../model/keys/hash-segments.ts';
import { initialPartitions } from './scan-partitions.ts';
import { partitionsVisited } from './visited-partitions.fixture.ts';

describe('the partitions of a new table', () => {
  it.each([
    ['PAY_PER_REQUEST', 0, 0, 4],
    ['PROVISIONED', 1, 1, 1],
    ['PROVISIONED', 3_000, 1_000, 2],
    ['PROVISIONED', 6_000, 500, 3],
  ] as const)('%s with %i and %i units: %i', (mode, readUnitsPerSecond, writeUnitsPerSecond, expected) => {
    expect(initialPartitions({ mode, readUnitsPerSecond, writeUnitsPerSecond })).toBe(expected);
  });
});

describe('the partitions that a page visits', () => {
  const at = (part: number, parts: number) => partStart(part, parts)!;

  it('are all of them for the whole space', () => {
    expect(partitionsVisited(4, at(0, 4), { before: undefined })).toBe(4);
  });

  it('are those of a segment', () => {
    expect(partitionsVisited(4, at(0, 2), { before: at(1, 2) })).toBe(2);
    expect(partitionsVisited(4, at(1, 2), { before: undefined })).toBe(2);
    expect(partitionsVisited(4, at(1, 3), { before: at(2, 3) })).toBe(2);
    expect(partitionsVisited(4, at(5, 1_000_000), { before: at(6, 1_000_000) })).toBe(1);
  });

  it('end with the last entry of a page that stopped', () => {
    expect(partitionsVisited(4, at(0, 4), { last: at(0, 4) })).toBe(1);
    expect(partitionsVisited(4, at(0, 4), { last: at(2, 4) })).toBe(3);
    expect(partitionsVisited(4, at(1, 4), { last: at(1, 4) })).toBe(1);
  });
});
