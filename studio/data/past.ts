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

export interface ChangesPage {
  readonly changes: readonly Change[];
  readonly next: string | undefined;
}

/** The items that are different now from what they were, latest write first within the page. */
export async function changesSince(
  table: string,
  fromMs: number,
  after: string | undefined,
  signal?: AbortSignal,
): Promise<ChangesPage> {
  const query = new URLSearchParams({ from: String(Math.round(fromMs)), region: region.value });
  if (after !== undefined) query.set('after', after);
  const { changes, next } = await control<{
    changes: readonly {
      event: Change['kind'];
      keys: JsonItem;
      before?: JsonItem;
      after?: JsonItem;
      at: string;
    }[];
    next?: string;
  }>('GET', `changes/${encodeURIComponent(table)}?${query}`, undefined, signal);
  const told = changes.map(
    (one): Change => ({
      ...{ id: JSON.stringify(one.keys), shardId: '', kind: one.event, isExpiry: false },
      ...{ atMs: Date.parse(one.at), keys: one.keys, before: one.before, after: one.after },
    }),
  );
  return { changes: told.sort((a, b) => b.atMs - a.atMs), next };
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
