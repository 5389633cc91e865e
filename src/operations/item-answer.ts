import type { Item } from '../model/attribute-value.ts';
import { CanonicalWriter } from '../model/canonical-json.ts';
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

/** An item's DynamoDB JSON as UTF-8 bytes. */
export function jsonOf(item: Item): Uint8Array {
  const writer = new CanonicalWriter(1024);
  writer.item(item);
  return writer.finish();
}
