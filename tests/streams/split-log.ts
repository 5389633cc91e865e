import { newHash16 } from '../../src/hash16.ts';
import type { Stator } from '../../src/index.ts';
import { hashBytes, tableKey } from '../../src/model/keys/keys.ts';
import type { KeyValue } from '../../src/model/values/attribute-value.ts';
import { type Position, partPlace, placeOf } from '../../src/physics/place.ts';

const scope = { account: '000000000000', region: 'us-east-1' };

/** Splits the change log of a table as if partitions were cut at these positions. Answers whether there were any. */
export async function splitLog(db: Stator, tableName: string, starts: readonly Position[]): Promise<boolean> {
  const record = await db.engine.catalogue.record(scope, tableName);
  if (record === undefined) return false;
  return db.engine.changeLog.splits.splitAt(scope, tableName, record.storageId, starts);
}

export const equalStarts = (count: number): Position[] =>
  Array.from({ length: count }, (_, i) => ({ place: partPlace(i, count), sort: new Uint8Array() }));

/** Where the changes of an item begin, inside its collection. */
export function positionOfItem(hash: KeyValue, range?: KeyValue): Position {
  const key = tableKey(new Uint8Array(), { hash, range }, newHash16());
  return { place: placeOf(key), sort: key.slice(hashBytes) };
}
