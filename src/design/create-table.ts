import type { Design, IndexDesign, TableDesign } from './design.ts';
import type { Model, StreamConsumer } from './ir.ts';

/** A CreateTable request, as the AWS SDKs and `aws dynamodb create-table --cli-input-json` take it. */
export interface CreateTableRequest {
  readonly TableName: string;
  readonly AttributeDefinitions: readonly { readonly AttributeName: string; readonly AttributeType: 'S' }[];
  readonly KeySchema: readonly KeyElement[];
  readonly LocalSecondaryIndexes?: readonly IndexRequest[];
  readonly GlobalSecondaryIndexes?: readonly IndexRequest[];
  readonly BillingMode: 'PAY_PER_REQUEST' | 'PROVISIONED';
  readonly ProvisionedThroughput?: Throughput;
  readonly StreamSpecification?: {
    readonly StreamEnabled: true;
    readonly StreamViewType: StreamConsumer['view'];
  };
}

interface KeyElement {
  readonly AttributeName: string;
  readonly KeyType: 'HASH' | 'RANGE';
}

interface IndexRequest {
  readonly IndexName: string;
  readonly KeySchema: readonly KeyElement[];
  readonly Projection: {
    readonly ProjectionType: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
    readonly NonKeyAttributes?: readonly string[];
  };
  readonly ProvisionedThroughput?: Throughput;
}

interface Throughput {
  readonly ReadCapacityUnits: number;
  readonly WriteCapacityUnits: number;
}

/** One CreateTable request for each table of a design. TTL is no part of it: the service takes it in a call of its own. */
export function createTableRequests(model: Model, design: Design): CreateTableRequest[] {
  return design.tables.map((table) => createTableRequest(model, table));
}

export function createTableRequest({ environment }: Model, table: TableDesign): CreateTableRequest {
  const provisioned = environment.capacity === 'provisioned';
  // The least that the service takes; how much it should be follows from the rates (stator design cost).
  const throughput = provisioned
    ? { ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 } }
    : {};
  const request = (index: IndexDesign): IndexRequest => ({
    IndexName: index.name,
    KeySchema: keySchema(index.partitionKey, index.sortKey),
    Projection: {
      ProjectionType: index.projection.type,
      ...(index.projection.type === 'INCLUDE' ? { NonKeyAttributes: index.projection.names } : {}),
    },
    ...(index.kind === 'global' ? throughput : {}),
  });
  const locals = table.indexes.filter(({ kind }) => kind === 'local').map(request);
  const globals = table.indexes.filter(({ kind }) => kind === 'global').map(request);
  const keys = [table, ...table.indexes].flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey]);
  const view = streamView(
    environment.streams.filter(({ entities }) => entities.some((one) => table.entities.includes(one))),
  );
  return {
    TableName: table.name,
    AttributeDefinitions: [...new Set(keys)].map((name) => ({ AttributeName: name, AttributeType: 'S' })),
    KeySchema: keySchema(table.partitionKey, table.sortKey),
    ...(locals.length === 0 ? {} : { LocalSecondaryIndexes: locals }),
    ...(globals.length === 0 ? {} : { GlobalSecondaryIndexes: globals }),
    BillingMode: provisioned ? 'PROVISIONED' : 'PAY_PER_REQUEST',
    ...throughput,
    ...(view === undefined ? {} : { StreamSpecification: { StreamEnabled: true, StreamViewType: view } }),
  };
}

function keySchema(partition: string, sort: string): KeyElement[] {
  return [
    { AttributeName: partition, KeyType: 'HASH' },
    { AttributeName: sort, KeyType: 'RANGE' },
  ];
}

/** The narrowest view that holds what every consumer asks for. */
function streamView(consumers: readonly StreamConsumer[]): StreamConsumer['view'] | undefined {
  const views = new Set(consumers.map(({ view }) => view));
  if (views.size > 1) views.delete('KEYS_ONLY');
  if (views.size === 0) return undefined;
  return views.size === 1 ? [...views][0]! : 'NEW_AND_OLD_IMAGES';
}
