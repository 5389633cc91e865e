import { readHeader } from '../../model/stored/stored-item.ts';
import { equalBytes } from '../../model/values/bytes.ts';
import type { Store } from '../../storage/store.ts';
import { lastEndBy } from './past-item.ts';
import { type PastSource, readPastPage } from './past-pages.ts';

/** What became of an item between two times: at least one of both states is there. */
export interface ChangeBetween {
  /** The key under which the item is stored. */
  readonly key: Uint8Array;
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
  /** The time of the last write by the second time, in microseconds. */
  readonly writtenMicros: number;
}

export interface ChangesPage {
  readonly changes: readonly ChangeBetween[];
  /** Where to go on; undefined at the end. */
  readonly next: Uint8Array | undefined;
  /** The number of items and old images that were looked at. */
  readonly entriesRead: number;
}

/**
 * The items that were written between two times and existed at one of them at least, in the order of their keys: "the
 * changes between t1 and t2" of `stator diff` and of incremental exports. An item that came and went in between is
 * left out. One that was written but is the same again is not: `before` and `after` then have equal JSON.
 */
export async function readChangesPage(
  store: Store,
  source: PastSource,
  { fromMicros, toMicros }: { readonly fromMicros: number; readonly toMicros: number },
  from: Uint8Array = source.itemPrefix,
  to?: Uint8Array,
): Promise<ChangesPage> {
  const { items, next, entriesRead } = await readPastPage(store, source, {
    bounds: { from, to, reverse: false },
    times: [fromMicros, toMicros],
    ...pageLimits,
  });
  const changes: ChangeBetween[] = [];
  for (const { key, states } of items) {
    const [before, after] = states;
    if (before !== undefined && after !== undefined && equalBytes(before, after)) continue;
    const writtenMicros =
      after === undefined
        ? ((await lastEndBy(store, source, key, fromMicros, toMicros)) ?? toMicros)
        : readHeader(after).writtenMicros;
    changes.push({ key, before, after, writtenMicros });
  }
  return { changes, next, entriesRead };
}

const pageLimits = { limit: 200, maxBytes: 1024 * 1024 };
