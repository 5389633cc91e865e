import { type SampledItem, shownValue, type WireItem } from '../sample.ts';
import { type KeyElement, keyNames, type TableView } from '../table-view.ts';

/** A key schema of a table: its own, or that of an index. */
export interface KeySlot {
  /** Undefined for the table. */
  readonly index: string | undefined;
  readonly hash: readonly string[];
  readonly range: readonly string[];
  readonly isGlobal: boolean;
}

export function keySlots({ description }: Pick<TableView, 'description'>): KeySlot[] {
  const { KeySchema, GlobalSecondaryIndexes = [], LocalSecondaryIndexes = [] } = description;
  const slot = (schema: readonly KeyElement[], index: string | undefined, isGlobal: boolean) => ({
    ...{ index, isGlobal },
    hash: keyNames(schema, 'HASH'),
    range: keyNames(schema, 'RANGE'),
  });
  return [
    slot(KeySchema, undefined, false),
    ...GlobalSecondaryIndexes.map((each) => slot(each.KeySchema, each.IndexName, true)),
    ...LocalSecondaryIndexes.map((each) => slot(each.KeySchema, each.IndexName, false)),
  ];
}

/** The sampled items that stand in an index: those with all its key attributes. */
export function entriesOf(
  { sample }: Pick<TableView, 'sample'>,
  { hash, range }: KeySlot,
): readonly SampledItem[] {
  const names = [...hash, ...range];
  return (sample?.items ?? []).filter(({ item }) => names.every((name) => item[name] !== undefined));
}

/** The key of an item in its table, as people write it. */
export function itemKey(
  { description: { KeySchema } }: Pick<TableView, 'description'>,
  item: WireItem,
): string {
  return [...keyNames(KeySchema, 'HASH'), ...keyNames(KeySchema, 'RANGE')]
    .map((name) => shownValue(item[name]))
    .join(' / ');
}

export function itemKeyValues({ description: { KeySchema } }: TableView, item: WireItem): string[] {
  return [...keyNames(KeySchema, 'HASH'), ...keyNames(KeySchema, 'RANGE')].map((name) =>
    shownValue(item[name]),
  );
}

/** Names under which programs keep the kind of an item. */
const typeNames = ['entityType', 'EntityType', 'entity', '_et', '__edb_e__', 'type', 'Type', '_type'];

/** What kind of thing an item is: by its type attribute, or else by the prefixes of its keys. */
export function entityOf(view: TableView, item: WireItem): string {
  for (const name of typeNames) if (typeof item[name]?.S === 'string') return `${name}=${item[name].S}`;
  const { KeySchema } = view.description;
  return [...keyNames(KeySchema, 'HASH'), ...keyNames(KeySchema, 'RANGE')]
    .map((name) => prefixOf(shownValue(item[name])))
    .join(' / ');
}

/** `ORDER` of `ORDER#17`; nothing of a text without a prefix. */
function prefixOf(text: string): string {
  return /^([A-Za-z_]{1,40})[#:|]/.exec(text)?.[1] ?? '';
}
