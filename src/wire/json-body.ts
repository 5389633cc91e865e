import { isUtf8 } from 'node:buffer';
import { quote } from '../model/json/json-marks.ts';
import { JsonReader } from '../model/json/json-reader.ts';
import { behindString, parseJson } from '../model/json/parse-json.ts';

/** What {@link JsonBodies} answers for bytes that are not JSON; JSON itself has no symbols. */
export const unparsable = Symbol('not JSON');

/**
 * How deep a body may be nested. AttributeValues of 32 levels, the deepest that DynamoDB stores, take about 70
 * levels of JSON; deeper ones must still reach the operation, which has its own text for them. Past this limit,
 * which is the one the usual JSON parser of the JVM has, nobody has seen what the service answers, and we treat
 * the body as unparsable: later stages may then recurse over a request without looking out for the stack.
 */
export const jsonDepthMax = 1000;

/** The reader's strings keep the whole body alive: whoever keeps one of them by mistake keeps no more than this. */
const shortBodyMax = 64 * 1024;

/** Reads the bodies of requests, which come one after the other and are much alike. */
export class JsonBodies {
  readonly #reader = new JsonReader({
    latin1: (bytes, start, end) => Buffer.prototype.latin1Slice.call(bytes, start, end),
    utf8: (bytes, start, end) => Buffer.prototype.utf8Slice.call(bytes, start, end),
  });

  parse(body: Uint8Array | string): unknown {
    if (typeof body === 'string' || body.length > shortBodyMax) return parseJsonBody(body);
    try {
      return this.#reader.read(body);
    } catch {
      return parseJsonBody(body);
    }
  }
}

/**
 * Parses a request body. Duplicate keys: the last one counts, as JSON.parse has it. A key `__proto__` becomes an
 * own property like any other. V8 parses without recursion, so deep nesting cannot overflow its stack, but 16 MB
 * of `[` keep it busy for two seconds and half a gigabyte, which is why depth is measured first.
 */
function parseJsonBody(body: Uint8Array | string): unknown {
  const text = typeof body === 'string' ? body : textOf(body);
  if (text === undefined) return unparsable;
  if (text.length > jsonDepthMax && opensMany(text) && isTooDeep(text)) return unparsable;
  try {
    return parseJson(text);
  } catch {
    return unparsable;
  }
}

/**
 * Undefined for bytes that are not UTF-8. They are refused like any other that are not JSON; replacing them by U+FFFD
 * would store something the client never sent.
 */
function textOf(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes) ? Buffer.prototype.utf8Slice.call(bytes, 0, bytes.length) : undefined;
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

/** `[` and `{`, and likewise `]` and `}`, differ in this one bit. */
const bracketCase = 0x20;

/** Brackets inside strings do not nest. The text need not be JSON: the answer is then of no consequence. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  const length = text.length;
  for (let index = 0; index < length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === quote) {
      index = behindString(text, index + 1) - 1;
    } else if ((unit | bracketCase) === 0x7b) {
      if (++depth > jsonDepthMax) return true;
    } else if ((unit | bracketCase) === 0x7d) {
      depth--;
    }
  }
  return false;
}
