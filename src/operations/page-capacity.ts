import type { FetchedPage } from '../engine/fetch-items.ts';
import type { EvaluatedPage } from '../engine/read-range.ts';
import type { WriteCapacity } from '../engine/write-item.ts';
import { readUnits } from '../physics/units.ts';
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
  const read = Math.max(readUnits(page.bytes, consistency), unitsMin * readUnits(0, consistency));
  if (index === undefined) return { table: read, indexes: [] };
  let table = 0;
  if ('fetchedBytes' in page) for (const bytes of page.fetchedBytes) table += readUnits(bytes, consistency);
  return { table, indexes: [{ name: index.schema.name, kind: index.kind, units: read }] };
}
