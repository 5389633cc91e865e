import type { Design } from '../design.ts';
import type { Model } from '../ir.ts';

/** The plan of a migration is plain data: a program, a review and the runner read the same file. */
export const migrationFormat = 'stator-migration/1';

/** A model with the design of its tables. */
export interface ModelVersion {
  readonly model: Model;
  readonly design: Design;
}

/**
 * How far a migration has come, as programs see it. Two neighbours may be in use at the same time, since programs learn
 * of a new phase one after the other; the runner never goes two steps at once.
 *
 * - `before`: writes the old keys, reads by them.
 * - `dual-write`: writes old and new keys, reads by the old ones.
 * - `flipped`: writes old and new keys, reads by the new ones.
 * - `done`: writes the new keys, reads by them.
 */
export const phases = ['before', 'dual-write', 'flipped', 'done'] as const;
/** The phases that clients and the migration pass together. */
export type Phase = (typeof phases)[number];

/** Where a table keeps how far its migration has come. No key of a model begins like the partition. */
export const migrationKey = { partition: '_stator#migration', state: 'state' } as const;

/** The plan of a migration, as a file holds it: versions, changes, steps, forecast. */
export interface MigrationPlan {
  readonly format: typeof migrationFormat;
  /** A digest of both versions and of the steps: the same versions make the same migration. */
  readonly id: string;
  readonly model: string;
  readonly from: ModelVersion;
  /** The design has the names that its indexes really get, beside those that exist already. */
  readonly to: ModelVersion;
  readonly changes: readonly Change[];
  readonly steps: readonly Step[];
  /** What nobody can check for the reader. */
  readonly warnings: readonly string[];
  readonly forecast: MigrationForecast;
}

/** A difference between two models or designs, in words. */
export interface Change {
  readonly change: 'added' | 'removed' | 'changed';
  readonly what:
    | 'entity'
    | 'attribute'
    | 'pattern'
    | 'key'
    | 'index'
    | 'copy'
    | 'unique'
    | 'counter'
    | 'table';
  readonly name: string;
  /** Old programs and old items go on as they are. */
  readonly additive: boolean;
  readonly text: string;
}

/** One step of a migration. */
export type Step =
  | (StepBase & { readonly kind: 'create-table'; readonly table: string })
  | (StepBase & { readonly kind: 'create-index'; readonly table: string; readonly index: string })
  | (StepBase & { readonly kind: 'phase'; readonly phase: Phase })
  | (StepBase & { readonly kind: 'backfill'; readonly table: string; readonly work: readonly EntityWork[] })
  | (StepBase & { readonly kind: 'verify'; readonly table: string; readonly work: readonly EntityWork[] })
  | (StepBase & { readonly kind: 'cleanup'; readonly table: string; readonly work: readonly EntityCleanup[] })
  | (StepBase & { readonly kind: 'delete-index'; readonly table: string; readonly index: string });

/** The kinds of steps. */
export type StepKind = Step['kind'];

interface StepBase {
  readonly id: string;
  readonly title: string;
  /** Where `down` leads from here, once the step is done; absent behind the point of no return. */
  readonly rollback?: RollbackPoint;
  readonly cost?: StepCost;
}

/** `start` takes everything back; `dual-write` takes the readers back to the old keys. */
export type RollbackPoint = 'start' | 'dual-write';

/** What a backfill adds to the items of one entity. */
export interface EntityWork {
  readonly entity: string;
  /** Indexes whose key attributes items get. */
  readonly slots: readonly string[];
  /** Further items of each instance, by their numbers in the design of the phase `dual-write`. */
  readonly copies: readonly number[];
  /** The instance's own item moves to another key: one of the copies becomes it. */
  readonly moves: boolean;
  /** Attributes whose values get a guard. */
  readonly unique: readonly string[];
  /** Which items need it, and what keeps a second run from writing again, in words. */
  readonly needs: string;
  readonly condition: string;
  /** Items that need it, as the model counts them. */
  readonly items: number;
}

/** What is taken from the items of one entity. */
export interface EntityCleanup {
  readonly entity: string;
  /** Key attributes of indexes that go. */
  readonly attributes: readonly string[];
  /** Items that go, by their numbers in the design of the phase that ends; 0 is the instance's own. */
  readonly copies: readonly number[];
  readonly unique: readonly string[];
}

/** What a step reads and writes, what it costs, how long it takes. */
export interface StepCost {
  readonly items: number;
  readonly readUnits: number;
  /** Units on the table. */
  readonly writeUnits: number;
  /** Units on indexes. */
  readonly indexUnits: number;
  readonly dollars: number;
  /** At the forecast's rates. */
  readonly seconds: number;
}

/** What a migration costs and how long it takes at its rates. */
export interface MigrationForecast {
  /** Units a second that a backfill is thought to have. */
  readonly readRate: number;
  readonly writeRate: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly indexUnits: number;
  readonly dollars: number;
  readonly seconds: number;
  /** Dollars a month by which the new design costs more, at the mean rates; negative if it costs less. */
  readonly monthly: number;
}
