import { CanonicalWriter } from '../../model/json/canonical-json.ts';
import { parseJson } from '../../model/json/parse-json.ts';
import { jsonStart } from '../../model/stored/stored-item.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { decodeUtf8 } from '../../model/values/utf8.ts';
import { type JsonPiece, RawJson } from '../operation.ts';

/** An answer with the JSON of one item under `member`, and plain members beside it. */
export function itemAnswer(
  member: 'Item' | 'Attributes',
  json: Uint8Array | undefined,
  others: Readonly<Record<string, object | undefined>>,
): RawJson {
  if (!hasMembers(others)) return json === undefined ? noMembers : new LoneItem(member, json);
  const rest = JSON.stringify(others);
  return new RawJson(json === undefined ? [rest] : [`{"${member}":`, json, `,${rest.slice(1)}`]);
}

/** The answer of most writes. */
export const noMembers = new RawJson(['{}']);

/**
 * An answer with one item and nothing else, which is the answer of most reads. The JSON of the item starts at `start`
 * and goes to the end of `bytes`.
 */
export class LoneItem extends RawJson {
  readonly member: 'Item' | 'Attributes';
  readonly bytes: Uint8Array;
  readonly start: number;

  constructor(member: 'Item' | 'Attributes', bytes: Uint8Array, start = 0) {
    super(none);
    this.member = member;
    this.bytes = bytes;
    this.start = start;
  }

  override get chunks(): readonly JsonPiece[] {
    return [this.member === 'Item' ? '{"Item":' : '{"Attributes":', this.bytes.subarray(this.start), '}'];
  }
}

const none: readonly never[] = [];

/** The answer of a GetItem that returns a stored item and nothing else. */
export function storedItemAnswer(stored: Uint8Array | undefined): RawJson {
  if (stored === undefined) return noMembers;
  return new LoneItem('Item', stored, jsonStart(stored));
}

/** Whether an answer has other members. Most have none, because the request did not ask for the consumed capacity. */
function hasMembers(others: Readonly<Record<string, object | undefined>>): boolean {
  for (const name in others) if (others[name] !== undefined) return true;
  return false;
}

/** Writes the JSON of an item that is not in stored form, such as a projection. */
export function jsonOf(item: Item): Uint8Array {
  const writer = new CanonicalWriter(1024);
  writer.item(item);
  return writer.finish();
}

/** An item as a plain object, for the few cases where it is part of other JSON, such as an error. */
export function plainItem(item: Item): object {
  return parseJson(decodeUtf8(jsonOf(item))) as object;
}
