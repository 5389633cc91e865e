import { compareNumbers } from '../../../src/model/values/numbers.ts';
import { compareUtf8 } from '../../../src/model/values/utf8.ts';
import type { WireItem, WireValue } from '../../data/items.ts';
import type { IndexDescription, KeyElement, TableDescription } from '../../data/table-description.ts';

/** An item in one arrangement: under which partition, in which order, or why it is not there. */
export interface Placed {
  /** A text that is this item's alone, in every arrangement. */
  readonly id: string;
  /** The table key to read. */
  readonly name: string;
  readonly item: WireItem;
  /** A text that is this place's alone. */
  readonly place: string;
  readonly sort: string;
}

export interface Arrangement {
  readonly groups: readonly {
    readonly id: string;
    readonly partition: string;
    readonly rows: readonly Placed[];
  }[];
  /** Items that a sparse index does not hold, each with the key attribute that it lacks. */
  readonly missing: readonly { readonly id: string; readonly name: string; readonly lacks: string }[];
}

type Types = ReadonlyMap<string, string>;

function typesOf({ AttributeDefinitions }: TableDescription): Types {
  return new Map(
    AttributeDefinitions.map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType]),
  );
}

/** Key attributes as one text. Joined by a separator, which values may contain, two keys could give the same. */
function idOf(item: WireItem, names: readonly string[]): string {
  return JSON.stringify(names.map((name) => textOf(item[name])));
}

/** Arranges items by the keys of the table or of an index, as the service stores them. */
export function arrange(
  table: TableDescription,
  place: { readonly KeySchema: readonly KeyElement[] },
  items: readonly WireItem[],
): Arrangement {
  const types = typesOf(table);
  const hash = place.KeySchema.filter(({ KeyType }) => KeyType === 'HASH').map(
    ({ AttributeName }) => AttributeName,
  );
  const range = place.KeySchema.filter(({ KeyType }) => KeyType === 'RANGE').map(
    ({ AttributeName }) => AttributeName,
  );
  const own = table.KeySchema.map(({ AttributeName }) => AttributeName);
  const groups = new Map<string, { id: string; partition: string; rows: Placed[] }>();
  const missing: { id: string; name: string; lacks: string }[] = [];
  for (const item of items) {
    const id = idOf(item, own);
    const name = own.map((one) => textOf(item[one])).join(' / ');
    const lacks = [...hash, ...range].find((name) => item[name]?.[types.get(name) ?? ''] === undefined);
    if (lacks !== undefined) {
      missing.push({ id, name, lacks });
      continue;
    }
    const groupId = idOf(item, hash);
    const partition = hash.map((one) => textOf(item[one])).join(' · ');
    const sort = range.map((one) => textOf(item[one])).join(' · ');
    const group = groups.get(groupId) ?? { id: groupId, partition, rows: [] };
    groups.set(groupId, group);
    group.rows.push({ id, name, item, place: idOf(item, [...hash, ...range]), sort });
  }
  const byRange = (a: Placed, b: Placed) => {
    for (const name of range) {
      const order = compare(a.item[name]!, b.item[name]!);
      if (order !== 0) return order;
    }
    return 0;
  };
  return {
    groups: [...groups.values()]
      .sort((a, b) => (a.partition < b.partition ? -1 : 1))
      .map((group) => ({ ...group, rows: group.rows.sort(byRange) })),
    missing,
  };
}

/** Numbers by value, texts by their bytes in UTF-8, as the service does. Binary keys are compared as base64 here. */
function compare(a: WireValue, b: WireValue): number {
  if (typeof a.N === 'string' && typeof b.N === 'string') return compareNumbers(a.N, b.N);
  return compareUtf8(textOf(a), textOf(b));
}

function textOf(value: WireValue | undefined): string {
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
