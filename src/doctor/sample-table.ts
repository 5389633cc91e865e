import { DynamoError } from '../model/errors.ts';
import { itemSize } from '../model/values/item-size.ts';
import { readItem } from '../model/values/read-attribute-value.ts';
import type { Questions } from './questions.ts';
import type { Sample, SampledItem, WireItem } from './sample.ts';
import type { TableDescription } from './table-view.ts';

/** An eventually consistent read unit reads this many bytes. */
const unitBytes = 8_192;
const segments = 8;
const itemsMax = 1_000;

interface Page {
  readonly Items?: readonly WireItem[];
  readonly LastEvaluatedKey?: unknown;
  readonly ConsumedCapacity?: { readonly CapacityUnits?: number };
}

/**
 * Reads some items of a table by Scan, within a budget of read units. A table that fits into the budget is read as a
 * whole; of a larger one the beginnings of eight segments, so that the sample does not come from one partition. The
 * last page can exceed the budget by one item.
 */
export async function sampleTable(
  questions: Questions,
  { TableName, ItemCount = 0, TableSizeBytes = 0 }: TableDescription,
  budget: number,
): Promise<Sample | undefined> {
  if (budget <= 0) return undefined;
  const mean = ItemCount > 0 ? Math.max(1, TableSizeBytes / ItemCount) : 1_024;
  const isSmall = TableSizeBytes <= budget * unitBytes && ItemCount <= itemsMax;
  const count = isSmall ? 1 : segments;
  const perSegment = Math.max(1, Math.floor((budget * unitBytes) / mean / count));
  const items: SampledItem[] = [];
  let readUnits = 0;
  let segmentsWithItems = 0;
  let isWhole = true;
  for (let segment = 0; segment < count; segment++) {
    if (readUnits >= budget) {
      isWhole = false;
      break;
    }
    const page = await questions.ask<Page>(
      ...(['dynamodb', 'Scan'] as const),
      {
        TableName,
        Limit: Math.min(perSegment, itemsMax),
        ...(count > 1 && { Segment: segment, TotalSegments: count }),
        ReturnConsumedCapacity: 'TOTAL',
      },
      'samples of items',
      TableName,
    );
    if (page === undefined) return undefined;
    const units = page.ConsumedCapacity?.CapacityUnits ?? 0;
    readUnits += units;
    questions.spendUnits(units);
    const found = page.Items ?? [];
    if (found.length > 0) segmentsWithItems++;
    for (const item of found) items.push({ item, bytes: sizeOf(item) });
    if (page.LastEvaluatedKey !== undefined) isWhole = false;
  }
  return { items, readUnits, isWhole, segments: count, segmentsWithItems };
}

function sizeOf(item: WireItem): number {
  const read = readItem(item, 'newer');
  return read instanceof DynamoError ? 0 : itemSize(read);
}
