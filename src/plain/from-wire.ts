import { type Conversion, JsonReader, type TextOfBytes } from '../model/json/json-reader.ts';
import { setOwn } from '../model/json/own-members.ts';
import { parseJson } from '../model/json/parse-json.ts';
import { StoredList } from '../model/stored/stored-list.ts';
import { concatBytes } from '../model/values/bytes.ts';
import { encodeUtf8 } from '../model/values/utf8.ts';
import { LoneItem, noMembers } from '../operations/items/item-answer.ts';
import { type Answer, emptyBody, type JsonPiece, RawJson } from '../operations/operation.ts';

/**
 * The longest answer that the reader parses. Its strings keep the whole text alive, so a program that keeps one
 * string of a page keeps at most this much.
 */
const shortAnswerMax = 8_192;

/**
 * Converts an operation's answer to what the SDK's own client returns: base64 becomes bytes, seconds become dates. An
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
 * Does what `converted` does, but in place, for a value that was just parsed and has no other owner. A page of
 * records, each with a time, then costs little more than its parsing.
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
 * Tells whether an answer may contain binary values or times. Most items hold only text and numbers, and this search
 * is cheaper than walking them. It omits the quotes before the names, because a search is fast if the first character
 * is rare.
 */
function mayHoldMore(text: string): boolean {
  return text.includes('B":"') || text.includes('BS":[') || text.includes('Time":');
}

/**
 * Converts a value by the names of members alone. That is safe, because a member that a client named (an attribute, a
 * table, an index) never has a string or a number for its value: an attribute called `B` holds `{"S":"…"}`. A table
 * may have a list, but no table is called `BS`: table names have at least three characters.
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

/** Decodes base64 to bytes with their own memory, not a window into the pool of small Buffers. */
function bytesOf(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, 'base64'));
}

/** Creates a reader for answers. Answers that follow each other are much alike, and the reader learns from them. */
export function newAnswerReader(): JsonReader {
  const latin1: TextOfBytes['latin1'] = (bytes, start, end) =>
    Buffer.prototype.latin1Slice.call(bytes, start, end);
  return new JsonReader({ latin1, utf8: utf8Of }, conversionOf);
}

/**
 * The conversion for a member. The contents of a member are already converted: a list of items under a table's name
 * stays as it is.
 */
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
