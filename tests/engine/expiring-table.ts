import { type ChangeRecord, decodeChange } from '../../src/engine/change-log/change-record.ts';
import { bucketName, layoutOf } from '../../src/engine/change-log/log-layout.ts';
import { type AttributeMap, type Stator, VirtualClock } from '../../src/index.ts';
import { decodeItem } from '../../src/model/stored/stored-item.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';

export const TableName = 'sessions';
export const scope = { account: '000000000000', region: 'us-east-1' };
export const startMs = Date.UTC(2026, 10, 15);
export const dayMs = 24 * 3_600_000;

/** A memory that several databases share, as processes share a store. */
export class SharedMemory extends MemoryStore {
  override readonly exclusive = false as boolean as true;
}

export function newClock(): VirtualClock {
  return new VirtualClock(startMs);
}

export const definition = {
  TableName,
  BillingMode: 'PAY_PER_REQUEST' as const,
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' as const }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' as const }],
};

export function setTtl(db: Stator, Enabled: boolean, AttributeName = 'expires') {
  return db.updateTimeToLive({ TableName, TimeToLiveSpecification: { Enabled, AttributeName } });
}

export async function createExpiring(db: Stator, more: object = {}): Promise<void> {
  await db.createTable({ ...definition, ...more });
  await setTtl(db, true);
}

/** An item that expires so many seconds after the beginning. */
export function session(pk: string, seconds: number): AttributeMap {
  return { pk: { S: pk }, expires: { N: String(startMs / 1000 + seconds) } };
}

export async function keysIn(db: Stator, IndexName?: string): Promise<string[]> {
  const found: string[] = [];
  let ExclusiveStartKey: AttributeMap | undefined;
  do {
    const page = await db.scan({
      TableName,
      // Where physics is enforced, an eventually consistent read may be behind.
      ...(IndexName !== undefined ? { IndexName } : { ConsistentRead: true }),
      ...(ExclusiveStartKey !== undefined && { ExclusiveStartKey }),
    });
    found.push(...page.Items!.map(({ pk }) => pk!.S!));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return found.toSorted();
}

/** What the table's log tells, of tables with a stream. */
export async function changesOf(db: Stator): Promise<(ChangeRecord & { readonly pk: string })[]> {
  const record = await db.engine.catalogue.record(scope, TableName);
  const changes: (ChangeRecord & { readonly pk: string })[] = [];
  for (const { number } of layoutOf(record!))
    for (let after = 0; ; ) {
      const records = await db.engine.store.readLog(bucketName(record!.storageId, number), after, 1_000);
      if (records.length === 0) break;
      after = records.at(-1)!.position;
      for (const each of records) {
        const change = decodeChange(each.record);
        const pk = decodeItem((change.after ?? change.before)!).get('pk') as { S: string };
        changes.push({ ...change, pk: pk.S });
      }
    }
  return changes;
}
