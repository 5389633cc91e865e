import { CanonicalWriter } from '../../model/json/canonical-json.ts';
import { parseJson } from '../../model/json/parse-json.ts';
import { jsonStart } from '../../model/stored/stored-item.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { decodeUtf8 } from '../../model/values/utf8.ts';
import { type JsonPiece, RawJson } from '../operation.ts';

/** An answer with one item under `member`, copied from its JSON, and the plain members beside it. */
export function itemAnswer(
  member: 'Item' | 'Attributes',
  json: Uint8Array | undefined,
  others: Readonly<Record<string, object | undefined>>,
): RawJson {
  if (!hasMembers(others)) return json === undefined ? noMembers : new LoneItem(member, json);
  const rest = JSON.stringify(others);
  return new RawJson(json === undefined ? [rest] : [`{"${member}":`, json, `,${rest.slice(1)}`]);
}

/** What most writes are answered. */
export const noMembers = new RawJson(['{}']);

/** An answer with an item and nothing else, which is what most reads get. The item stands from `start` to the end. */
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

/** The answer of those who asked for an item and nothing else, as it is stored. */
export function storedItemAnswer(stored: Uint8Array | undefined): RawJson {
  if (stored === undefined) return noMembers;
  return new LoneItem('Item', stored, jsonStart(stored));
}

/** Most answers have none: nobody asked what they cost. */
function hasMembers(others: Readonly<Record<string, object | undefined>>): boolean {
  for (const name in others) if (others[name] !== undefined) return true;
  return false;
}

/** DynamoDB JSON of an item that is not stored as it is, such as a part of one. */
export function jsonOf(item: Item): Uint8Array {
  const writer = new CanonicalWriter(1024);
  writer.item(item);
  return writer.finish();
}

/** An item for the few places where it stands inside other JSON, as in an error. */
export function plainItem(item: Item): object {
  return parseJson(decodeUtf8(jsonOf(item))) as object;
}
