import type { Touch } from '../../engine/road.ts';
import type { AttributeValue, Item } from '../../model/values/attribute-value.ts';

const textMax = 120;

/** The key values of a touch as people write them: of the index that is read, else of the table. */
export function shownKeyOf({ table, index, attributes }: Touch): string[] {
  if (table === undefined || attributes === undefined) return [];
  const { schema } = table;
  const names =
    index === undefined
      ? [schema.hash.name, ...(schema.range === undefined ? [] : [schema.range.name])]
      : [...index.schema.hash, ...index.schema.range].map(({ name }) => name);
  return shownValues(attributes, names);
}

function shownValues(attributes: Item, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const value = attributes.get(name);
    return value === undefined ? [] : [shownValue(value)];
  });
}

function shownValue(value: AttributeValue): string {
  const text =
    'S' in value ? value.S : 'N' in value ? value.N : 'B' in value ? `base64:${String(value.B)}` : '?';
  return text.length > textMax ? `${text.slice(0, textMax - 1)}…` : text;
}
