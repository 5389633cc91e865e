/** One JSON value of a text, as bytes. */
export interface JsonText {
  /** The line on which the value begins, counted from one. */
  readonly line: number;
  readonly bytes: Uint8Array;
  /** True for a value over the limit; `bytes` then holds only its beginning. */
  readonly isTooLong: boolean;
}

/**
 * Cuts a stream of bytes into the JSON values that stand in it one after the other; a page has the values that end in
 * one chunk. An object or list ends with its last bracket, so that values may share a line or take several; anything
 * else ends with its line. The contents are left to the parser. Memory stays bounded: of a value over `bytesMax` only
 * the beginning is kept.
 */
export async function* jsonValues(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<JsonText[]> {
  const cutter = new ValueCutter(bytesMax);
  for await (const chunk of chunks) {
    const page = cutter.push(chunk);
    if (page.length > 0) yield page;
  }
  const last = cutter.end();
  if (last !== undefined) yield [last];
}

type State = 'between' | 'bare' | 'nested' | 'string' | 'escape';

class ValueCutter {
  readonly #bytesMax: number;
  #state: State = 'between';
  /** Open brackets around the next byte. */
  #depth = 0;
  #line = 1;
  #begunOnLine = 1;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  push(chunk: Uint8Array): JsonText[] {
    const page: JsonText[] = [];
    let from = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (this.#state === 'between' && !isBlank(byte)) {
        from = i;
        this.#begunOnLine = this.#line;
      }
      if (this.#isLast(byte)) {
        this.#keep(chunk.subarray(from, byte === lineFeed ? i : i + 1));
        page.push(this.#value());
      }
      if (byte === lineFeed) this.#line++;
    }
    // The chunk may be a view of a buffer that its source uses again.
    if (this.#state !== 'between') this.#keep(chunk.slice(from));
    return page;
  }

  /** What is left of the text, if it ends within a value. */
  end(): JsonText | undefined {
    return this.#state === 'between' ? undefined : this.#value();
  }

  /** Takes the next byte; tells whether a value ends with it. */
  #isLast(byte: number): boolean {
    switch (this.#state) {
      case 'between':
        if (isBlank(byte)) return false;
        this.#state = isOpening(byte) ? 'nested' : 'bare';
        this.#depth = 1;
        return false;
      case 'bare':
        return byte === lineFeed;
      case 'nested':
        if (byte === quote) this.#state = 'string';
        else if (isOpening(byte)) this.#depth++;
        else if (isClosing(byte)) this.#depth--;
        return this.#depth === 0;
      case 'string':
        if (byte === backslash) this.#state = 'escape';
        else if (byte === quote) this.#state = 'nested';
        return false;
      case 'escape':
        this.#state = 'string';
        return false;
    }
  }

  #keep(part: Uint8Array): void {
    const room = this.#bytesMax + 1 - this.#bytes;
    this.#bytes += part.length;
    if (room > 0) this.#parts.push(part.subarray(0, room));
  }

  #value(): JsonText {
    const value = {
      line: this.#begunOnLine,
      bytes: joinedBytes(this.#parts),
      isTooLong: this.#bytes > this.#bytesMax,
    };
    this.#state = 'between';
    this.#parts = [];
    this.#bytes = 0;
    return value;
  }
}

const lineFeed = 0x0a;
const quote = 0x22;
const backslash = 0x5c;

/** The blanks of JSON. */
function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === lineFeed || byte === 0x0d || byte === 0x09;
}

function isOpening(byte: number): boolean {
  return byte === 0x7b || byte === 0x5b;
}

function isClosing(byte: number): boolean {
  return byte === 0x7d || byte === 0x5d;
}

function joinedBytes(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
