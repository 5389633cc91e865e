/**
 * Text as DynamoDB sees it: UTF-8. JavaScript's own order and length count UTF-16 code units, which differ from
 * UTF-8's for characters above U+FFFF, so nothing in the model uses `<` or `.length` on a user's text.
 *
 * A lone surrogate has no UTF-8 form. Requests may still carry one (`"\ud800"` is legal JSON), and every UTF-8
 * encoder writes U+FFFD for it. The model puts U+FFFD in its place when the value comes in, so that two texts are
 * equal exactly when their stored bytes are. What the real service does with one is not known.
 */

declare global {
  // In Node since version 20; the library version that the compiler is set to does not list them yet.
  interface String {
    isWellFormed(): boolean;
    toWellFormed(): string;
  }
}

const encoder = new TextEncoder();
const shortUnits = 64;
// Without `ignoreBOM` the decoder would swallow a leading U+FEFF, which is an ordinary character of a key here.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Keys are mostly short ASCII, which is quicker to copy than to hand to the encoder. */
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

/** Writes a text of which `utf8Length` told how much room it needs; answers where it ends. */
export function writeUtf8(text: string, bytes: Uint8Array, at: number): number {
  const length = text.length;
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) return at + encoder.encodeInto(text, bytes.subarray(at)).written;
    bytes[at + i] = unit;
  }
  return at + length;
}

/** Throws on bytes that are not UTF-8: the model decodes only what it encoded. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** The number of bytes of a text in UTF-8, a lone surrogate counting as U+FFFD. */
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
    // A pair is four bytes for two units; a lone surrogate is three bytes for one, like any unit up here.
    if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(i + 1))) i++;
  }
  return length;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/**
 * The order of two well-formed texts by their UTF-8 bytes. It is the order of code units, except that surrogates
 * (characters from U+10000) stand above U+E000 … U+FFFF and not below.
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
