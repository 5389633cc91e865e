import { isUtf8 } from 'node:buffer';

/** What {@link parseJsonBody} answers for bytes that are not JSON; JSON itself has no symbols. */
export const unparsable = Symbol('not JSON');

/**
 * How deep a body may be nested. AttributeValues of 32 levels, the deepest that DynamoDB stores, take about 70
 * levels of JSON; deeper ones must still reach the operation, which has its own text for them. Past this limit,
 * which is the one the usual JSON parser of the JVM has, nobody has seen what the service answers, and we treat
 * the body as unparsable: later stages may then recurse over a request without looking out for the stack.
 */
export const jsonDepthMax = 1000;

/**
 * Parses a request body. Duplicate keys: the last one counts, as JSON.parse has it. A key `__proto__` becomes an
 * own property like any other. V8 parses without recursion, so deep nesting cannot overflow its stack, but 16 MB
 * of `[` keep it busy for two seconds and half a gigabyte, which is why depth is measured first.
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  // Bytes that are not UTF-8 are refused like any other that are not JSON; replacing them by U+FFFD would store
  // something the client never sent.
  if (!isUtf8(bytes)) return unparsable;
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString('utf8');
  if (bytes.length > jsonDepthMax && opensMany(text) && isTooDeep(bytes)) return unparsable;
  try {
    return JSON.parse(text);
  } catch {
    return unparsable;
  }
}

/**
 * Whether there are more opening brackets than may be nested, inside strings or not. Most bodies have a few dozen,
 * and to hop from one to the next takes a fraction of the time that looking at every byte does.
 */
function opensMany(text: string): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (++count > jsonDepthMax) return true;
    }
  }
  return false;
}

const quote = 0x22;
const backslash = 0x5c;
/** `[` and `{`, and likewise `]` and `}`, differ in this one bit. */
const bracketCase = 0x20;

/** Brackets inside strings do not nest. The bytes need not be JSON: the answer is then of no consequence. */
function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  const length = bytes.length;
  for (let index = 0; index < length; index++) {
    const byte = bytes[index]!;
    if (byte === quote) {
      index++;
      while (index < length && bytes[index] !== quote) index += bytes[index] === backslash ? 2 : 1;
    } else if ((byte | bracketCase) === 0x7b) {
      if (++depth > jsonDepthMax) return true;
    } else if ((byte | bracketCase) === 0x7d) {
      depth--;
    }
  }
  return false;
}
