import { flag, number, object, oneOf, optional, text, variants } from '../../../model/json/fields.ts';
import type { GlobalIndexDescription } from '../../../model/tables/table-description.ts';
import { capacityFields, indexFields } from '../../../model/tables/table-fields.ts';
import { isUnderWay } from '../../phase-end.ts';

/** The index that is being created or deleted. There is one at a time. */
export interface PhaseOfIndex {
  readonly indexPhase?: IndexPhase;
}

export type IndexPhase = CreatingIndex | DeletingIndex;

export const indexPhaseField = variants<IndexPhase, 'kind'>('kind', {
  creating: object<CreatingIndex>({
    kind: oneOf('creating'),
    indexName: text,
    filled: flag,
    itemsLeftOut: optional(number),
    backfillsAt: optional(number),
    activeAt: optional(number),
  }),
  deleting: object<DeletingIndex>({
    kind: oneOf('deleting'),
    index: object<GlobalIndexDescription>({ ...indexFields, ...capacityFields }),
    until: number,
  }),
});

/**
 * An index that is being created. Writers maintain it from the start. It can be read once it is filled and `activeAt`
 * has passed.
 */
export interface CreatingIndex {
  readonly kind: 'creating';
  readonly indexName: string;
  /** Whether all items that existed before have their entries. */
  readonly filled: boolean;
  /** The number of items that are not in the index because their key attributes make no valid key. */
  readonly itemsLeftOut?: number;
  /** The times when backfilling starts and when it may end, if physics reproduces these phases. */
  readonly backfillsAt?: number;
  readonly activeAt?: number;
}

/**
 * An index that is being deleted. Writers no longer maintain it and its entries are removed. Only the description of
 * the table still shows it.
 */
export interface DeletingIndex {
  readonly kind: 'deleting';
  readonly index: GlobalIndexDescription;
  readonly until: number;
}

/** The index that is being created or deleted at the given time. */
export function indexPhaseAt(record: PhaseOfIndex, nowMs: number): IndexPhase | undefined {
  const { indexPhase: phase } = record;
  if (phase === undefined) return undefined;
  if (phase.kind === 'deleting') return isUnderWay(phase.until, nowMs) ? phase : undefined;
  return phase.filled && !isUnderWay(phase.activeAt, nowMs) ? undefined : phase;
}

/** The slot of the index that is being filled. */
export function fillingSlot({
  indexPhase: phase,
  slots,
}: PhaseOfIndex & { readonly slots: Readonly<Record<string, number>> }): number | undefined {
  return phase?.kind === 'creating' && !phase.filled ? slots[phase.indexName] : undefined;
}
