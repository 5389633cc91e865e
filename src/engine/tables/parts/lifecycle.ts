import { number, object, oneOf, optional } from '../../../model/json/fields.ts';
import { isUnderWay } from '../../phase-end.ts';
import { stateOnly } from './table-part.ts';

export interface LifecycleState {
  readonly phases: Phases;
}

/** The ends of the transitional states of a table, in milliseconds. A state whose end has passed is over. */
export interface Phases {
  readonly creatingUntil?: number;
  /** Whether a job fills the table: it is being created until the job is done, however long that takes. */
  readonly filledByJob?: true;
  readonly updatingUntil?: number;
  /** The part that is being updated, if other changes are refused with an error text of their own. */
  readonly updating?: 'throughput' | 'stream' | 'class';
  readonly deletingUntil?: number;
}

/** The status of a table is shown with its identity. */
export const lifecycle = stateOnly<LifecycleState>(
  {
    phases: object<Phases>({
      creatingUntil: optional(number),
      filledByJob: optional(oneOf(true)),
      updatingUntil: optional(number),
      updating: optional(oneOf('throughput', 'stream', 'class')),
      deletingUntil: optional(number),
    }),
  },
  () => ({ phases: {} }),
);

export type TableStatus = 'CREATING' | 'ACTIVE' | 'UPDATING' | 'DELETING';

/** The status of a table. A table is gone when its deletion is over, although its record may still exist. */
export function statusAt(record: LifecycleState, nowMs: number): TableStatus | 'gone' {
  const { creatingUntil, updatingUntil, deletingUntil } = record.phases;
  if (deletingUntil !== undefined) return isUnderWay(deletingUntil, nowMs) ? 'DELETING' : 'gone';
  if (record.phases.filledByJob || isUnderWay(creatingUntil, nowMs)) return 'CREATING';
  return isUnderWay(updatingUntil, nowMs) ? 'UPDATING' : 'ACTIVE';
}

/**
 * A table in deletion has lost its data and its epoch already; to write its record again would bring the epoch back
 * and let a process with an old view of the table write into nothing.
 */
export function isLeaving(record: LifecycleState): boolean {
  return record.phases.deletingUntil !== undefined;
}
