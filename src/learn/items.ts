import type { AttributeMap, AttributeMapInput, AttributeValueInput } from '../index.ts';

/** A value of an item as exercises write it; numbers become `N`, lists and maps are not needed. */
export type Simple = string | number | boolean;

/** `{ PK: 'a', count: 3 }` as DynamoDB JSON; what is undefined is left out. */
export function typed(values: Readonly<Record<string, Simple | undefined>>): AttributeMapInput {
  const item: Record<string, AttributeValueInput> = {};
  for (const [name, value] of Object.entries(values)) if (value !== undefined) item[name] = typedValue(value);
  return item;
}

export function typedValue(value: Simple): AttributeValueInput {
  if (typeof value === 'number') return { N: String(value) };
  return typeof value === 'boolean' ? { BOOL: value } : { S: value };
}

/** The text or number in an attribute of an answer; undefined if it is absent or of another type. */
export function textOf(item: AttributeMap | undefined, name: string): string | undefined {
  return item?.[name]?.S ?? item?.[name]?.N;
}

export function numberOf(item: AttributeMap | undefined, name: string): number | undefined {
  const text = item?.[name]?.N;
  return text === undefined ? undefined : Number(text);
}
