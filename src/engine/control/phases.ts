import { type DynamoError, resourceInUse } from '../../model/errors.ts';
import type { TableEffects } from '../capacity/mode-settings.ts';
import { indexBehaviours } from '../indexes/index-behaviour.ts';
import { allDescribed } from '../tables/parts/indexes.ts';
import type { Phases, TableStatus } from '../tables/parts/lifecycle.ts';
import type { TableDescription } from '../tables/table-parts.ts';
import type { TableRecord } from '../tables/table-record.ts';
import type { TableChange } from './requests.ts';

/**
 * How long the passing states of a table last when physics are enforced; otherwise they are over at once. The figures
 * (observed: ACK, October 2026): a table is created in 2 to 6 seconds, 14 to 22 with global indexes, and deleted in 4
 * to 6; a switch to provisioned throughput takes 60 to 98 seconds, one to on-demand 129 to 172 the first time and 4 to
 * 5 afterwards; other units take 1 to 2. Other changes with a state of their own are taken to last as long as a
 * creation (guess). `chance` (0 to 1) is drawn by the caller, because a change may be decided more than once.
 */
export function creationEnd(
  effects: TableEffects,
  table: TableDescription,
  nowMs: number,
  chance: number,
): number | undefined {
  const hasIndexes = allDescribed(table).some(({ kind }) => indexBehaviours[kind].life === 'own');
  return ending(effects, nowMs, hasIndexes ? [14_000, 22_000] : [2_000, 6_000], chance);
}

export function deletionEnd(effects: TableEffects, nowMs: number, chance: number): number | undefined {
  return ending(effects, nowMs, [4_000, 6_000], chance);
}

/** Deletion protection, on-demand ceilings, encryption and warm throughput change without the table's status. */
function updateEnd(
  effects: TableEffects,
  request: TableChange,
  table: TableDescription,
  nowMs: number,
  chance: number,
): number | undefined {
  if (!hasUpdatePhase(request)) return undefined;
  const kinds = (request.indexes ?? []).map(({ kind }) => kind);
  // While the resources of a new index are allocated, and while an index is deleted.
  if (kinds.includes('create')) return ending(effects, nowMs, indexAllocationMs, chance);
  if (kinds.includes('delete')) return ending(effects, nowMs, indexDeletionMs, chance);
  if (request.billingMode === undefined || request.billingMode === table.billing.mode) {
    const changesUnits = request.throughput !== undefined || request.indexes !== undefined;
    return ending(effects, nowMs, changesUnits ? [1_000, 2_000] : [2_000, 6_000], chance);
  }
  if (request.billingMode === 'PROVISIONED') return ending(effects, nowMs, [60_000, 98_000], chance);
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
  request: TableChange,
  record: TableRecord,
  nowMs: number,
  chance: number,
): Phases {
  const updatingUntil = updateEnd(effects, request, record.description, nowMs, chance);
  if (updatingUntil === undefined) return record.phases;
  const updating = updateKind(request);
  return { updatingUntil, ...(updating && { updating }) };
}

/** Which kind of update a table is in, for the words in which others are refused meanwhile. */
export const indexAllocationMs = [24_000, 56_000] as const;
export const indexDeletionMs = [2_600, 5_000] as const;

function updateKind(request: TableChange): NonNullable<Phases['updating']> | undefined {
  if (request.throughput !== undefined || request.billingMode !== undefined) return 'throughput';
  if (request.stream !== undefined) return 'stream';
  return request.tableClass === undefined ? undefined : 'class';
}

export function hasUpdatePhase(request: TableChange): boolean {
  return [request.throughput, request.billingMode, request.stream, request.tableClass, request.indexes].some(
    (member) => member !== undefined,
  );
}

export function ending(
  effects: TableEffects,
  nowMs: number,
  [least, most]: readonly [number, number],
  chance: number,
): number | undefined {
  return effects.acts('controlPlanePhases') ? Math.round(nowMs + least + chance * (most - least)) : undefined;
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
