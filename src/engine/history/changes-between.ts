import { readHeader } from '../../model/stored/stored-item.ts';
import { equalBytes } from '../../model/values/bytes.ts';
import type { Store } from '../../storage/store.ts';
import { lastEndBetween } from './past-item.ts';
import { type PastSource, readPastPage } from './past-pages.ts';
import type { Cut } from './stamp.ts';

/** What became of an item between two cuts: at least one of both states is there. */
export interface ChangeBetween {
  /** The key under which the item is stored. */
  readonly key: Uint8Array;
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
  /** The time of the last write by the second cut, in microseconds. */
  readonly writtenMicros: number;
}

/** Two cuts, the earlier one first. */
export interface CutWindow {
  readonly from: Cut;
  readonly to: Cut;
}

export interface ChangesPage {
  readonly changes: readonly ChangeBetween[];
  /** Where to go on; undefined at the end. */
  readonly next: Uint8Array | undefined;
  /** The number of items and old images that were looked at. */
  readonly entriesRead: number;
  /** The number of items that were compared. */
  readonly itemsRead: number;
}

/**
 * The items that were written between two cuts and existed at one of them at least, in the order of their keys: "the
 * changes between t1 and t2" of `stator diff` and of incremental exports. An item that came and went in between is
 * left out. One that was written but is the same again is not: `before` and `after` then have equal JSON.
 */
export async function readChangesPage(
  store: Store,
  source: PastSource,
  window: CutWindow,
  from: Uint8Array = source.itemPrefix,
  to?: Uint8Array,
): Promise<ChangesPage> {
  const { items, next, entriesRead } = await readPastPage(store, source, {
    bounds: { from, to, reverse: false },
    cuts: [window.from, window.to],
    ...pageLimits,
  });
  const changes: ChangeBetween[] = [];
  for (const { key, states } of items) {
    const [before, after] = states;
    if (before !== undefined && after !== undefined && equalBytes(before, after)) continue;
    const writtenMicros =
      after === undefined
        ? ((await lastEndBetween(store, source, key, window.from, window.to)) ?? window.to).micros
        : readHeader(after).writtenMicros;
    changes.push({ key, before, after, writtenMicros });
  }
  return { changes, next, entriesRead, itemsRead: items.length };
}

const pageLimits = { limit: 200, maxBytes: 1024 * 1024 };
