import type { ArmSpec, AutoScalingSpec, IndexSpec, TableSpec } from './scenario.ts';

/** The least that the service takes as warm throughput of a table on demand. */
const warmLeast = { read: 12_000, write: 4_000 };
const provisionedUsual = { read: 5, write: 5 };

/** A table of a run: how it is made, and what the laboratory must know of it. */
export interface LabTable {
  readonly name: string;
  readonly request: object;
  readonly keyNames: readonly string[];
  readonly indexNames: readonly string[];
  /** Auto scaling of the table, and of its indexes by their names. */
  readonly scaling: readonly { readonly index: string | undefined; readonly spec: AutoScalingSpec }[];
}

export function labTable(table: TableSpec): LabTable {
  const { name, partitionKey, sortKey, autoScaling, indexes = [] } = table;
  const scaled = [
    { index: undefined, spec: autoScaling },
    ...indexes.map((one) => ({ index: one.name, spec: one.autoScaling })),
  ];
  return {
    name,
    request: createTableRequest(table),
    keyNames: sortKey === undefined ? [partitionKey] : [partitionKey, sortKey],
    indexNames: indexes.map((index) => index.name),
    scaling:
      table.mode === 'provisioned'
        ? scaled.flatMap(({ index, spec }) => (spec === undefined ? [] : [{ index, spec }]))
        : [],
  };
}

/** A table from a CreateTable request, or from what DescribeTable answers. */
export function labTableOf(request: object): LabTable {
  const {
    TableName,
    KeySchema,
    GlobalSecondaryIndexes = [],
  } = request as {
    readonly TableName: string;
    readonly KeySchema: readonly { readonly AttributeName: string }[];
    readonly GlobalSecondaryIndexes?: readonly { readonly IndexName: string }[];
  };
  return {
    name: TableName,
    request,
    keyNames: KeySchema.map(({ AttributeName }) => AttributeName),
    indexNames: GlobalSecondaryIndexes.map(({ IndexName }) => IndexName),
    scaling: [],
  };
}

/** The CreateTable request of a table in a scenario. */
function createTableRequest(table: TableSpec): object {
  const isProvisioned = table.mode === 'provisioned';
  const indexes = table.indexes ?? [];
  const names = new Set(
    [table, ...indexes].flatMap(({ partitionKey, sortKey }) =>
      sortKey === undefined ? [partitionKey] : [partitionKey, sortKey],
    ),
  );
  return {
    TableName: table.name,
    KeySchema: keySchema(table),
    AttributeDefinitions: [...names].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    BillingMode: isProvisioned ? 'PROVISIONED' : 'PAY_PER_REQUEST',
    ...throughput(table, isProvisioned),
    ...(indexes.length > 0 && {
      GlobalSecondaryIndexes: indexes.map((index) => ({
        IndexName: index.name,
        KeySchema: keySchema(index),
        Projection: projectionOf(index),
        ...throughput(index, isProvisioned),
      })),
    }),
  };
}

function keySchema({ partitionKey, sortKey }: ArmSpec): object[] {
  const hash = { AttributeName: partitionKey, KeyType: 'HASH' };
  return sortKey === undefined ? [hash] : [hash, { AttributeName: sortKey, KeyType: 'RANGE' }];
}

function projectionOf({ project = 'ALL' }: IndexSpec): object {
  if (typeof project === 'string') return { ProjectionType: project };
  return { ProjectionType: 'INCLUDE', NonKeyAttributes: project };
}

function throughput({ provisioned, warm }: ArmSpec, isProvisioned: boolean): object {
  if (isProvisioned) {
    const { read, write } = { ...provisionedUsual, ...provisioned };
    return { ProvisionedThroughput: { ReadCapacityUnits: read, WriteCapacityUnits: write } };
  }
  if (warm === undefined) return {};
  return {
    WarmThroughput: {
      ReadUnitsPerSecond: Math.max(warmLeast.read, Math.ceil(warm.read ?? 0)),
      WriteUnitsPerSecond: Math.max(warmLeast.write, Math.ceil(warm.write ?? 0)),
    },
  };
}
