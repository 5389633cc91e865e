import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../tests/assert-property.ts';
import { PartitionMap } from './partition-map.ts';
import {
  BadPartitionRecord,
  decodePartitionRecord,
  encodePartitionRecord,
  type PartitionRecord,
} from './partition-record.ts';
import { placesEnd } from './place.ts';

const figure = fc.double({ min: 0, max: 1e15, noNaN: true }).map((value) => value + 0);
const throughput = fc.record({ read: figure, write: figure });
const position = fc.record({
  place: fc.maxSafeInteger().map((n) => Math.abs(n) % placesEnd),
  sort: fc.uint8Array({ maxLength: 20 }),
});
const record: fc.Arbitrary<PartitionRecord> = fc
  .record({
    provisionedPeak: throughput,
    onDemandPeak: throughput,
    warm: throughput,
    decreasedAtMs: figure,
    decreasesThatDay: fc.nat(27),
    growths: fc.array(fc.record({ read: figure, write: figure, dueMs: figure }), { maxLength: 5 }),
    cuts: fc.array(position, { maxLength: 8 }),
    parts: fc.integer({ min: 1, max: 6 }),
  })
  .map(({ cuts, parts, ...others }) => {
    const map = PartitionMap.ofEqualParts(parts);
    for (const cut of cuts) map.split(map.find(cut.place, cut.sort, 0), cut, 7);
    const partitions = Array.from({ length: map.count }, (_, i) => ({ ...map.entry(i), bytes: i * 3 }));
    return { ...others, nextId: map.nextId, partitions };
  });

/** Writes the checksum that bytes ought to have, so that what is behind it is looked at. */
function sealed(bytes: Uint8Array): Uint8Array {
  let hash = 0x811c9dc5;
  for (let i = 0; i < bytes.length - 4; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  new DataView(bytes.buffer).setUint32(bytes.length - 4, hash >>> 0);
  return bytes;
}

const sample = (): PartitionRecord => ({
  provisionedPeak: { read: 100, write: 50 },
  onDemandPeak: { read: 0, write: 0 },
  warm: { read: 12_000, write: 4_000 },
  decreasedAtMs: 0,
  decreasesThatDay: 0,
  growths: [],
  nextId: 5,
  partitions: Array.from({ length: 4 }, (_, i) => PartitionMap.ofEqualParts(4).entry(i)),
});

describe('the record of a partition map', () => {
  it('comes back as it was', () => {
    assertProperty(
      fc.property(record, (value) => {
        expect(decodePartitionRecord(encodePartitionRecord(value))).toEqual(value);
      }),
    );
  });

  it('is compact: a new on-demand table takes 160 bytes', () => {
    expect(encodePartitionRecord(sample()).length).toBe(64 + 4 + 4 * 22 + 4);
  });

  it('is refused when any byte is another, missing or too many', () => {
    const bytes = encodePartitionRecord(sample());
    for (let i = 0; i < bytes.length; i++) {
      const broken = bytes.slice();
      broken[i]! ^= 1 << (i % 8);
      expect(() => decodePartitionRecord(broken)).toThrow(BadPartitionRecord);
      expect(() => decodePartitionRecord(bytes.slice(0, i))).toThrow(BadPartitionRecord);
    }
    expect(() => decodePartitionRecord(Uint8Array.of(...bytes, 0))).toThrow(BadPartitionRecord);
  });

  it('is refused when it is sealed and makes no sense', () => {
    const broken = (
      change: (record: { -readonly [K in keyof PartitionRecord]: PartitionRecord[K] }) => void,
    ) => {
      const value = sample();
      change(value);
      return () => decodePartitionRecord(encodePartitionRecord(value));
    };
    expect(broken(() => {})).not.toThrow();
    expect(
      broken((r) => {
        r.warm = { read: Number.NaN, write: 0 };
      }),
    ).toThrow('is no figure');
    expect(
      broken((r) => {
        r.onDemandPeak = { read: Number.POSITIVE_INFINITY, write: 0 };
      }),
    ).toThrow('is no figure');
    expect(
      broken((r) => {
        r.provisionedPeak = { read: -1, write: 0 };
      }),
    ).toThrow('is no figure');
    expect(
      broken((r) => {
        r.nextId = 4;
      }),
    ).toThrow('not yet given out');
    expect(
      broken((r) => {
        r.partitions = [];
      }),
    ).toThrow('too short');
    expect(
      broken((r) => {
        r.decreasesThatDay = 28;
      }),
    ).toThrow('28 decreases');
    expect(
      broken((r) => {
        r.partitions = r.partitions.toReversed();
      }),
    ).toThrow('not in order');
    expect(
      broken((r) => {
        r.partitions = r.partitions.map((p) => ({ ...p, id: 1 }));
      }),
    ).toThrow('there twice');
    expect(
      broken((r) => {
        r.partitions = r.partitions.slice(1);
      }),
    ).toThrow('not in order');
    expect(
      broken((r) => {
        r.growths = Array.from({ length: 41 }, () => ({ read: 1, write: 1, dueMs: 1 }));
      }),
    ).toThrow('too many growth');
    const newer = encodePartitionRecord(sample());
    newer[0] = 2;
    expect(() => decodePartitionRecord(sealed(newer))).toThrow('its format is 2, and 1 is known');
  });

  it('never fails with anything but its own error, nor allocates what a length promises', () => {
    assertProperty(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, withVersion) => {
        if (withVersion && bytes.length > 0) bytes[0] = 1;
        if (bytes.length > 4) sealed(bytes);
        try {
          decodePartitionRecord(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(BadPartitionRecord);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
