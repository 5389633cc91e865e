import type { Condition, Projection, Update } from './expression-trees.ts';
import type { SearchStep } from './search-steps.ts';
import type { IndexDefinition, TableDefinition } from './table-definition.ts';
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

/** One action of a transaction; what the steps of single items wish to be returned it cannot wish. */
export type TransactAction = PutStep | UpdateStep | DeleteStep | CheckAction;

export interface CheckAction extends AnyStep {
  readonly kind: 'check';
  readonly key: Attributes;
  readonly condition: Condition;
  readonly onFailure?: 'NONE' | 'ALL_OLD' | undefined;
}

export interface TransactWriteStep extends AnyStep {
  readonly kind: 'transactWrite';
  readonly actions: readonly TransactAction[];
}

export interface TransactGetStep extends AnyStep {
  readonly kind: 'transactGet';
  readonly gets: readonly Pick<GetStep, 'key' | 'projection' | 'spelling'>[];
}

/** An UpdateTable that adds a global index, and the wait until it can be used. */
export interface CreateIndexStep extends AnyStep {
  readonly kind: 'createIndex';
  readonly index: IndexDefinition;
}

export interface DeleteIndexStep extends AnyStep {
  readonly kind: 'deleteIndex';
  readonly name: string;
}

export type IndexStep = CreateIndexStep | DeleteIndexStep;

/** One operation on the table of a script. */
export type Step =
  | PutStep
  | GetStep
  | UpdateStep
  | DeleteStep
  | BatchGetStep
  | BatchWriteStep
  | TransactWriteStep
  | TransactGetStep
  | SearchStep
  | IndexStep;

/** A table, and what is done to it one after the other. */
export interface Script {
  readonly table: TableDefinition;
  readonly steps: readonly Step[];
}
