import { type DynamoError, validationError } from '../../model/errors.ts';
import type {
  BillingMode,
  GlobalIndexDescription,
  LocalIndexDescription,
  Projection,
  TableDescription,
} from '../../model/tables/table-description.ts';
import { list, structure } from '../shapes/shape.ts';
import type { InputValue } from '../shapes/shape-types.ts';
import {
  billingMode,
  globalIndexMembers,
  localSecondaryIndex,
  onDemandThroughput,
  provisionedThroughput,
  sseSpecification,
  vectorIndexMembers,
} from '../shapes/table-shapes.ts';
import type { CreateTableInput } from '../tables/create-table.ts';
import { type Birth, createdTable } from '../tables/rules/created-table.ts';
import { sseError } from '../tables/rules/setting-rules.ts';
import { outOfBounds } from '../tables/rules/throughput-rules.ts';
import { invalidRequest } from './backup-errors.ts';

export const overrideMembers = {
  BillingModeOverride: billingMode,
  GlobalSecondaryIndexOverride: list(structure('GlobalSecondaryIndex', globalIndexMembers)),
  LocalSecondaryIndexOverride: list(localSecondaryIndex),
  ProvisionedThroughputOverride: provisionedThroughput,
  OnDemandThroughputOverride: onDemandThroughput,
  SSESpecificationOverride: sseSpecification,
  VectorIndexOverride: list(structure('VectorIndex', vectorIndexMembers)),
};

const overrideShape = structure('Overrides', overrideMembers);
export type Overrides = InputValue<typeof overrideShape>;

/**
 * The rules of overrides (DDB-TABLE-273, -279, -280): throughput follows the billing mode that the new table has, and an
 * index must have the keys and the projection of one of the source, under whatever name.
 */
export function overridesError(source: TableDescription, overrides: Overrides): DynamoError | undefined {
  const mode = overrides.BillingModeOverride ?? source.billing.mode;
  return (
    throughputError(source, overrides, mode) ??
    indexesError(source, overrides, mode) ??
    sseError(overrides.SSESpecificationOverride) ??
    outOfBounds(overrides.ProvisionedThroughputOverride)
  );
}

function throughputError(
  source: TableDescription,
  overrides: Overrides,
  mode: BillingMode,
): DynamoError | undefined {
  const {
    BillingModeOverride: asked,
    ProvisionedThroughputOverride: provisioned,
    OnDemandThroughputOverride: ceilings,
  } = overrides;
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
  const { GlobalSecondaryIndexOverride: gsis = [], LocalSecondaryIndexOverride: lsis = [] } = overrides;
  const names = new Set<string>();
  for (const [indexes, known] of [
    [gsis, source.gsis],
    [lsis, source.lsis],
  ] as const)
    for (const index of indexes) {
      if (!known.some((each) => isSameIndex(each, index)))
        return invalidRequest(
          `Index ${index.IndexName} does not match a secondary index that existed in the source table and cannot ` +
            'be created during the restore operation',
        );
      if (names.has(index.IndexName)) return invalidRequest(`Duplicate index name: ${index.IndexName}`);
      names.add(index.IndexName);
    }
  for (const { IndexName: name, ProvisionedThroughput: provisioned } of gsis) {
    if (mode === 'PROVISIONED' && provisioned === undefined)
      return invalidRequest(`Must specify provisioned throughput for index ${name}`);
    if (mode === 'PAY_PER_REQUEST' && provisioned !== undefined)
      return invalidRequest(
        `Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST for index ${name}`,
      );
  }
  // A table that becomes provisioned knows no throughput for the indexes that it keeps.
  const kept = overrides.GlobalSecondaryIndexOverride === undefined ? source.gsis : [];
  const unprovisioned = kept.find(({ throughput }) => throughput.ReadCapacityUnits === 0);
  return mode === 'PROVISIONED' && unprovisioned !== undefined
    ? invalidRequest(`Must specify provisioned throughput for index ${unprovisioned.indexName}`)
    : undefined;
}

type IndexOverride = NonNullable<Overrides['LocalSecondaryIndexOverride']>[number];

function isSameIndex(known: LocalIndexDescription, asked: IndexOverride): boolean {
  const names = (projection: Partial<Projection>) =>
    [...(projection.NonKeyAttributes ?? [])].sort().join('\0');
  const keys = (schema: typeof known.keySchema) =>
    schema.map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}`).join('\0');
  return (
    keys(known.keySchema) === keys(asked.KeySchema) &&
    known.projection.ProjectionType === asked.Projection.ProjectionType &&
    names(known.projection) === names(asked.Projection as Partial<Projection>)
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
  const mode = overrides.BillingModeOverride ?? source.billing.mode;
  const lsis = overrides.LocalSecondaryIndexOverride ?? source.lsis.map(localInput);
  const gsis = overrides.GlobalSecondaryIndexOverride ?? source.gsis.map((index) => globalInput(index, mode));
  const used = new Set(
    [source.keySchema, ...lsis.map((each) => each.KeySchema), ...gsis.map((each) => each.KeySchema)]
      .flat()
      .map(({ AttributeName }) => AttributeName),
  );
  const ceilings = overrides.OnDemandThroughputOverride ?? source.onDemandThroughput;
  const { ReadCapacityUnits, WriteCapacityUnits } = source.billing.throughput;
  const input = {
    TableName: tableName,
    KeySchema: source.keySchema,
    AttributeDefinitions: source.attributeDefinitions.filter(({ AttributeName }) => used.has(AttributeName)),
    BillingMode: mode,
    ...(mode === 'PROVISIONED' && {
      ProvisionedThroughput: overrides.ProvisionedThroughputOverride ?? {
        ReadCapacityUnits,
        WriteCapacityUnits,
      },
    }),
    ...(mode === 'PAY_PER_REQUEST' && ceilings && { OnDemandThroughput: ceilings }),
    LocalSecondaryIndexes: lsis,
    GlobalSecondaryIndexes: gsis,
    ...(overrides.SSESpecificationOverride && { SSESpecification: overrides.SSESpecificationOverride }),
  } as CreateTableInput;
  const table = createdTable(input, birth);
  const keepsKey = overrides.SSESpecificationOverride === undefined && source.sse !== undefined;
  return keepsKey ? { ...table, sse: source.sse! } : table;
}

function localInput({ indexName, keySchema, projection }: LocalIndexDescription) {
  return { IndexName: indexName, KeySchema: keySchema, Projection: projection };
}

function globalInput(index: GlobalIndexDescription, mode: BillingMode) {
  const { ReadCapacityUnits, WriteCapacityUnits } = index.throughput;
  return {
    ...localInput(index),
    ...(mode === 'PROVISIONED' && { ProvisionedThroughput: { ReadCapacityUnits, WriteCapacityUnits } }),
    ...(mode === 'PAY_PER_REQUEST' &&
      index.onDemandThroughput && { OnDemandThroughput: index.onDemandThroughput }),
  };
}
