import { type DynamoError, invalidParameter } from '../../../model/errors.ts';
import { object } from '../../../model/json/fields.ts';
import { tableLimits } from '../../../model/limits.ts';
import type { KeySchemaElement, LocalIndexDescription } from '../../../model/tables/table-description.ts';
import { indexFields } from '../../../model/tables/table-fields.ts';
import { pairKeyError } from '../../control/rules/index-rules.ts';
import type { IndexBehaviour } from '../index-behaviour.ts';

/** A local index sorts the items of each partition key in another way. It lives and dies with its table. */
export const localIndex: IndexBehaviour<'local'> = {
  capacity: 'of the table',
  collection: 'of the item',
  visibility: 'with the item',
  unprojected: 'fetched',
  life: 'of the table',

  listName: 'LocalSecondaryIndexes',

  field: object<LocalIndexDescription>(indexFields),
  in: ({ lsis }) => lsis,

  keyError: (keySchema, indexName, tableKey) =>
    pairKeyError(keySchema) ?? sameHashError(keySchema, indexName, tableKey),
  countError(count) {
    const most = tableLimits.localIndexesMax;
    return count > most
      ? invalidParameter(`Number of LocalSecondaryIndexes exceeds per-table limit of ${most}`)
      : undefined;
  },

  created: (index) => index,
  changed: (_, { lsis }) => lsis,
  restored: (index) => index,
  overrideError: () => undefined,

  capacityIn: () => undefined,
  withCapacity: (index) => index,

  shown: ({ description: { lsis } }) => lsis,
  described: () => ({}),
  backedUp: () => ({}),
};

function sameHashError(
  keySchema: readonly KeySchemaElement[],
  indexName: string,
  tableKey: readonly KeySchemaElement[],
): DynamoError | undefined {
  if (keySchema.length < 2) {
    return invalidParameter(`Index KeySchema does not have a range key for index: ${indexName}`);
  }
  const [hash, tableHash] = [keySchema[0]?.AttributeName, tableKey[0]?.AttributeName];
  if (hash === tableHash) return undefined;
  return invalidParameter(
    `Index KeySchema does not have the same leading hash key as table KeySchema for index: ${indexName}. ` +
      `index hash key: ${hash}, table hash key: ${tableHash}`,
  );
}
