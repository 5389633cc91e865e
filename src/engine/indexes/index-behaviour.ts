import type { DynamoError } from '../../model/errors.ts';
import type { Field } from '../../model/json/fields.ts';
import type { IndexKind } from '../../model/tables/index-kind.ts';
import type {
  BillingMode,
  CapacityDescription,
  IndexDescriptions,
  KeySchemaElement,
} from '../../model/tables/table-description.ts';
import type { TableQuotas } from '../../model/tables/table-quotas.ts';
import type { NewIndexes, TableChange } from '../control/requests.ts';
import type { IndexSettings, IndexState } from '../tables/parts/indexes.ts';
import type { Described } from '../tables/parts/table-part.ts';
import type { TableDescription } from '../tables/table-parts.ts';
import { globalIndex } from './kinds/global-index.ts';
import { localIndex } from './kinds/local-index.ts';

/** What requests to items, the physical model and the check of a store ask about an index. */
export interface IndexTraits {
  /**
   * Whether an index has partitions and throughput of its own. Otherwise it draws on those of its table, and has no
   * metrics, alarms, scaling or insights.
   */
  readonly capacity: 'own' | 'of the table';
  /** Whether entries lie in the item collection of their item, count into its size, and are checked together with it. */
  readonly collection: 'of the item' | 'none';
  /** Whether readers see an entry with its item, or a moment later: then there are no consistent reads. */
  readonly visibility: 'with the item' | 'later';
  /** Whether a read fetches attributes from the table that the index does not project. */
  readonly unprojected: 'fetched' | 'refused';
  /** Whether indexes are created and deleted while their table exists: they are filled, and have a status. */
  readonly life: 'own' | 'of the table';
}

export type IndexListName = 'LocalSecondaryIndexes' | 'GlobalSecondaryIndexes';

/** Everything that differs between the kinds of indexes. Whoever tells kinds apart asks here. */
export interface IndexBehaviour<Kind extends IndexKind> extends IndexTraits {
  /** The member of requests and answers that has the indexes of the kind. */
  readonly listName: IndexListName;

  /** The stored form. */
  readonly field: Field<IndexDescriptions[Kind]>;
  in(settings: IndexSettings): readonly IndexDescriptions[Kind][];

  /** The rules of a key schema. */
  keyError(
    keySchema: readonly KeySchemaElement[],
    indexName: string,
    tableKey: readonly KeySchemaElement[],
  ): DynamoError | undefined;
  /** The refusal of more indexes than a new table may have. */
  countError(count: number, quotas: TableQuotas): DynamoError | undefined;

  created(request: NewIndexes[Kind][number], mode: BillingMode): IndexDescriptions[Kind];
  /** The indexes after a change: those that stay, changed, and a new one. */
  changed(request: TableChange, table: TableDescription, nowMs: number): readonly IndexDescriptions[Kind][];
  /** The request that makes the same index again, for a table that is restored. */
  restored(index: IndexDescriptions[Kind], mode: BillingMode): NewIndexes[Kind][number];
  /** The rules of an index that a restore is to have in place of its source's. */
  overrideError(request: NewIndexes[Kind][number], mode: BillingMode): DynamoError | undefined;

  /** The capacity of an index that has its own. */
  capacityIn(index: IndexDescriptions[Kind]): CapacityDescription | undefined;
  withCapacity(index: IndexDescriptions[Kind], capacity: CapacityDescription): IndexDescriptions[Kind];

  /** The indexes that DescribeTable shows, with one that is being deleted. */
  shown(
    record: { readonly description: IndexSettings } & IndexState,
    nowMs: number,
  ): readonly IndexDescriptions[Kind][];
  /** The members of DescribeTable's answer that other kinds do not have. */
  described(index: IndexDescriptions[Kind], record: IndexState, context: Described): object;
  /** Likewise of DescribeBackup. */
  backedUp(index: IndexDescriptions[Kind]): object;
}

export type IndexBehaviours = { readonly [Kind in IndexKind]: IndexBehaviour<Kind> };

export const indexBehaviours: IndexBehaviours = { local: localIndex, global: globalIndex };
