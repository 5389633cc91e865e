import { indexPhaseAt } from '../../engine/tables/parts/index-phase.ts';
import type { Table, TableIndex } from '../../engine/tables/table-record.ts';
import type { QueriedKey } from '../../expressions/key-condition.ts';
import { type DynamoError, validationError } from '../../model/errors.ts';
import { keyAttributes } from '../../model/tables/table-schema.ts';
import type { Item } from '../../model/values/attribute-value.ts';

/** The table or index that a Query or Scan reads. */
export interface ReadTarget {
  readonly table: Table;
  /** The index. Undefined for the table itself. */
  readonly index: TableIndex | undefined;
  readonly key: QueriedKey;
  readonly prefix: Uint8Array;
}

/** Finds the table or one of its indexes by name. Undefined if the index does not exist. */
export function findTarget(table: Table, indexName: string | undefined): ReadTarget | undefined {
  if (indexName === undefined) {
    const { hash, range } = table.schema;
    const key = { hash: [hash], range: range === undefined ? [] : [range] };
    return { table, index: undefined, key, prefix: table.prefix };
  }
  const index = table.indexes.find(({ schema }) => schema.name === indexName);
  return index && { table, index, key: index.schema, prefix: index.prefix };
}

export function noSuchIndex(indexName: string): DynamoError {
  return validationError(`The table does not have the specified index: ${indexName}`);
}

/** Refuses reads of an index that is being created: it does not have all its entries yet. */
export function checkReadable({ table, index }: ReadTarget, nowMs: number): DynamoError | undefined {
  const phase = index?.traits.life === 'own' ? indexPhaseAt(table.record, nowMs) : undefined;
  return phase?.kind === 'creating' && phase.indexName === index?.schema.name
    ? validationError(`Cannot read from backfilling global secondary index: ${phase.indexName}`)
    : undefined;
}

/** Refuses consistent reads of a global index. It lags behind its table, so it has no consistent state. */
export function checkConsistency(
  { index }: ReadTarget,
  consistent: boolean | undefined,
): DynamoError | undefined {
  return consistent === true && index?.traits.visibility === 'later'
    ? validationError('Consistent reads are not supported on global secondary indexes')
    : undefined;
}

export function readConsistency(consistentRead: boolean | undefined): 'strong' | 'eventual' {
  return consistentRead === true ? 'strong' : 'eventual';
}

/** The names of the attributes of a start key: the table's key, then the index's key. */
export function startKeyNames({ table, key }: ReadTarget): readonly string[] {
  const names = [...keyAttributes(table.schema), ...key.hash, ...key.range].map(({ name }) => name);
  return [...new Set(names)];
}

/** The start key of the next page, if a page ended with this item. */
export function startKeyOf(target: ReadTarget, item: Item): Item {
  return new Map(
    startKeyNames(target).map((name) => {
      const value = item.get(name);
      if (value === undefined) throw new Error(`an entry of table ${target.table.name} without its key`);
      return [name, value];
    }),
  );
}
