import type { Hash16 } from '../model/keys/keys.ts';
import type { Store } from '../storage/store.ts';
import type { Background } from './background/background-worker.ts';
import { Backups } from './backups/backups.ts';
import { EraWatch } from './history/era-watch.ts';
import { HistoryKeeper } from './history/history-keeper.ts';
import { PointInTimeRecovery } from './history/recovery.ts';
import type { Randomness } from './randomness.ts';
import type { Catalogue } from './tables/catalogue.ts';

interface PastDeps {
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly random: Randomness;
  readonly h16: Hash16;
  /** Called when entries of a dropped table, index or history can be removed. */
  readonly dropped: () => void;
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
    this.keeper = new HistoryKeeper({ ...deps, ended: deps.dropped }, background);
    this.backups = new Backups({ ...deps, clock, eras: this.eras }, background);
  }

  /** Resumes the work of an earlier process. */
  resume(): void {
    this.keeper.wake();
    this.backups.jobs.start();
  }

  /** Resumes the work of the database that this one is a fork of. */
  resumeFork(): void {
    this.keeper.wakeIfAny();
    this.backups.jobs.startIfAny();
  }

  /** Leaves notes for the next process. */
  leave(): Promise<void> {
    return this.eras.leave();
  }

  async settled(): Promise<void> {
    await this.backups.jobs.settled();
    await this.keeper.settled();
  }
}
