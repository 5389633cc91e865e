import type { FetchedPage } from '../engine/fetch-items.ts';
import type { EvaluatedPage } from '../engine/read-range.ts';
import type { WriteCapacity } from '../engine/write-item.ts';
import { itemsReadUnits, pageReadUnits } from '../physics/units.ts';
import { writeCapacity } from './consumed-capacity.ts';
import type { ReadTarget } from './read-target.ts';
import type { ReadInput } from './shapes/read-shapes.ts';

/**
 * The `ConsumedCapacity` of a page. What was evaluated is summed up and rounded once, each item that was fetched for a
 * local index by itself. A page of an index leaves nothing on the table's arm but those fetches.
 */
export function pageCapacity(
  input: ReadInput,
  target: ReadTarget,
  page: EvaluatedPage | FetchedPage,
  unitsMin = 0,
): object | undefined {
  const units = pageUnits(input.ConsistentRead, target, page, unitsMin);
  return writeCapacity(input.ReturnConsumedCapacity, input.TableName, units);
}

/** The units of a page by arm. */
export function pageUnits(
  consistentRead: boolean | undefined,
  { index }: ReadTarget,
  page: EvaluatedPage | FetchedPage,
  unitsMin = 0,
): WriteCapacity {
  const consistency = consistentRead === true ? 'strong' : 'eventual';
  const read = pageReadUnits(page.bytes, consistency, unitsMin);
  if (index === undefined) return { table: read, indexes: [] };
  const table = 'fetchedBytes' in page ? itemsReadUnits(page.fetchedBytes, consistency) : 0;
  return { table, indexes: [{ name: index.schema.name, kind: index.kind, units: read }] };
}
