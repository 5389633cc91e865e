import { type DynamoError, validationError } from '../../model/errors.ts';
import type {
  BillingMode,
  GlobalIndexDescription,
  LocalIndexDescription,
  ProvisionedThroughput,
  TableDescription,
} from '../../model/tables/table-description.ts';
import { invalidRequest } from './backup-refusals.ts';
import { type Birth, createdTable } from './created-table.ts';
import type { NewGlobalIndex, NewLocalIndex, Overrides } from './requests.ts';
import { sseError } from './rules/setting-rules.ts';
import { outOfBounds } from './rules/throughput-rules.ts';

/**
 * The rules of overrides (DDB-TABLE-273, -279, -280): throughput follows the billing mode that the new table has, and an
 * index must have the keys and the projection of one of the source, under whatever name.
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

function indexesError(
  source: TableDescription,
  overrides: Overrides,
  mode: BillingMode,
): DynamoError | undefined {
  const { gsis = [], lsis = [] } = overrides;
  const names = new Set<string>();
  for (const [indexes, known] of [
    [gsis, source.gsis],
    [lsis, source.lsis],
  ] as const)
    for (const index of indexes) {
      if (!known.some((each) => isSameIndex(each, index)))
        return invalidRequest(
          `Index ${index.indexName} does not match a secondary index that existed in the source table and cannot ` +
            'be created during the restore operation',
        );
      if (names.has(index.indexName)) return invalidRequest(`Duplicate index name: ${index.indexName}`);
      names.add(index.indexName);
    }
  for (const { indexName: name, throughput: provisioned } of gsis) {
    if (mode === 'PROVISIONED' && provisioned === undefined)
      return invalidRequest(`Must specify provisioned throughput for index ${name}`);
    if (mode === 'PAY_PER_REQUEST' && provisioned !== undefined)
      return invalidRequest(
        `Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST for index ${name}`,
      );
  }
  // A table that becomes provisioned knows no throughput for the indexes that it keeps.
  const kept = overrides.gsis === undefined ? source.gsis : [];
  const unprovisioned = kept.find(({ throughput }) => throughput.ReadCapacityUnits === 0);
  return mode === 'PROVISIONED' && unprovisioned !== undefined
    ? invalidRequest(`Must specify provisioned throughput for index ${unprovisioned.indexName}`)
    : undefined;
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
 * Live, recovery, tags, deletion protection, policy and table class do not (DDB-TABLE-215).
 */
export function restoredTable(
  source: TableDescription,
  tableName: string,
  overrides: Overrides,
  birth: Birth,
): TableDescription {
  const mode = overrides.billingMode ?? source.billing.mode;
  const lsis = overrides.lsis ?? source.lsis;
  const gsis = overrides.gsis ?? source.gsis.map((index) => keptIndex(index, mode));
  const used = new Set(
    [source, ...lsis, ...gsis].flatMap(({ keySchema }) =>
      keySchema.map(({ AttributeName }) => AttributeName),
    ),
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
      ...{ lsis, gsis, encryption: overrides.encryption, tags: {} },
    },
    birth,
  );
  const keepsKey = overrides.encryption === undefined && source.sse !== undefined;
  return keepsKey ? { ...table, sse: source.sse! } : table;
}

function keptIndex(index: GlobalIndexDescription, mode: BillingMode): NewGlobalIndex {
  const { indexName, keySchema, projection, throughput, onDemandThroughput } = index;
  return {
    ...{ indexName, keySchema, projection },
    ...(mode === 'PROVISIONED' ? { throughput: unitsOf(throughput) } : { onDemandThroughput }),
  };
}

function unitsOf({ ReadCapacityUnits, WriteCapacityUnits }: ProvisionedThroughput): ProvisionedThroughput {
  return { ReadCapacityUnits, WriteCapacityUnits };
}
