import { call, control } from './api.ts';
import { region } from './connection.ts';
import type { Change, JsonItem } from './stream-feed.ts';

/** What point-in-time recovery of a table reaches. */
export interface Recovery {
  readonly isOn: boolean;
  readonly fromMs: number;
  readonly toMs: number;
}

export async function readRecovery(table: string, signal?: AbortSignal): Promise<Recovery> {
  const { ContinuousBackupsDescription: told } = await call<{
    ContinuousBackupsDescription: {
      PointInTimeRecoveryDescription?: {
        PointInTimeRecoveryStatus: string;
        EarliestRestorableDateTime?: number;
        LatestRestorableDateTime?: number;
      };
    };
  }>('DescribeContinuousBackups', { TableName: table }, { signal });
  const found = told.PointInTimeRecoveryDescription;
  return {
    isOn: found?.PointInTimeRecoveryStatus === 'ENABLED',
    fromMs: (found?.EarliestRestorableDateTime ?? 0) * 1_000,
    toMs: (found?.LatestRestorableDateTime ?? 0) * 1_000,
  };
}

export async function switchRecoveryOn(table: string): Promise<void> {
  await call('UpdateContinuousBackups', {
    TableName: table,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  });
}

export interface ChangesSince {
  /** Latest write first; of very many the first that were found. */
  readonly changes: readonly Change[];
  /** How many items are different, listed or not. */
  readonly count: number;
  /** How many items were compared so far. */
  readonly looked: number;
}

/** So many changes are kept in the page. */
const changesMax = 20_000;
/** Progress is drawn a few times a second. */
const drawnMs = 250;

/**
 * The items that are different now from what they were. Reads to the end, page after page, and tells on its way how far it
 * is; what it answers is whole.
 */
export async function changesSince(
  table: string,
  fromMs: number,
  progress: (sofar: ChangesSince) => void,
  signal?: AbortSignal,
): Promise<ChangesSince> {
  const query = new URLSearchParams({ from: String(Math.round(fromMs)), region: region.value });
  const found: Change[] = [];
  let [count, looked, drawnAtMs] = [0, 0, performance.now()];
  for (;;) {
    const page = await control<ChangesAnswer>(
      'GET',
      `changes/${encodeURIComponent(table)}?${query}`,
      undefined,
      signal,
    );
    count += page.changes.length;
    looked += page.looked;
    for (const one of page.changes)
      if (found.length < changesMax)
        found.push({
          ...{ id: JSON.stringify(one.keys), shardId: '', kind: one.event, isExpiry: false },
          ...{ atMs: Date.parse(one.at), keys: one.keys, before: one.before, after: one.after },
        });
    const isDrawn = page.next === undefined || performance.now() - drawnAtMs >= drawnMs;
    if (isDrawn) {
      drawnAtMs = performance.now();
      const sofar = { changes: found.toSorted((a, b) => b.atMs - a.atMs), count, looked };
      if (page.next === undefined) return sofar;
      progress(sofar);
    }
    query.set('after', page.next!);
    // The next page compares the same two times.
    if (page.to !== undefined) query.set('to', page.to);
  }
}

interface ChangesAnswer {
  readonly changes: readonly {
    readonly event: Change['kind'];
    readonly keys: JsonItem;
    readonly before?: JsonItem;
    readonly after?: JsonItem;
    readonly at: string;
  }[];
  readonly looked: number;
  readonly next?: string;
  readonly to?: string;
}

export interface Version {
  readonly fromMs: number;
  /** Undefined for the version of now. */
  readonly toMs: number | undefined;
  readonly item: JsonItem;
}

/** All versions of an item that recovery keeps, newest first. */
export async function versionsOf(
  table: string,
  key: JsonItem,
  signal?: AbortSignal,
): Promise<readonly Version[]> {
  const { versions } = await control<{ versions: readonly { from: string; to?: string; item: JsonItem }[] }>(
    'POST',
    `changes/${encodeURIComponent(table)}?region=${encodeURIComponent(region.value)}`,
    { Key: key },
    signal,
  );
  return versions.map(({ from, to, item }) => ({
    fromMs: Date.parse(from),
    toMs: to === undefined ? undefined : Date.parse(to),
    item,
  }));
}

/** A collection as it was. */
export async function collectionAt(
  table: string,
  timeMs: number,
  query: object,
  signal?: AbortSignal,
): Promise<readonly JsonItem[]> {
  const { Items = [] } = await control<{ Items?: readonly JsonItem[] }>(
    'POST',
    `at/${encodeURIComponent(table)}?time=${Math.round(timeMs)}&region=${encodeURIComponent(region.value)}`,
    { Query: query },
    signal,
  );
  return Items;
}
