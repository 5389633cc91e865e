import type { JsonItem, JsonValue } from '../../data/stream-feed.ts';

/** A place in an item that a change gave another value. */
export interface Difference {
  readonly path: string;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** What is different between two images; goes into maps, so that a change deep in a document is a short line. */
export function differencesOf(
  before: JsonItem | undefined,
  after: JsonItem | undefined,
  path = '',
): Difference[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].flatMap((name) => {
    const [old, now] = [before?.[name], after?.[name]];
    const place = path === '' ? name : `${path}.${name}`;
    if (old !== undefined && now !== undefined) {
      if (JSON.stringify(old) === JSON.stringify(now)) return [];
      if (isMap(old) && isMap(now)) return differencesOf(old.M, now.M, place);
    }
    return [{ path: place, before: old, after: now }];
  });
}

function isMap(value: JsonValue): value is { readonly M: JsonItem } {
  return typeof value.M === 'object' && value.M !== null;
}

/** A value as one line, with its type apart. Long ones are cut: the inspector has the whole. */
export function shownValue(value: JsonValue): { readonly type: string; readonly text: string } {
  const [type = '', content] = Object.entries(value)[0] ?? [];
  const text =
    type === 'S' || type === 'N' || type === 'B'
      ? String(content)
      : type === 'BOOL'
        ? String(content)
        : type === 'NULL'
          ? 'null'
          : JSON.stringify(content);
  return { type, text: text.length > 200 ? `${text.slice(0, 200)}…` : text };
}
