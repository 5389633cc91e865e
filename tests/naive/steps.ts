import type { Condition, Projection, Update } from './expression-trees.ts';
import type { SearchStep } from './search-steps.ts';
import type { TableDefinition } from './table-definition.ts';
import type { Attributes } from './values.ts';

export type CapacityWish = 'NONE' | 'TOTAL' | 'INDEXES';
export type ReturnWish = 'NONE' | 'ALL_OLD' | 'ALL_NEW' | 'UPDATED_OLD' | 'UPDATED_NEW';

export interface AnyStep {
  readonly capacity?: CapacityWish | undefined;
  /** How expressions are spelled; 0 is plain. */
  readonly spelling: number;
}

interface WriteStep extends AnyStep {
  readonly condition?: Condition | undefined;
  readonly returnValues?: ReturnWish | undefined;
  readonly onFailure?: 'NONE' | 'ALL_OLD' | undefined;
}

export interface PutStep extends WriteStep {
  readonly kind: 'put';
  readonly item: Attributes;
}

export interface GetStep extends AnyStep {
  readonly kind: 'get';
  readonly key: Attributes;
  readonly projection?: Projection | undefined;
  readonly consistent?: boolean | undefined;
}

export interface UpdateStep extends WriteStep {
  readonly kind: 'update';
  readonly key: Attributes;
  readonly update?: Update | undefined;
}

export interface DeleteStep extends WriteStep {
  readonly kind: 'delete';
  readonly key: Attributes;
}

export interface BatchGetStep extends AnyStep {
  readonly kind: 'batchGet';
  readonly keys: readonly Attributes[];
  readonly projection?: Projection | undefined;
  readonly consistent?: boolean | undefined;
}

export interface BatchWriteStep extends AnyStep {
  readonly kind: 'batchWrite';
  readonly writes: readonly BatchWrite[];
}

export type BatchWrite = { readonly put: Attributes } | { readonly delete: Attributes };

/** One operation on the table of a script. */
export type Step = PutStep | GetStep | UpdateStep | DeleteStep | BatchGetStep | BatchWriteStep | SearchStep;

/** A table, and what is done to it one after the other. */
export interface Script {
  readonly table: TableDefinition;
  readonly steps: readonly Step[];
}
