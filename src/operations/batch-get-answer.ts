import type { TableItems } from '../engine/read-items.ts';
import type { Table } from '../engine/table-record.ts';
import type { Projection } from '../expressions/tree.ts';
import { type Item, type KeyValue, keyText } from '../model/attribute-value.ts';
import { requestLimits } from '../model/limits.ts';
import { readItemBytes } from '../model/stored-item.ts';
import { StoredList } from '../model/stored-list.ts';
import { readUnits } from '../physics/units.ts';
import type { TableRead } from './batch-get-item.ts';
import { readCapacity } from './consumed-capacity.ts';
import { type JsonPiece, RawJson } from './operation.ts';
import { projectedJson } from './projected-json.ts';
import type { ReturnConsumedCapacity, WireAttributeMap } from './shapes/item-input.ts';

/**
 * The answer of a BatchGetItem: items in the order of their keys, copied from how they are stored unless there is a
 * projection. Keys that the limits of one answer leave no room for come back in the form in which they were sent, with
 * the options of their table, and cost nothing. A table none of whose items was found still has its empty list.
 */
export function batchGetAnswer(
  reads: readonly TableRead[],
  tables: readonly TableItems[],
  asked: ReturnConsumedCapacity | undefined,
): RawJson {
  const budget = new AnswerBudget();
  const chunks: JsonPiece[] = [];
  const unprocessed: string[] = [];
  const capacities: object[] = [];
  for (const [i, read] of reads.entries()) {
    const { tableName, sent, projection } = read;
    const { taken, left, units } = divided(read, tables[i]!, budget);
    const name = JSON.stringify(tableName);
    chunks.push(`${i === 0 ? '{"Responses":{' : ','}${name}:[`);
    if (taken.length > 0) chunks.push(listOf(taken, projection));
    chunks.push(']');
    if (left.length > 0) unprocessed.push(`${name}:${JSON.stringify({ ...sent, Keys: left })}`);
    const capacity = units === 0 ? undefined : readCapacity(asked, tableName, units);
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

interface Division {
  /** The items to answer, as they are stored. */
  readonly taken: readonly Uint8Array[];
  /** The keys that there was no room for, as they were sent. */
  readonly left: readonly WireAttributeMap[];
  readonly units: number;
}

function divided({ sent, keys }: TableRead, { table, stored }: TableItems, budget: AnswerBudget): Division {
  const consistency = sent.ConsistentRead === true ? 'strong' : 'eventual';
  const taken: Uint8Array[] = [];
  const left: WireAttributeMap[] = [];
  let units = 0;
  for (const [k, found] of stored.entries()) {
    const bytes = found === undefined ? 0 : readItemBytes(found);
    if (!budget.takes(partitionOf(table, keys[k]!), bytes)) {
      left.push(sent.Keys[k]!);
      continue;
    }
    units += readUnits(bytes, consistency);
    if (found !== undefined) taken.push(found);
  }
  return { taken, left, units };
}

/** Items with one partition key certainly lie in one partition; that others might too is not considered. */
function partitionOf({ scope, name, schema }: Table, key: Item): string {
  return `${scope.account}/${name}/${keyText(key.get(schema.hash.name) as KeyValue)}`;
}

/**
 * What one answer has room for. Items count as they are stored, whatever a projection leaves of them, as they do for
 * the pages of a Query. All items together stay within 16 MB; the first that would not ends the answer, so that what is
 * left is the end of what was asked for. Of one partition no more is read once 1 MB of it has been: the item that
 * reaches the limit is still answered (before 2024, tables of one partition were seen to answer up to 1 MB and the
 * better part of one more item).
 */
class AnswerBudget {
  #bytes = 0;
  #isSpent = false;
  readonly #byPartition = new Map<string, number>();

  takes(partition: string, bytes: number): boolean {
    const ofPartition = this.#byPartition.get(partition) ?? 0;
    if (ofPartition >= requestLimits.batchGetPartitionBytesMax) return false;
    this.#isSpent ||= this.#bytes + bytes > requestLimits.batchGetBytesMax;
    if (this.#isSpent) return false;
    this.#byPartition.set(partition, ofPartition + bytes);
    this.#bytes += bytes;
    return true;
  }
}
