import { type ItemJson, PatternError } from './requests.ts';

/** Where each of the parallel queries goes on: behind a key, from its beginning, or nowhere because it has ended. */
export type Position = ItemJson | 'start' | 'end';

interface Written {
  readonly v: 1;
  readonly pattern: string;
  /** Which values the page belongs to, so that a cursor is not used with others. */
  readonly given: number;
  readonly at: readonly Position[];
}

const utf8 = new TextEncoder();

/** One opaque text for all positions. */
export function writeCursor(pattern: string, given: string, at: readonly Position[]): string {
  const written: Written = { v: 1, pattern, given: fingerprint(given), at };
  const bytes = utf8.encode(JSON.stringify(written));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export function readCursor(
  pattern: string,
  given: string,
  lanes: number,
  cursor: string,
): readonly Position[] {
  let read: Written;
  try {
    const binary = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'));
    read = JSON.parse(
      new TextDecoder().decode(Uint8Array.from(binary, (one) => one.charCodeAt(0))),
    ) as Written;
  } catch {
    throw new PatternError(pattern, 'the cursor is not one that an earlier page gave');
  }
  if (read?.v !== 1 || !Array.isArray(read.at))
    throw new PatternError(pattern, 'the cursor is not one that an earlier page gave');
  if (read.pattern !== pattern || read.given !== fingerprint(given))
    throw new PatternError(pattern, 'the cursor belongs to a page of another pattern or of other values');
  if (read.at.length !== lanes)
    throw new PatternError(
      pattern,
      `the cursor has ${read.at.length} positions, but there are ${lanes} shards`,
    );
  return read.at;
}

/** A short number for a long text. */
export function fingerprint(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}
