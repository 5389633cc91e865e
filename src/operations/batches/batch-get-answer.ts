import { left, type TableItems } from '../../engine/reads/read-items.ts';
import type { Projection } from '../../expressions/tree.ts';
import { readItemBytes } from '../../model/stored/stored-item.ts';
import { StoredList } from '../../model/stored/stored-list.ts';
import { consumedCapacity } from '../consumed-capacity.ts';
import { projectedJson } from '../items/projected-json.ts';
import { type JsonPiece, RawJson } from '../operation.ts';
import type { RequestRoad } from '../request-road.ts';
import type { ReturnConsumedCapacity } from '../shapes/item-shapes.ts';
import type { AttributeMapInput } from '../shapes/plain-attribute-value.ts';
import type { TableRead } from './batch-get-item.ts';

/**
 * The answer of a BatchGetItem. Items have the order of their keys and are copied from their stored form unless there
 * is a projection. Keys that were left, because of the limits or a lack of capacity, are returned exactly as they were
 * sent, with the options of their table. They cost nothing. A table without any found item has an empty list.
 */
export function batchGetAnswer(
  road: RequestRoad,
  reads: readonly TableRead[],
  tables: readonly TableItems[],
  detail: ReturnConsumedCapacity | undefined,
): RawJson {
  const chunks: JsonPiece[] = [];
  const unprocessed: string[] = [];
  const capacities: object[] = [];
  for (const [i, read] of reads.entries()) {
    const { tableName, sent, projection } = read;
    const { consumed } = tables[i]!;
    const { items, unread } = divided(read, tables[i]!);
    for (const item of items) road.returns(1, readItemBytes(item));
    const name = JSON.stringify(tableName);
    chunks.push(`${i === 0 ? '{"Responses":{' : ','}${name}:[`);
    if (items.length > 0) chunks.push(listOf(items, projection));
    chunks.push(']');
    if (unread.length > 0) unprocessed.push(`${name}:${JSON.stringify({ ...sent, Keys: unread })}`);
    const capacity = consumed && consumedCapacity(detail, tableName, consumed);
    if (capacity !== undefined) capacities.push(capacity);
  }
  const consumed = capacities.length === 0 ? '' : `,"ConsumedCapacity":${JSON.stringify(capacities)}`;
  chunks.push(`},"UnprocessedKeys":{${unprocessed.join(',')}}${consumed}}`);
  return new RawJson(chunks);
}

function listOf(items: readonly Uint8Array[], projection: Projection | undefined): StoredList {
  if (projection === undefined) return new StoredList(items);
  return new StoredList(
    items.map((stored) => projectedJson(stored, projection)),
    0,
  );
}

/** Divides the results of a table into stored items and the keys that were left, as they were sent. */
function divided(
  { sent }: TableRead,
  { found }: TableItems,
): { readonly items: readonly Uint8Array[]; readonly unread: readonly AttributeMapInput[] } {
  const items: Uint8Array[] = [];
  const unread: AttributeMapInput[] = [];
  for (const [k, item] of found.entries()) {
    if (item === left) unread.push(sent.Keys[k]!);
    else if (item !== undefined) items.push(item);
  }
  return { items, unread };
}
