import { DynamoError } from '../../model/errors.ts';
import { nowMs } from '../../runtime/clock.ts';
import type { Store } from '../../storage/store.ts';
import type { Background } from '../background/background-worker.ts';
import type { Scope } from '../store-keys.ts';
import { entryPrefix } from '../store-keys.ts';
import type { Catalogue } from '../tables/catalogue.ts';
import type { TableRecord } from '../tables/table-record.ts';
import { beginEra, endIdleHistory } from './eras.ts';
import { historyPlace } from './history-keys.ts';
import type { PastSource } from './past-pages.ts';
import { trustedNowMs } from './trusted-time.ts';

interface RecoveryDeps {
  readonly store: Store;
  readonly catalogue: Catalogue;
}

/** Refuses a change of a table, or undefined. */
export type RecoveryRefusal = (record: TableRecord | undefined) => DynamoError | undefined;

/** The bounds of what can be restored, in milliseconds. */
export interface RestorableWindow {
  readonly earliestMs: number;
  readonly latestMs: number;
}

/** Point-in-time recovery of tables. */
export class PointInTimeRecovery {
  readonly #deps: RecoveryDeps;
  readonly #background: Background;

  constructor(deps: RecoveryDeps, background: Background) {
    this.#deps = deps;
    this.#background = background;
  }

  /** Switches recovery on, or changes its period. Answers the record, or the refusal. */
  async enable(
    scope: Scope,
    tableName: string,
    periodDays: number | undefined,
    refusal: RecoveryRefusal,
  ): Promise<TableRecord | DynamoError> {
    const { store, catalogue } = this.#deps;
    const { clock } = this.#background;
    const trustedMs = await trustedNowMs(store, this.#background);
    return catalogue.change(scope, tableName, (current) => {
      const refused = refusal(current);
      if (refused !== undefined) return refused;
      const record = current!;
      const days = periodDays ?? defaultPeriodDays;
      if (record.recovery === undefined) {
        // Every write of the new era leaves the image that it replaces.
        const { put, also } = beginEra(record, scope, clock.nowMicros());
        const { era, beganMicros } = put.order!;
        const recovery = { since: Math.floor(beganMicros / 1000), era, periodDays: days };
        return { put: { ...put, recovery }, also };
      }
      // A longer period brings back nothing that the shorter one let go. A clock that is wrong lets nothing go.
      const earlierMs = Math.min(nowMs(clock), trustedMs);
      const { earliestMs: since } = restorableWindow(record, earlierMs, 0)!;
      return { put: { ...record, recovery: { ...record.recovery, since, periodDays: days } } };
    });
  }

  /** Switches recovery off. What it kept is gone. */
  async disable(
    scope: Scope,
    tableName: string,
    refusal: RecoveryRefusal,
  ): Promise<TableRecord | DynamoError> {
    return this.#deps.catalogue.change(scope, tableName, (current) => {
      const refused = refusal(current);
      if (refused !== undefined) return refused;
      const { recovery, ...rest } = current!;
      return recovery === undefined ? { put: current! } : endIdleHistory(rest);
    });
  }
}

/**
 * The window of a table's recovery, at a time. `lagMs` is how far the latest time trails behind. After a clock went
 * back it is not before that: the time before would mean the state of long ago.
 */
export function restorableWindow(
  { recovery, order }: Pick<TableRecord, 'recovery' | 'order'>,
  nowMs: number,
  lagMs: number,
): RestorableWindow | undefined {
  if (recovery === undefined) return undefined;
  const { since, periodDays } = recovery;
  return {
    earliestMs: Math.max(since, nowMs - periodDays * 86_400_000),
    latestMs: Math.max(since, Math.min(nowMs, Math.max(nowMs - lagMs, order?.steppedMs ?? 0))),
  };
}

/** The refusal of a table whose past is not kept. */
export function recoveryUnavailable(tableName: string): DynamoError {
  return new DynamoError(
    'PointInTimeRecoveryUnavailableException',
    `Point in time recovery is not enabled for table '${tableName}'`,
  );
}

/** The refusal of a time that is not within the window. */
export function invalidRestoreTime(ms: number, { earliestMs, latestMs }: RestorableWindow): DynamoError {
  return new DynamoError(
    'InvalidRestoreTimeException',
    `RestoreDateTime '${timeText(ms)}' must be within EarliestRestorableDateTime '${timeText(earliestMs)}' and ` +
      `LatestRestorableDateTime '${timeText(latestMs)}'`,
  );
}

/** The text of a time in these errors has no fraction (observed: public captures, October 2026): `2026-10-06T23:16:32Z`. */
function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Where the past of a table is read from. */
export function pastSource({ storageId, history }: Pick<TableRecord, 'storageId' | 'history'>): PastSource {
  return {
    itemPrefix: entryPrefix(storageId, 0),
    history: history && historyPlace(storageId, history.slot),
  };
}

const defaultPeriodDays = 35;
