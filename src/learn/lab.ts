import type { CreateTableInput } from '../index.ts';
import { Stator, VirtualClock } from '../index.ts';
import { nextTurn } from '../runtime/machine/machine.ts';
import { type Caller, callerOf, type Halt } from './caller.ts';
import { Ledger } from './ledger.ts';

/** The moment at which every attempt begins, so that two attempts are alike. */
export const startMs = Date.UTC(2026, 5, 15, 9);

export interface LabOptions {
  readonly tables: readonly CreateTableInput[];
  /** `enforce` throttles as AWS would; `off` unless given. */
  readonly physics?: 'off' | 'enforce';
  /** Requests that the learner's code may make before it is stopped. */
  readonly requestsMax?: number;
}

/** A database on a clock that the judge moves, and the learner's way to it. */
export class Lab {
  readonly db: Stator;
  readonly clock: VirtualClock;
  /** The requests that went through `caller`. */
  readonly ledger = new Ledger();
  /** What the learner's functions get as `db`: the operations on items, metered. */
  readonly caller: Caller;

  private constructor(db: Stator, clock: VirtualClock, options: LabOptions, halt: Halt) {
    this.db = db;
    this.clock = clock;
    this.caller = callerOf(db, this.ledger, { requestsMax: options.requestsMax ?? 20_000, halt });
  }

  static async open(options: LabOptions, halt: Halt): Promise<Lab> {
    const clock = new VirtualClock(startMs);
    const { physics = 'off' } = options;
    // What an exercise is not about does not happen in it: reads are not stale and transactions do not collide by chance.
    const effects = {
      staleReads: false,
      indexLag: false,
      transactionConflicts: false,
      partitionSplits: false,
    };
    const db = await Stator.open({
      clock,
      seed: 1,
      physics: physics === 'off' ? 'off' : { mode: 'enforce', effects },
    });
    const lab = new Lab(db, clock, options, halt);
    for (const table of options.tables) await db.createTable(table);
    await lab.wait(60_000);
    return lab;
  }

  /** Moves the clock, and lets everything happen that is due. */
  async wait(ms: number): Promise<void> {
    this.clock.advanceMs(ms);
    await nextTurn();
  }

  /** What the learner's code calls to wait: the time passes at once. */
  readonly pause = async (ms: unknown): Promise<void> => {
    const asked = typeof ms === 'number' && Number.isFinite(ms) ? Math.max(0, ms) : 0;
    await this.wait(Math.min(asked, 3_600_000));
  };

  nowMs(): number {
    return this.db.nowMs();
  }

  async close(): Promise<void> {
    await this.db.close();
  }
}
