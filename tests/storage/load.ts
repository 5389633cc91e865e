import { expect } from 'vitest';
import type { Store, Unit } from '../../src/storage/store.ts';
import { bytes, text } from './bytes.ts';

/** A client of the load that is written while a process is killed, a disk fills up or a server is stopped. */
export type LoadClient = number;

/** Raises the client's version under two keys, counts the unit and logs it: four traces that must agree. */
export function nextVersion(client: LoadClient, padding = 0): Unit<number> {
  const [left, right] = [bytes(`left${client}`), bytes(`right${client}`)];
  return {
    reads: [left, right],
    decide: ({ values: [found] }) => {
      const version = versionOf(found) + 1;
      const value = bytes(`${version} ${'x'.repeat(padding + (version % 300))}`);
      return {
        result: version,
        mutations: [
          { kind: 'put', key: left, value },
          { kind: 'put', key: right, value },
          { kind: 'add', counter: bytes('units'), delta: 1 },
          {
            kind: 'append',
            bucket: bytes('log'),
            of: left,
            record: bytes(`${client} ${version} ${'x'.repeat(padding)}`),
          },
        ],
      };
    },
  };
}

/**
 * Checks a store after trouble: nothing acknowledged is lost, nothing is there by halves, and at most one unit per
 * client, the one that was in flight, is there without having been acknowledged.
 */
export async function checkLoad(store: Store, acknowledged: readonly number[], inFlight = 1): Promise<void> {
  let total = 0;
  for (const [client, acked] of acknowledged.entries()) {
    const [left, right] = await store.getMany([bytes(`left${client}`), bytes(`right${client}`)]);
    const version = versionOf(left);
    expect(text(right), `client ${client}: both halves`).toBe(text(left));
    expect(version, `client ${client}: acknowledged`).toBeGreaterThanOrEqual(acked);
    expect(version, `client ${client}: in flight`).toBeLessThanOrEqual(acked + inFlight);
    total += version;
  }
  expect(await store.counters([bytes('units')])).toEqual([total]);
  const next = acknowledged.map(() => 1);
  let position = 0;
  for (;;) {
    const records = await store.readLog(bytes('log'), position, 1_000);
    if (records.length === 0) break;
    for (const record of records) {
      const [client, version] = text(record.record)!.split(' ', 2).map(Number);
      expect(version, `client ${client}: log order`).toBe(next[client!]!);
      next[client!]!++;
      position = record.position;
    }
  }
  expect(next.reduce((sum, version) => sum + version - 1, 0)).toBe(total);
}

function versionOf(value: Uint8Array | undefined): number {
  return value === undefined ? 0 : Number.parseInt(text(value)!, 10);
}
