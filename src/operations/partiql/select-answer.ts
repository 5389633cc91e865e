import { meetsCondition } from '../../expressions/evaluate-condition.ts';
import type { ResolvedColumn } from '../../expressions/partiql/resolve-statement.ts';
import { valueAt } from '../../expressions/path.ts';
import { decodeItem, itemJson } from '../../model/stored/stored-item.ts';
import type { AttributeValue, Item } from '../../model/values/attribute-value.ts';
import { jsonOf } from '../items/item-answer.ts';
import { RawJson } from '../operation.ts';
import type { Found } from './run-select.ts';

/** The JSON of the items that a SELECT answers; without columns and filter they are copied as they are stored. */
export function selectedJson(
  found: readonly Found[],
  columns: readonly ResolvedColumn[] | undefined,
): readonly Uint8Array[] {
  const items: Uint8Array[] = [];
  for (const { entries, filter, seen } of found) {
    for (const stored of entries) {
      if (filter === undefined && columns === undefined) {
        items.push(itemJson(stored));
        continue;
      }
      const item = decodeItem(stored);
      if (filter !== undefined && !meetsCondition(filter, seen === undefined ? item : seen(item))) continue;
      items.push(columns === undefined ? itemJson(stored) : jsonOf(columnsOf(item, columns)));
    }
  }
  return items;
}

/** Unlike a projection, columns are flat: `m.k` is answered as `k`, without the map around it (seen in 2026). */
function columnsOf(item: Item, columns: readonly ResolvedColumn[]): Item {
  const row = new Map<string, AttributeValue>();
  for (const { name, path } of columns) {
    const value = valueAt(item, path);
    if (value !== undefined) row.set(name, value);
  }
  return row;
}

/** `{"Items":[…], …}`, with the plain members behind. */
export function itemsAnswer(
  items: readonly Uint8Array[],
  others: Readonly<Record<string, unknown>>,
): RawJson {
  const rest = JSON.stringify(others);
  const chunks: (string | Uint8Array)[] = ['{"Items":['];
  for (const [i, json] of items.entries()) {
    if (i > 0) chunks.push(',');
    chunks.push(json);
  }
  chunks.push(rest === '{}' ? ']}' : `],${rest.slice(1)}`);
  return new RawJson(chunks);
}
