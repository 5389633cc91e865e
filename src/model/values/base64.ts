/**
 * Base64 with padding, in its one canonical spelling: two texts are equal exactly if their bytes are. The model has
 * its own codec because it runs wherever JavaScript does, and because Node's codec accepts almost anything.
 */

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const padding = 0x3d;
const notInAlphabet = 0xff;

const unitOf = Uint8Array.from(alphabet, (character) => character.charCodeAt(0));
const sextetOf = new Uint8Array(128).fill(notInAlphabet);
for (let sextet = 0; sextet < 64; sextet++) sextetOf[unitOf[sextet]!] = sextet;

const asciiDecoder = new TextDecoder();

export function encodeBase64(bytes: Uint8Array): string {
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  const whole = bytes.length - (bytes.length % 3);
  let at = 0;
  for (let i = 0; i < whole; i += 3) {
    const group = (bytes[i]! << 16) | (bytes[i + 1]! << 8) | bytes[i + 2]!;
    text[at++] = unitOf[group >> 18]!;
    text[at++] = unitOf[(group >> 12) & 63]!;
    text[at++] = unitOf[(group >> 6) & 63]!;
    text[at++] = unitOf[group & 63]!;
  }
  if (whole < bytes.length) {
    const two = whole + 1 < bytes.length;
    const group = (bytes[whole]! << 16) | (two ? bytes[whole + 1]! << 8 : 0);
    text[at++] = unitOf[group >> 18]!;
    text[at++] = unitOf[(group >> 12) & 63]!;
    text[at++] = two ? unitOf[(group >> 6) & 63]! : padding;
    text[at++] = padding;
  }
  return asciiDecoder.decode(text);
}

/** Tells whether a text is base64 as `encodeBase64` writes it: padded, and without stray bits before the padding. */
export function isBase64(text: string): boolean {
  const length = text.length;
  if (length % 4 !== 0) return false;
  const digits = length - paddingLength(text);
  for (let i = 0; i < digits; i++) if (sextetAt(text, i) === notInAlphabet) return false;
  if (digits === length) return true;
  const strayBits = length - digits === 2 ? 0b1111 : 0b11;
  return (sextetAt(text, digits - 1) & strayBits) === 0;
}

/** The bytes of a text for which `isBase64` holds. */
export function decodeBase64(text: string): Uint8Array {
  const bytes = new Uint8Array(base64Bytes(text));
  let at = 0;
  for (let i = 0; i < text.length; i += 4) {
    const group =
      (sextetAt(text, i) << 18) |
      (sextetAt(text, i + 1) << 12) |
      ((sextetAt(text, i + 2) & 63) << 6) |
      (sextetAt(text, i + 3) & 63);
    // The array ignores writes beyond its end, where the padding would be.
    bytes[at++] = group >> 16;
    bytes[at++] = group >> 8;
    bytes[at++] = group;
  }
  return bytes;
}

/** The number of bytes that a base64 text encodes. */
export function base64Bytes(text: string): number {
  return (text.length / 4) * 3 - paddingLength(text);
}

function sextetAt(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit < 128 ? sextetOf[unit]! : notInAlphabet;
}

function paddingLength(text: string): number {
  if (text.charCodeAt(text.length - 1) !== padding) return 0;
  return text.charCodeAt(text.length - 2) === padding ? 2 : 1;
}
