import type { MigrationPlan, Phase, Step } from '../design/index.ts';
import type { MigrationCalls, MigrationSurroundings } from './migration-calls.ts';
import type { Upgrades } from './placed-items.ts';
import type { HistoryEntry, MigrationState } from './state-store.ts';
import type { Counts, PassProgress } from './table-pass.ts';

/** Options of a migration: calls, surroundings, rates, upgrades of items. */
export interface MigrationOptions {
  readonly calls: MigrationCalls;
  readonly surroundings: MigrationSurroundings;
  /** Who runs it, for others who find the lock taken. */
  readonly owner: string;
  /** Whether another runner is known to be dead, so that nobody waits for the end of its lock. */
  readonly isGone?: (owner: string) => boolean;
  readonly signal: AbortSignal;
  /** Names of tables where the requests go, by their names in the design. */
  readonly tables?: Readonly<Record<string, string>>;
  /** How items of older schema versions are read, as for the typed client. */
  readonly upgrade?: Upgrades;
  /** Capacity units a second that passes over items may use; a quarter of what is provisioned, or 1,000 on demand. */
  readonly readRate?: number;
  readonly writeRate?: number;
  readonly segments?: number;
  /** Writes under way at the same time. */
  readonly width?: number;
  /** How many instances of each entity are compared one by one. */
  readonly samples?: number;
  /** How long a new phase is left to reach all programs: more than twice the client's `refreshMs`. */
  readonly settleMs?: number;
  /** How often a table that is being changed is looked at. */
  readonly pollMs?: number;
  readonly report?: (event: MigrationEvent) => void;
}

/** What a migration reports while it runs. */
export type MigrationEvent =
  | { readonly kind: 'step'; readonly step: Step | undefined; readonly text: string }
  | {
      readonly kind: 'progress';
      readonly text: string;
      readonly total: number;
      readonly figures: PassProgress;
    }
  | { readonly kind: 'done'; readonly text: string; readonly counts?: Counts };

/** Where `up` stops: behind the phase, or behind the reconciliation. */
export type Until = 'dual-write' | 'verified' | 'flipped' | 'done';

/** How far `up` goes, and whether all writers have moved on. */
export interface UpOptions {
  readonly until?: Until;
  /** All programs that write use the new model's client. Nothing is filled before somebody says so. */
  readonly writersReady?: boolean;
}

/** What `up` has done and what is left. */
export interface UpResult {
  readonly phase: Phase;
  readonly done: readonly string[];
  readonly left: readonly string[];
  /** It waits until `writersReady` is said. */
  readonly waitsForWriters: boolean;
}

/** How far a migration has come. */
export interface MigrationStatus {
  readonly plan: MigrationPlan;
  readonly state: MigrationState | undefined;
  /** The state is of another plan. */
  readonly isOther: boolean;
  readonly runner: string | undefined;
  /** How far the pass of the step at hand has come. */
  readonly pass:
    | { readonly step: string; readonly counts: Counts; readonly segmentsLeft: number }
    | undefined;
  readonly history: readonly HistoryEntry[];
}
