/** One line of a text, without its line break. */
export interface TextLine {
  /** Counted from one. */
  readonly number: number;
  readonly bytes: Uint8Array;
  /** True for a line over the limit; `bytes` then holds only its beginning. */
  readonly isTooLong: boolean;
}

/**
 * Cuts a stream of bytes into lines; a page has the lines that end in one chunk. A line ends with a line feed, or at the end of the stream; a carriage return before
 * it belongs to the break. Memory stays bounded: of a line over `bytesMax` only the beginning is kept.
 */
export async function* textLines(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<TextLine[]> {
  let rest: Uint8Array[] = [];
  let restBytes = 0;
  let number = 1;
  const keep = (part: Uint8Array) => {
    const room = bytesMax + 1 - restBytes;
    restBytes += part.length;
    if (room > 0) rest.push(part.subarray(0, room));
  };
  const line = (): TextLine => {
    const isTooLong = restBytes > bytesMax;
    const joined = joinedBytes(rest);
    const ended = joined.at(-1) === carriageReturn ? joined.subarray(0, -1) : joined;
    rest = [];
    restBytes = 0;
    return { number: number++, bytes: ended, isTooLong };
  };
  for await (const chunk of chunks) {
    const page: TextLine[] = [];
    let from = 0;
    for (let to = chunk.indexOf(lineFeed); to !== -1; to = chunk.indexOf(lineFeed, from)) {
      keep(chunk.subarray(from, to));
      page.push(line());
      from = to + 1;
    }
    // The chunk may be a view of a buffer that its source uses again.
    if (from < chunk.length) keep(chunk.slice(from));
    if (page.length > 0) yield page;
  }
  if (restBytes > 0) yield [line()];
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

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
