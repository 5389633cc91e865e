import type { Hash16 } from '../model/keys/keys.ts';
import type { Randomness } from '../runtime/randomness.ts';
import type { Store } from '../storage/store.ts';
import type { Background } from './background/background-worker.ts';
import { Backups } from './backups/backups.ts';
import { EraWatch } from './history/era-watch.ts';
import { HistoryKeeper } from './history/history-keeper.ts';
import { PointInTimeRecovery } from './history/recovery.ts';
import type { Catalogue } from './tables/catalogue.ts';

interface PastDeps {
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly random: Randomness;
  readonly h16: Hash16;
  /** Wakes the runner of jobs: there is a new one, or entries of a dropped table can be removed. */
  readonly begun: () => void;
}

/** Everything of an engine that concerns the past of tables. */
export class Past {
  readonly eras: EraWatch;
  readonly recovery: PointInTimeRecovery;
  readonly keeper: HistoryKeeper;
  readonly backups: Backups;

  constructor(deps: PastDeps, background: Background) {
    const { clock } = background;
    const isLasting = !deps.store.immediate;
    this.eras = new EraWatch({ catalogue: deps.catalogue, isLasting }, background);
    this.recovery = new PointInTimeRecovery(deps, background);
    this.keeper = new HistoryKeeper({ ...deps, ended: deps.begun }, background);
    this.backups = new Backups({ ...deps, clock, eras: this.eras }, background);
  }

  /** Leaves notes for the next process. */
  leave(): Promise<void> {
    return this.eras.leave();
  }
}
