import { keyAfter } from '../../model/values/bytes.ts';
import type { Entry, Reader } from '../../storage/store.ts';

/** Bounds for the memory that a step of a check takes, whatever the sizes of items. */
export const pageLimits = { entries: 200, bytes: 1024 * 1024 } as const;

/** The entries of a range, page by page, in the one state that the reader has. */
export async function* pagesOf(
  reader: Reader,
  from: Uint8Array,
  to: Uint8Array | undefined,
): AsyncGenerator<readonly Entry[]> {
  for (let next = from; ; ) {
    const page = await reader.range({
      from: next,
      ...(to !== undefined && { to }),
      limit: pageLimits.entries,
      maxBytes: pageLimits.bytes,
    });
    if (page.entries.length > 0) yield page.entries;
    if (!page.more || page.entries.length === 0) return;
    next = keyAfter(page.entries[page.entries.length - 1]!.key);
  }
}
