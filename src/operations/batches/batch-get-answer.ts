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
 * The answer of a BatchGetItem: items in the order of their keys, copied from how they are stored unless there is a
 * projection. Keys that were left, for the limits of one answer or a lack of capacity, come back in the form in which they were sent, with
 * the options of their table, and cost nothing. A table none of whose items was found still has its empty list.
 */
export function batchGetAnswer(
  road: RequestRoad,
  reads: readonly TableRead[],
  tables: readonly TableItems[],
  asked: ReturnConsumedCapacity | undefined,
): RawJson {
  const chunks: JsonPiece[] = [];
  const unprocessed: string[] = [];
  const capacities: object[] = [];
  for (const [i, read] of reads.entries()) {
    const { tableName, sent, projection } = read;
    const { consumed } = tables[i]!;
    const { taken, unread } = divided(read, tables[i]!);
    for (const item of taken) road.returns(1, readItemBytes(item));
    const name = JSON.stringify(tableName);
    chunks.push(`${i === 0 ? '{"Responses":{' : ','}${name}:[`);
    if (taken.length > 0) chunks.push(listOf(taken, projection));
    chunks.push(']');
    if (unread.length > 0) unprocessed.push(`${name}:${JSON.stringify({ ...sent, Keys: unread })}`);
    const capacity = consumed && consumedCapacity(asked, tableName, consumed);
    if (capacity !== undefined) capacities.push(capacity);
  }
  const consumed = capacities.length === 0 ? '' : `,"ConsumedCapacity":${JSON.stringify(capacities)}`;
  chunks.push(`},"UnprocessedKeys":{${unprocessed.join(',')}}${consumed}}`);
  return new RawJson(chunks);
}

function listOf(taken: readonly Uint8Array[], projection: Projection | undefined): StoredList {
  if (projection === undefined) return new StoredList(taken);
  return new StoredList(
    taken.map((stored) => projectedJson(stored, projection)),
    0,
  );
}

/** The items to answer, as they are stored, and the keys that were left, as they were sent. */
function divided(
  { sent }: TableRead,
  { found }: TableItems,
): { readonly taken: readonly Uint8Array[]; readonly unread: readonly AttributeMapInput[] } {
  const taken: Uint8Array[] = [];
  const unread: AttributeMapInput[] = [];
  for (const [k, item] of found.entries()) {
    if (item === left) unread.push(sent.Keys[k]!);
    else if (item !== undefined) taken.push(item);
  }
  return { taken, unread };
}
