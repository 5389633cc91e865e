import { RawJson } from './operation.ts';

/** An answer with one item under `member`, copied from its stored JSON, and the plain members beside it. */
export function itemAnswer(
  member: 'Item' | 'Attributes',
  json: Uint8Array | undefined,
  others: Readonly<Record<string, object | undefined>>,
): RawJson {
  const rest = JSON.stringify(others);
  if (json === undefined) return new RawJson([rest]);
  const end = rest === '{}' ? '}' : `,${rest.slice(1)}`;
  return new RawJson([`{"${member}":`, json, end]);
}
