import type { TableEffects } from '../../engine/capacity/mode-settings.ts';
import type { TableResources } from '../../engine/capacity/table-resources.ts';
import { isWarming } from '../../engine/capacity/warm-throughput.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Scope } from '../../engine/store-keys.ts';
import type { Phases, TableRecord, TableStatus } from '../../engine/tables/table-record.ts';
import { type DynamoError, resourceInUse } from '../../model/errors.ts';
import type { TableDescription } from '../../model/tables/table-description.ts';
import type { UpdateTableInput } from './update-table.ts';

/**
 * How long the passing states of a table last when physics are enforced; otherwise they are over at once. The
 * figures were measured on the service in October 2026: a table is created in 2 to 6 seconds, 14 to 22 with global
 * indexes, and deleted in 4 to 6; a switch to provisioned throughput takes 60 to 98 seconds, one to on-demand 129
 * to 172 the first time and 4 to 5 afterwards; other units take 1 to 2. Other changes with a state of their own are
 * taken to last as long as a creation. `chance` (0 to 1) is drawn by the caller, because a change may be decided more than once.
 */
export function creationEnd(
  effects: TableEffects,
  table: TableDescription,
  nowMs: number,
  chance: number,
): number | undefined {
  return ending(effects, nowMs, table.gsis.length > 0 ? [14_000, 22_000] : [2_000, 6_000], chance);
}

export function deletionEnd(effects: TableEffects, nowMs: number, chance: number): number | undefined {
  return ending(effects, nowMs, [4_000, 6_000], chance);
}

/** Deletion protection, on-demand ceilings, encryption and warm throughput change without the table's status. */
function updateEnd(
  effects: TableEffects,
  input: UpdateTableInput,
  table: TableDescription,
  nowMs: number,
  chance: number,
): number | undefined {
  if (!hasUpdatePhase(input)) return undefined;
  const updates = input.GlobalSecondaryIndexUpdates ?? [];
  // While the resources of a new index are allocated, and while an index is deleted.
  if (updates.some(({ Create }) => Create)) return ending(effects, nowMs, indexAllocationMs, chance);
  if (updates.some(({ Delete }) => Delete)) return ending(effects, nowMs, indexDeletionMs, chance);
  if (input.BillingMode === undefined || input.BillingMode === table.billing.mode) {
    const changesUnits =
      input.ProvisionedThroughput !== undefined || input.GlobalSecondaryIndexUpdates !== undefined;
    return ending(effects, nowMs, changesUnits ? [1_000, 2_000] : [2_000, 6_000], chance);
  }
  if (input.BillingMode === 'PROVISIONED') return ending(effects, nowMs, [60_000, 98_000], chance);
  return ending(
    effects,
    nowMs,
    table.billing.onDemandSince === undefined ? [129_000, 172_000] : [4_000, 5_000],
    chance,
  );
}

/** The phases of a table once a change has begun; a change without one leaves those there are. */
export function updatePhases(
  effects: TableEffects,
  input: UpdateTableInput,
  record: TableRecord,
  nowMs: number,
  chance: number,
): Phases {
  const updatingUntil = updateEnd(effects, input, record.description, nowMs, chance);
  if (updatingUntil === undefined) return record.phases;
  const updating = updateKind(input);
  return { updatingUntil, ...(updating && { updating }) };
}

/** Which kind of update a table is in, for the words in which others are refused meanwhile. */
export const indexAllocationMs = [24_000, 56_000] as const;
export const indexDeletionMs = [2_600, 5_000] as const;

function updateKind(input: UpdateTableInput): NonNullable<Phases['updating']> | undefined {
  if (input.ProvisionedThroughput !== undefined || input.BillingMode !== undefined) return 'throughput';
  if (input.StreamSpecification !== undefined) return 'stream';
  return input.TableClass === undefined ? undefined : 'class';
}

export function hasUpdatePhase(input: UpdateTableInput): boolean {
  return [
    input.ProvisionedThroughput,
    input.BillingMode,
    input.StreamSpecification,
    input.TableClass,
    input.GlobalSecondaryIndexUpdates,
  ].some((member) => member !== undefined);
}

export function ending(
  effects: TableEffects,
  nowMs: number,
  [least, most]: readonly [number, number],
  chance: number,
): number | undefined {
  return effects.acts('controlPlanePhases') ? Math.round(nowMs + least + chance * (most - least)) : undefined;
}

/** Which of a table and its indexes are being warmed up, where that takes its time: their partitions come minutes later. */
export function warmingIn(
  engine: Engine,
  scope: Scope,
  record: TableRecord,
  resources: TableResources | undefined,
): (indexName: string | undefined) => boolean {
  const { tableName } = record.description;
  if (resources === undefined || !engine.effectsOf(scope, tableName, record).acts('controlPlanePhases'))
    return () => false;
  return (name) => isWarming(name === undefined ? resources.main : resources.globalIndex(name));
}

/** The refusal of a change while another one is under way. */
export function busyError(record: TableRecord, status: TableStatus): DynamoError | undefined {
  const { tableName } = record.description;
  switch (status) {
    case 'ACTIVE':
      return undefined;
    case 'CREATING':
      return inUse(`Table is being created: ${tableName}`);
    case 'DELETING':
      return inUse(`Table is being deleted: ${tableName}`);
    case 'UPDATING':
      return inUse(`Table IOPS are currently being updated. Table: ${tableName}`);
  }
}

export function inUse(detail: string): DynamoError {
  return resourceInUse(`Attempt to change a resource which is still in use: ${detail}`);
}
