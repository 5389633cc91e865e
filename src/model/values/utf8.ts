/**
 * Text as DynamoDB sees it: UTF-8. JavaScript orders and measures strings by UTF-16 units, which differs from UTF-8
 * for characters above U+FFFF. So the model never uses `<` or `.length` on a user's text.
 *
 * A lone surrogate has no UTF-8 form. A request may still contain one (`"\ud800"` is legal JSON), and every UTF-8
 * encoder writes U+FFFD for it. The model replaces it by U+FFFD when the value comes in, so that two texts are equal
 * exactly if their stored bytes are. What the service does is unknown (guess).
 */

declare global {
  // Node has them since version 20, but the configured library version does not list them yet.
  interface String {
    isWellFormed(): boolean;
    toWellFormed(): string;
  }
}

const encoder = new TextEncoder();
const shortUnits = 64;
// Without `ignoreBOM` the decoder would drop a leading U+FEFF, which is an ordinary character of a key.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Encodes a text. Keys are mostly short ASCII, which is faster to copy than to pass to the encoder. */
export function encodeUtf8(text: string): Uint8Array {
  const length = text.length;
  if (length > shortUnits) return encoder.encode(text);
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) return encoder.encode(text);
    bytes[i] = unit;
  }
  return bytes;
}

/** Writes a text into room that `utf8Length` measured. Returns the position behind it. */
export function writeUtf8(text: string, bytes: Uint8Array, at: number): number {
  const length = text.length;
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) return at + encoder.encodeInto(text, bytes.subarray(at)).written;
    bytes[at + i] = unit;
  }
  return at + length;
}

/** Decodes UTF-8. Throws on other bytes, because the model decodes only what it encoded. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** The length of a text in UTF-8. A lone surrogate counts as U+FFFD. */
export function utf8Length(text: string): number {
  const units = text.length;
  let length = units;
  for (let i = 0; i < units; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) {
      length += 1;
      continue;
    }
    length += 2;
    // A pair has four bytes in two units. A lone surrogate has three bytes in one unit, like any other unit in this
    // range.
    if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(i + 1))) i++;
  }
  return length;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/**
 * Compares two well-formed texts by their UTF-8 bytes. This is the order of UTF-16 units, except that surrogates
 * (characters from U+10000) sort above U+E000 … U+FFFF and not below.
 */
export function compareUtf8(a: string, b: string): number {
  if (a === b) return 0;
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return x >= 0xd800 && y >= 0xd800 ? liftSurrogate(x) - liftSurrogate(y) : x - y;
  }
  return a.length - b.length;
}

function liftSurrogate(unit: number): number {
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
