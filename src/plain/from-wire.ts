import { type Conversion, JsonReader, type TextOfBytes } from '../model/json/json-reader.ts';
import { setOwn } from '../model/json/own-members.ts';
import { parseJson } from '../model/json/parse-json.ts';
import { StoredList } from '../model/stored/stored-list.ts';
import { concatBytes } from '../model/values/bytes.ts';
import { encodeUtf8 } from '../model/values/utf8.ts';
import { LoneItem, noMembers } from '../operations/items/item-answer.ts';
import { type Answer, emptyBody, type JsonPiece, RawJson } from '../operations/operation.ts';

/** Strings that the reader gives keep the whole text alive: whoever keeps one of a page keeps no more than so many bytes. */
const shortAnswerMax = 8_192;

/**
 * An operation's answer as the SDK's own client would give it: base64 becomes bytes, seconds become dates. An
 * answer that is an object is copied, because parts of it may belong to the request or to the engine.
 */
export function fromWire(answer: Answer, reader: JsonReader): unknown {
  if (answer === emptyBody || answer === noMembers) return {};
  if (!(answer instanceof RawJson)) return converted(answer);
  if (answer instanceof LoneItem && answer.bytes.length <= shortAnswerMax) {
    const item = reader.read(answer.bytes, answer.start);
    return answer.member === 'Item' ? { Item: item } : { Attributes: item };
  }
  const bytes = joined(answer.chunks);
  if (bytes.length <= shortAnswerMax) return reader.read(bytes);
  const text = utf8Of(bytes, 0, bytes.length);
  const parsed = parseJson(text);
  if (mayHoldMore(text)) convertInPlace(parsed as object);
  return parsed;
}

/**
 * `converted` for what was parsed just now and belongs to nobody else: nothing is copied, so that a page of records,
 * each of which has a time, costs little more than its parsing.
 */
function convertInPlace(value: object): void {
  if (Array.isArray(value)) {
    for (const element of value as unknown[])
      if (typeof element === 'object' && element !== null) convertInPlace(element);
    return;
  }
  const members = value as Record<string, unknown>;
  for (const name in members) {
    const inner = members[name];
    if (typeof inner === 'object' && inner !== null && name !== 'BS') convertInPlace(inner);
    else {
      const changed = converted(inner, name);
      if (changed !== inner) setOwn(members, name, changed);
    }
  }
}

/**
 * Most items hold text and numbers only, and to find that out is cheaper than to walk them. The quotes before the
 * names are left out because the search is quick when the first character is a rare one.
 */
function mayHoldMore(text: string): boolean {
  return text.includes('B":"') || text.includes('BS":[') || text.includes('Time":');
}

/**
 * Goes by the names of members alone. That is safe, because whatever a client named (an attribute, a table, an index)
 * never has a string or a number for its value: an attribute that is called `B` holds `{"S":"…"}`. A table may have a
 * list, though none is called `BS`: names of tables have three characters or more.
 */
export function converted(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return name === 'B' ? bytesOf(value) : value;
  if (typeof value === 'number') return name.endsWith('Time') ? dateOf(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => converted(element, name === 'BS' ? 'B' : ''));
  const copy: Record<string, unknown> = {};
  for (const [member, inner] of Object.entries(value)) {
    if (inner !== undefined) setOwn(copy, member, converted(inner, member));
  }
  return copy;
}

function dateOf(seconds: number): Date {
  return new Date(seconds * 1000);
}

/** Bytes with memory of their own, not a window into the pool that small Buffers share. */
function bytesOf(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, 'base64'));
}

/** Of answers, which come one after the other and are much alike. */
export function newAnswerReader(): JsonReader {
  const latin1: TextOfBytes['latin1'] = (bytes, start, end) =>
    Buffer.prototype.latin1Slice.call(bytes, start, end);
  return new JsonReader({ latin1, utf8: utf8Of }, conversionOf);
}

/** What is within a member was converted before it: a list of items under the name of a table is left as it is. */
function conversionOf(name: string): Conversion | undefined {
  if (name === 'BS') return (value) => (Array.isArray(value) ? value.map(bytesIfText) : value);
  if (name === 'B') return bytesIfText;
  return name.endsWith('Time') ? (value) => (typeof value === 'number' ? dateOf(value) : value) : undefined;
}

function bytesIfText(value: unknown): unknown {
  return typeof value === 'string' ? bytesOf(value) : value;
}

function joined(chunks: readonly JsonPiece[]): Uint8Array {
  return concatBytes(...chunks.map(pieceBytes));
}

function pieceBytes(piece: JsonPiece): Uint8Array {
  if (typeof piece === 'string') return encodeUtf8(piece);
  return piece instanceof StoredList ? piece.toBytes() : piece;
}

function utf8Of(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.prototype.utf8Slice.call(bytes, start, end);
}
