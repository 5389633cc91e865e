import {
  DynamoError,
  invalidParameter,
  limitExceeded,
  tableNotFound,
  validationError,
} from '../../../model/errors.ts';
import type {
  AttributeDefinition,
  BillingMode,
  KeySchemaElement,
} from '../../../model/tables/table-description.ts';
import { indexBehaviours } from '../../indexes/index-behaviour.ts';
import { allDescribed, describedIndex } from '../../tables/parts/indexes.ts';
import type { TableDescription } from '../../tables/table-parts.ts';
import type { IndexUpdate, NewGlobalIndex, TableChange } from '../requests.ts';
import { decreaseQuotaError } from './change-quotas.ts';
import { projectedNamesError } from './index-rules.ts';
import {
  initialWarmError,
  onDemandError,
  onDemandQuotaError,
  provisionedQuotaError,
  raisedWarmError,
  sameThroughputError,
  type ThroughputQuota,
  warmQuotaError,
} from './throughput-rules.ts';

/** Changes to global indexes, held against the indexes that exist. */
export function indexChangesError(
  request: TableChange,
  table: TableDescription,
  nowMs: number,
  quota: ThroughputQuota,
): DynamoError | undefined {
  const mode = request.billingMode ?? table.billing.mode;
  for (const change of request.indexes ?? []) {
    const error =
      change.kind === 'create'
        ? creationError(change.index, request.attributeDefinitions ?? [], table, mode, quota)
        : change.kind === 'update'
          ? indexUpdateError(change, table, mode, nowMs, quota)
          : deletionError(change.indexName, table);
    if (error !== undefined) return error;
  }
  return undefined;
}

function creationError(
  index: NewGlobalIndex,
  definitions: readonly AttributeDefinition[],
  table: TableDescription,
  mode: BillingMode,
  quota: ThroughputQuota,
): DynamoError | undefined {
  const { indexName: name, throughput } = index;
  const existing = allDescribed(table).map(({ index: other }) => other);
  if (existing.some((other) => other.indexName === name)) {
    return validationError('Attempting to create an index which already exists');
  }
  if (mode === 'PAY_PER_REQUEST' && throughput !== undefined) {
    return invalidParameter(
      `Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: ${name} ` +
        'when BillingMode is PAY_PER_REQUEST',
    );
  }
  if (mode === 'PROVISIONED' && throughput === undefined) {
    return invalidParameter(
      `Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: ${name}`,
    );
  }
  const owner = { index: name };
  return (
    redefinedKeyError(index, definitions, table) ??
    onDemandError(index.onDemandThroughput, owner, mode, 'UpdateTable') ??
    initialWarmError(index.warmThroughput, owner, mode, throughput) ??
    projectedNamesError([index.projection, ...existing.map((other) => other.projection)]) ??
    (indexBehaviours.global.in(table).length >= quota.globalIndexes
      ? tooManyIndexes(quota.globalIndexes)
      : undefined) ??
    provisionedQuotaError(throughput, owner, quota) ??
    onDemandQuotaError(index.onDemandThroughput, owner, quota) ??
    warmQuotaError(index.warmThroughput, owner, quota)
  );
}

/** The same limit is a ValidationException when the table is created. */
function tooManyIndexes(most: number): DynamoError {
  return limitExceeded(
    `Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of ${most}`,
  );
}

/**
 * An attribute that already keys the table or an index has its type for good. Sent again with another type it is
 * passed over in silence, unless the new index is keyed by it.
 */
function redefinedKeyError(
  index: NewGlobalIndex,
  definitions: readonly AttributeDefinition[],
  table: TableDescription,
): DynamoError | undefined {
  const schemas = [table, ...allDescribed(table).map(({ index: other }) => other)].map(
    (owner) => owner.keySchema,
  );
  for (const { AttributeName: name } of index.keySchema) {
    const [stored, sent] = [table.attributeDefinitions, definitions].map(
      (list) => list.find((definition) => definition.AttributeName === name)?.AttributeType,
    );
    const existing = schemas.find((schema) => schema.some((element) => element.AttributeName === name));
    if (stored === undefined || stored === sent || existing === undefined) continue;
    return invalidParameter(
      'Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. ' +
        `Existing schema: ${schemaText(existing, table.attributeDefinitions)} ` +
        `New schema: ${schemaText(index.keySchema, definitions)}`,
    );
  }
  return undefined;
}

/** The text for one element (observed: public captures); that several are separated by a comma (guess). */
function schemaText(
  keySchema: readonly KeySchemaElement[],
  definitions: readonly AttributeDefinition[],
): string {
  const elements = keySchema.map(({ AttributeName: name, KeyType: keyType }) => {
    const type = definitions.find((definition) => definition.AttributeName === name)?.AttributeType;
    return `SchemaElement: key{${name}:${type}:${keyType}}`;
  });
  return `Schema:[${elements.join(', ')}]`;
}

function indexUpdateError(
  update: IndexUpdate,
  table: TableDescription,
  mode: BillingMode,
  nowMs: number,
  quota: ThroughputQuota,
): DynamoError | undefined {
  const { indexName: name, throughput } = update;
  const owner = { index: name };
  const known = describedIndex(table, name);
  if (known === undefined) return indexNotFound(table, name);
  const { capacity } = known;
  if (capacity === undefined) {
    return validationError(`Cannot update an index that is not a GlobalSecondaryIndex: ${name}`);
  }
  if (mode === 'PAY_PER_REQUEST' && throughput !== undefined) {
    return invalidParameter(
      `The only Updates for index: ${name} when TableThroughputMode is PAY_PER_REQUEST can be to ` +
        'OnDemandThroughput, WarmThroughput',
    );
  }
  if (throughput !== undefined && table.billing.mode === 'PROVISIONED') {
    const error =
      sameThroughputError(throughput, owner, capacity.throughput) ??
      decreaseQuotaError(throughput, capacity.throughput, nowMs);
    if (error !== undefined) return error;
  }
  return (
    onDemandError(update.onDemandThroughput, owner, mode, 'UpdateTable') ??
    raisedWarmError(update.warmThroughput, owner, capacity.warmThroughput) ??
    provisionedQuotaError(throughput, owner, quota) ??
    onDemandQuotaError(update.onDemandThroughput, owner, quota) ??
    warmQuotaError(update.warmThroughput, owner, quota)
  );
}

function deletionError(name: string, table: TableDescription): DynamoError | undefined {
  const known = describedIndex(table, name);
  if (known === undefined) return indexNotFound(table, name);
  return indexBehaviours[known.kind].life === 'own'
    ? undefined
    : validationError(`Cannot delete an index that is not a GlobalSecondaryIndex: ${name}`);
}

/** The service is known to answer with a ResourceNotFoundException; the words after its usual opening are ours. */
export function indexNotFound(table: TableDescription, name: string): DynamoError {
  const opening = tableNotFound().message;
  return new DynamoError(
    'ResourceNotFoundException',
    `${opening}: Index: ${name} of Table: ${table.tableName} not found`,
  );
}
