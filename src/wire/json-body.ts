import { isUtf8 } from 'node:buffer';
import { quote } from '../model/json/json-marks.ts';
import { JsonReader } from '../model/json/json-reader.ts';
import { behindString, parseJson } from '../model/json/parse-json.ts';
import { jsonShape, withoutSpace } from './json-density.ts';
import { WireWork } from './wire-work.ts';

/** The result for bytes that are not JSON. It is a symbol because no JSON value is one. */
export const unparsable = Symbol('not JSON');

/**
 * The nesting limit of a body. DynamoDB stores AttributeValues of up to 32 levels, which take about 70 levels of JSON.
 * Deeper values must still reach the operation, which has its own error text. This limit is the one of the usual JSON
 * parser of the JVM (inferred). A body past it counts as unparsable (guess), so later stages may recurse over a request
 * without checking the stack.
 */
export const jsonDepthMax = 1000;

/**
 * The longest body that the reader parses. Its strings keep the whole body alive, so code that keeps one of them by
 * mistake keeps at most this much.
 */
const shortBodyMax = 64 * 1024;

/** Parses request bodies. Bodies that follow each other are much alike, and the reader learns from them. */
export class JsonBodies {
  readonly #work: WireWork;
  readonly #reader = new JsonReader({
    latin1: (bytes, start, end) => Buffer.prototype.latin1Slice.call(bytes, start, end),
    utf8: (bytes, start, end) => Buffer.prototype.utf8Slice.call(bytes, start, end),
  });

  constructor(work = new WireWork()) {
    this.#work = work;
  }

  parse(body: Uint8Array | string): unknown {
    if (typeof body === 'string') return parseJsonText(body);
    const shape = body.length <= shortBodyMax ? 'short' : jsonShape(body, jsonDepthMax);
    if (shape === 'too dense') return unparsable;
    this.#work.jsonBytesParsed += body.length;
    if (shape === 'many shapes') return this.#manyShapes(body);
    if (shape === 'short') {
      try {
        return this.#reader.read(body);
      } catch {
        // The reader does not know every spelling.
      }
    }
    const text = textOf(body);
    return text === undefined ? unparsable : parseJsonText(text);
  }

  /** The reader makes dictionaries of objects whose names it cannot foresee. It only knows JSON without white space. */
  #manyShapes(body: Uint8Array): unknown {
    if (!isUtf8(body)) return unparsable;
    try {
      return this.#reader.read(withoutSpace(body));
    } catch {
      return unparsable;
    }
  }
}

/**
 * Parses the text of a body. If a key is repeated, the last one counts, as in `JSON.parse`. A key `__proto__` becomes an
 * own property like any other. V8 parses without recursion, so deep nesting cannot overflow its stack. But 16 MB of
 * `[` take it two seconds and half a gigabyte, so the depth is measured first.
 */
function parseJsonText(text: string): unknown {
  if (text.length > jsonDepthMax && opensMany(text) && isTooDeep(text)) return unparsable;
  try {
    return parseJson(text);
  } catch {
    return unparsable;
  }
}

/**
 * Decodes UTF-8. Returns undefined for other bytes: they are refused like any other body that is not JSON. Replacing
 * them by U+FFFD would store something the client never sent.
 */
function textOf(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes) ? Buffer.prototype.utf8Slice.call(bytes, 0, bytes.length) : undefined;
}

/**
 * Tells whether a text has more opening brackets than the nesting limit, inside strings or not. Most bodies have a
 * few dozen, and jumping from one to the next takes a fraction of the time of looking at every byte.
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

/** The one bit in which `[` and `{` differ, and likewise `]` and `}`. */
const bracketCase = 0x20;

/**
 * Tells whether a text is nested too deeply. Brackets inside strings do not count. If the text is not JSON, the
 * result does not matter.
 */
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
