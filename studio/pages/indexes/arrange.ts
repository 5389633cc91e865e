import { compareNumbers } from '../../../src/model/values/numbers.ts';
import { compareUtf8 } from '../../../src/model/values/utf8.ts';
import type { JsonItem, JsonValue } from '../../data/stream-feed.ts';
import type { IndexDescription, KeyElement, TableDescription } from '../../data/tables.ts';

/** An item in one arrangement: under which partition, in which order, or why it is not there. */
export interface Placed {
  /** The table key as text, which names the item in every arrangement. */
  readonly id: string;
  readonly item: JsonItem;
  readonly partition: string;
  readonly sort: string;
}

export interface Arrangement {
  readonly groups: readonly { readonly partition: string; readonly rows: readonly Placed[] }[];
  /** Items that a sparse index does not hold, each with the key attribute that it lacks. */
  readonly missing: readonly { readonly id: string; readonly item: JsonItem; readonly lacks: string }[];
}

type Types = ReadonlyMap<string, string>;

export function typesOf({ AttributeDefinitions }: TableDescription): Types {
  return new Map(
    AttributeDefinitions.map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType]),
  );
}

export function idOf(table: TableDescription, item: JsonItem): string {
  return table.KeySchema.map(({ AttributeName }) => textOf(item[AttributeName])).join(' / ');
}

/** Arranges items by the keys of the table or of an index, as the service stores them. */
export function arrange(
  table: TableDescription,
  place: { readonly KeySchema: readonly KeyElement[] },
  items: readonly JsonItem[],
): Arrangement {
  const types = typesOf(table);
  const hash = place.KeySchema.filter(({ KeyType }) => KeyType === 'HASH').map(
    ({ AttributeName }) => AttributeName,
  );
  const range = place.KeySchema.filter(({ KeyType }) => KeyType === 'RANGE').map(
    ({ AttributeName }) => AttributeName,
  );
  const groups = new Map<string, Placed[]>();
  const missing: { id: string; item: JsonItem; lacks: string }[] = [];
  for (const item of items) {
    const id = idOf(table, item);
    const lacks = [...hash, ...range].find((name) => item[name]?.[types.get(name) ?? ''] === undefined);
    if (lacks !== undefined) {
      missing.push({ id, item, lacks });
      continue;
    }
    const partition = hash.map((name) => textOf(item[name])).join(' · ');
    const sort = range.map((name) => textOf(item[name])).join(' · ');
    const group = groups.get(partition);
    const placed = { id, item, partition, sort };
    if (group === undefined) groups.set(partition, [placed]);
    else group.push(placed);
  }
  const byRange = (a: Placed, b: Placed) => {
    for (const name of range) {
      const order = compare(a.item[name]!, b.item[name]!);
      if (order !== 0) return order;
    }
    return 0;
  };
  return {
    groups: [...groups]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([partition, rows]) => ({ partition, rows: rows.sort(byRange) })),
    missing,
  };
}

/** Numbers by value, texts by their bytes in UTF-8, as the service does. Binary keys are compared as base64 here. */
function compare(a: JsonValue, b: JsonValue): number {
  if (typeof a.N === 'string' && typeof b.N === 'string') return compareNumbers(a.N, b.N);
  return compareUtf8(textOf(a), textOf(b));
}

export function textOf(value: JsonValue | undefined): string {
  const content = value === undefined ? '' : Object.values(value)[0];
  return typeof content === 'string' ? content : (JSON.stringify(content) ?? '');
}

/** Whether an index shows an attribute: its keys and the table's always, others by its projection. */
export function isProjected(
  table: TableDescription,
  index: IndexDescription | undefined,
  name: string,
): boolean {
  if (index === undefined || index.Projection.ProjectionType === 'ALL') return true;
  const keys = [...table.KeySchema, ...index.KeySchema].map(({ AttributeName }) => AttributeName);
  return keys.includes(name) || (index.Projection.NonKeyAttributes ?? []).includes(name);
}
