import { encodeUtf8 } from '../model/values/utf8.ts';
import { PartitionMap } from './partition-map.ts';
import type { PartitionRecord } from './partition-record.ts';
import { createPhysics, type OpenOptions, type Physics, type PhysicsOptions } from './physics.ts';
import { noSortKey } from './place.ts';
import type { Resource } from './resource.ts';
import type { AccessKind } from './throttling.ts';
import type { ThroughputSettings } from './throughput-settings.ts';

/** A moment at the beginning of a minute and of a day. */
export const startMs = Date.UTC(2026, 10, 18);

/** Places of keys in tests: any spread will do. */
export function placeOfText(text: string): number {
  let [a, b] = [0x811c9dc5, 0x9747b28c];
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
    b = Math.imul(b ^ text.charCodeAt(i), 0x5bd1e995);
  }
  a = Math.imul(a ^ (a >>> 15), 0x85ebca6b);
  b = Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  return ((a ^ (a >>> 16)) >>> 0) * 0x200000 + ((b ^ (b >>> 16)) >>> 11);
}

export const onDemand: ThroughputSettings = { mode: 'PAY_PER_REQUEST', read: 0, write: 0 };

export function provisioned(read: number, write: number): ThroughputSettings {
  return { mode: 'PROVISIONED', read, write };
}

export function equalPartsRecord(parts: number): PartitionRecord {
  const map = PartitionMap.ofEqualParts(parts);
  return {
    provisionedPeak: { read: 0, write: 0 },
    onDemandPeak: { read: 0, write: 0 },
    warm: { read: 0, write: 0 },
    decreasedAtMs: 0,
    decreasesThatDay: 0,
    growths: [],
    nextId: map.nextId,
    partitions: Array.from({ length: map.count }, (_, i) => map.entry(i)),
  };
}

/** Requests of one kind that come evenly spread over each second. */
export interface Load {
  readonly resource: Resource;
  readonly kind?: AccessKind;
  readonly perSecond: number;
  /** Units of each request. */
  readonly units?: number;
  /** Partition key of the n-th request: a text or a place. */
  readonly key: (n: number) => string | number;
  readonly sort?: (n: number) => string;
}

export interface LoadResult {
  granted: number;
  refused: number;
  grantedUnits: number;
  firstRefusalMs: number | undefined;
}

/** A model with a clock of its own, and clients that ask it. */
export class PhysicsBench {
  readonly physics: Physics;
  nowMs = startMs;

  constructor(options: Partial<PhysicsOptions> = {}) {
    this.physics = createPhysics({ nowMs: startMs, ...options });
  }

  table(
    throughput: ThroughputSettings,
    options?: OpenOptions & { name?: string; hasLocalIndexes?: boolean },
  ): Resource {
    const { name = 'Shipments', hasLocalIndexes = false, ...open } = options ?? {};
    const arn = `arn:aws:dynamodb:eu-west-1:123456789012:table/${name}`;
    return this.physics.open(
      { id: name, tableName: name, arn, hasLocalIndexes },
      throughput,
      this.nowMs,
      open,
    );
  }

  index(throughput: ThroughputSettings, indexName = 'byStatus', options?: OpenOptions): Resource {
    const arn = `arn:aws:dynamodb:eu-west-1:123456789012:table/Shipments/index/${indexName}`;
    const identity = { id: indexName, tableName: 'Shipments', indexName, arn, hasLocalIndexes: false };
    return this.physics.open(identity, throughput, this.nowMs, options);
  }

  /** One request: judged and, if it is granted, charged. */
  ask(resource: Resource, kind: AccessKind, key: string | number, sort = '', units = 1): boolean {
    const place = typeof key === 'number' ? key : placeOfText(key);
    const bytes = sort === '' ? noSortKey : encodeUtf8(sort);
    const verdict = this.physics.admit(resource, kind, place, bytes, 0, this.nowMs, units);
    if (verdict !== undefined) {
      if (verdict.key === undefined) this.physics.nameKey(resource, place, String(key));
      return false;
    }
    if (this.physics.charge(resource, kind, place, bytes, 0, units, this.nowMs))
      this.physics.nameKey(resource, place, String(key));
    return true;
  }

  /** Runs loads side by side, a hundred steps a second. */
  run(seconds: number, ...loads: readonly Load[]): LoadResult[] {
    const results = loads.map(
      (): LoadResult => ({ granted: 0, refused: 0, grantedUnits: 0, firstRefusalMs: undefined }),
    );
    const due = loads.map(() => 0);
    const sent = loads.map(() => 0);
    const stepMs = 10;
    for (let step = 0; step < seconds * (1000 / stepMs); step++) {
      for (const [i, load] of loads.entries()) {
        due[i]! += (load.perSecond * stepMs) / 1000;
        for (; due[i]! >= 1; due[i]!--) {
          const n = sent[i]!++;
          const { units = 1, kind = 'write' } = load;
          const result = results[i]!;
          if (this.ask(load.resource, kind, load.key(n), load.sort?.(n), units)) {
            result.granted++;
            result.grantedUnits += units;
          } else {
            result.refused++;
            result.firstRefusalMs ??= this.nowMs;
          }
        }
      }
      this.nowMs += stepMs;
    }
    return results;
  }
}
