import { DynamoError } from '../../model/errors.ts';
import { nowMs } from '../../runtime/clock.ts';
import type { Store } from '../../storage/store.ts';
import { Engine, type EngineOptions } from '../engine.ts';
import type { Restrict } from '../gates.ts';
import { invalidRestoreTime, recoveryUnavailable, restorableWindow } from './recovery.ts';
import { StoreAt } from './store-at.ts';

/** What an engine of the past takes over from that of the present. */
export interface PastEngineOptions extends Pick<EngineOptions, 'log'> {
  /** Makes an empty store in memory, for the entries of indexes. */
  readonly newStore: () => Store;
}

/**
 * An engine whose tables are as they were at a time, in milliseconds, within the window of their recovery. Everything but
 * reading is refused. It has no work in the background and need not be closed.
 */
export function pastEngine(
  present: Engine,
  atMs: number,
  { newStore, ...options }: PastEngineOptions,
): Engine {
  const { store, runtime, clock, h16, past } = present;
  const storeAt = new StoreAt({
    ...{ store, atMs, h16, newStore, eras: past.eras },
    turn: runtime.turn,
  });
  const restrict: Restrict = (operation, _, touches) => {
    if (readOperations.has(operation)) return undefined;
    return touches.map(({ access, scope, tableName }) => {
      if (access !== 'read') return new DynamoError('AccessDeniedException', 'The past can only be read.');
      const viewed = storeAt.tableOf(scope, tableName);
      const window = viewed && restorableWindow(viewed.record, nowMs(clock), 0);
      if (window === undefined) return recoveryUnavailable(tableName);
      return atMs < window.earliestMs || atMs > window.latestMs
        ? invalidRestoreTime(atMs, window)
        : undefined;
    });
  };
  const engine = new Engine({
    ...options,
    store: storeAt,
    // A clock that reports no moves: the view has nothing to do when the time passes.
    runtime: { ...runtime, clock: { nowMicros: () => clock.nowMicros() } },
    h16,
    physics: 'off',
    restrict,
  });
  // Nobody may split the change log of the past.
  engine.capacity.onCut = undefined;
  return engine;
}

const readOperations = new Set(['DescribeTable', 'ListTables']);
