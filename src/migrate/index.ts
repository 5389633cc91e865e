/** `stator/migrate`: runs the plan of a migration through the public API, against Stator or AWS. Loads no engine. */

export {
  type GivenVersion,
  type MigrationPlan,
  migrationFormat,
  type Phase,
  phaseVersion,
  planId,
  planMigration,
} from '../design/index.ts';
export { CapacityPace } from './capacity-pace.ts';
export { countsText } from './item-passes.ts';
export { Migration } from './migration.ts';
export {
  type MigrationCalls,
  type MigrationClient,
  type MigrationOperation,
  type MigrationSurroundings,
  sdkCalls,
} from './migration-calls.ts';
export { MigrationError, type MigrationTrouble } from './migration-error.ts';
export type {
  MigrationEvent,
  MigrationOptions,
  MigrationStatus,
  Until,
  UpOptions,
  UpResult,
} from './migration-options.ts';
export type { Upgrades } from './placed-items.ts';
export type { HistoryEntry, MigrationState } from './state-store.ts';
export type { PassProgress } from './table-pass.ts';
