import {
  alarmLeaseKind,
  jobsLeaseKind,
  metricKind,
  partitionsLeaseKind,
  transfersLeaseKind,
} from '../../src/engine/store-keys.ts';
import type { Store } from '../../src/storage/store.ts';

/** What a process keeps for itself whether there are tables or not, whenever its time comes: metrics and leases. */
const ofProcesses = new Set([
  metricKind,
  alarmLeaseKind,
  jobsLeaseKind,
  partitionsLeaseKind,
  transfersLeaseKind,
]);

/** The keys of all that lies in a store because of its tables, as hexadecimal text. */
export async function allKeys(store: Store): Promise<string[]> {
  const keys: string[] = [];
  for (let from: Uint8Array = new Uint8Array(); ; ) {
    const page = await store.range({ from, limit: 1_000 });
    for (const { key } of page.entries)
      if (!ofProcesses.has(key[0]!)) keys.push(Buffer.from(key).toString('hex'));
    if (!page.more || page.entries.length === 0) return keys;
    from = Uint8Array.of(...page.entries.at(-1)!.key, 0);
  }
}

/** Those of items and index entries. */
export async function entryKeys(store: Store): Promise<string[]> {
  return (await allKeys(store)).filter((key) => key.startsWith('10'));
}
