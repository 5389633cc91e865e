import { type DynamoError, validationError } from '../../model/errors.ts';
import { type IndexKind, indexKinds } from '../../model/tables/index-kind.ts';
import type { BillingMode, LocalIndexDescription } from '../../model/tables/table-description.ts';
import { type IndexBehaviour, indexBehaviours } from '../indexes/index-behaviour.ts';
import { unitsOf } from '../tables/capacity-settings.ts';
import { allDescribed } from '../tables/parts/indexes.ts';
import { createdTable, type TableDescription } from '../tables/table-parts.ts';
import { invalidRequest } from './backup-refusals.ts';
import type { Birth, NewIndexes, NewLocalIndex, Overrides } from './requests.ts';
import { sseError } from './rules/setting-rules.ts';
import { outOfBounds } from './rules/throughput-rules.ts';

/**
 * The rules of overrides (observed: ACK DDB-TABLE-273, -279, -280): throughput follows the billing mode that the new
 * table has, and an index must have the keys and the projection of one of the source, under whatever name.
 */
export function overridesError(source: TableDescription, overrides: Overrides): DynamoError | undefined {
  const mode = overrides.billingMode ?? source.billing.mode;
  return (
    throughputError(source, overrides, mode) ??
    indexesError(source, overrides, mode) ??
    sseError(overrides.encryption) ??
    outOfBounds(overrides.throughput)
  );
}

function throughputError(
  source: TableDescription,
  overrides: Overrides,
  mode: BillingMode,
): DynamoError | undefined {
  const { billingMode: asked, throughput: provisioned, onDemandThroughput: ceilings } = overrides;
  if (provisioned !== undefined && mode !== 'PROVISIONED')
    return invalidRequest(
      asked === 'PAY_PER_REQUEST'
        ? 'Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST'
        : 'Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED',
    );
  if (asked === 'PROVISIONED' && provisioned === undefined && source.billing.mode !== 'PROVISIONED')
    return invalidRequest('Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED');
  for (const unit of ['MaxReadRequestUnits', 'MaxWriteRequestUnits'] as const) {
    const value = ceilings?.[unit];
    if (value === undefined) continue;
    if (mode !== 'PAY_PER_REQUEST')
      return invalidRequest(
        `Cannot override ${unit} for OnDemandThroughput unless BillingModeOverride is PAY_PER_REQUEST`,
      );
    if (value < 1 && value !== -1)
      return validationError(`Requested ${unit} for OnDemandThroughput is outside of valid range`);
  }
  return undefined;
}

/** The indexes of each kind, in the order in which refusals name them. */
function indexesError(
  source: TableDescription,
  { indexes }: Overrides,
  mode: BillingMode,
): DynamoError | undefined {
  const names = new Set<string>();
  const kinds = [...indexKinds].reverse();
  for (const kind of kinds) {
    const known = indexBehaviours[kind].in(source);
    for (const index of indexes[kind] ?? []) {
      if (!known.some((each) => isSameIndex(each, index)))
        return invalidRequest(
          `Index ${index.indexName} does not match a secondary index that existed in the source table and cannot ` +
            'be created during the restore operation',
        );
      if (names.has(index.indexName)) return invalidRequest(`Duplicate index name: ${index.indexName}`);
      names.add(index.indexName);
    }
  }
  for (const kind of kinds) {
    const error = overrideError(indexBehaviours[kind], indexes[kind] ?? [], mode);
    if (error !== undefined) return error;
  }
  // A table that becomes provisioned knows no throughput for the indexes that it keeps.
  const unprovisioned = allDescribed(source).find(
    ({ kind, capacity }) => indexes[kind] === undefined && capacity?.throughput.ReadCapacityUnits === 0,
  );
  return mode === 'PROVISIONED' && unprovisioned !== undefined
    ? invalidRequest(`Must specify provisioned throughput for index ${unprovisioned.index.indexName}`)
    : undefined;
}

function overrideError<Kind extends IndexKind>(
  behaviour: IndexBehaviour<Kind>,
  indexes: NewIndexes[Kind],
  mode: BillingMode,
): DynamoError | undefined {
  for (const index of indexes) {
    const error = behaviour.overrideError(index, mode);
    if (error !== undefined) return error;
  }
  return undefined;
}

function isSameIndex(known: LocalIndexDescription, asked: NewLocalIndex): boolean {
  const names = (projection: typeof known.projection) =>
    [...(projection.NonKeyAttributes ?? [])].sort().join('\0');
  const keys = (schema: typeof known.keySchema) =>
    schema.map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}`).join('\0');
  return (
    keys(known.keySchema) === keys(asked.keySchema) &&
    known.projection.ProjectionType === asked.projection.ProjectionType &&
    names(known.projection) === names(asked.projection)
  );
}

/**
 * The table that a restore makes. Keys, indexes, billing, on-demand maxima and encryption come along; stream, Time to
 * Live, recovery, tags, deletion protection, policy and table class do not (observed: ACK DDB-TABLE-215).
 */
export function restoredTable(
  source: TableDescription,
  tableName: string,
  overrides: Overrides,
  birth: Birth,
): TableDescription {
  const mode = overrides.billingMode ?? source.billing.mode;
  const { local, global } = indexBehaviours;
  const indexes: NewIndexes = {
    local: overrides.indexes.local ?? local.in(source).map((index) => local.restored(index, mode)),
    global: overrides.indexes.global ?? global.in(source).map((index) => global.restored(index, mode)),
  };
  const schemas = [source, ...indexKinds.flatMap((kind) => indexes[kind])];
  const used = new Set(
    schemas.flatMap(({ keySchema }) => keySchema.map(({ AttributeName }) => AttributeName)),
  );
  const table = createdTable(
    {
      tableName,
      keySchema: source.keySchema,
      attributeDefinitions: source.attributeDefinitions.filter(({ AttributeName }) =>
        used.has(AttributeName),
      ),
      billingMode: mode,
      ...(mode === 'PROVISIONED'
        ? { throughput: overrides.throughput ?? unitsOf(source.billing.throughput) }
        : { onDemandThroughput: overrides.onDemandThroughput ?? source.onDemandThroughput }),
      ...{ indexes, encryption: overrides.encryption, tags: {} },
    },
    birth,
  );
  const keepsKey = overrides.encryption === undefined && source.sse !== undefined;
  return keepsKey ? { ...table, sse: source.sse! } : table;
}
