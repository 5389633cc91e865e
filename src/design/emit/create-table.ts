import { type KeyAttribute, keyAttributes, type PhysicalTable } from './physical-table.ts';

/** A CreateTable request. What CreateTable does not take (TTL, recovery) is left to the other formats. */
export function physicalRequest(table: PhysicalTable): CreateTableRequest {
  const { partitionKey, sortKey, indexes, billing, streamView } = table;
  const isProvisioned = billing === 'provisioned';
  const schema = (hash: readonly KeyAttribute[], range: readonly KeyAttribute[]) => [
    ...hash.map(({ name }) => ({ AttributeName: name, KeyType: 'HASH' as const })),
    ...range.map(({ name }) => ({ AttributeName: name, KeyType: 'RANGE' as const })),
  ];
  const throughput = ({ readMin, writeMin }: PhysicalTable['capacity']) =>
    isProvisioned
      ? { ProvisionedThroughput: { ReadCapacityUnits: readMin, WriteCapacityUnits: writeMin } }
      : {};
  const indexesOf = (kind: 'global' | 'local') =>
    indexes
      .filter((index) => index.kind === kind)
      .map(({ name, hash, range, projection, capacity }) => ({
        IndexName: name,
        KeySchema: schema(hash, range),
        Projection: {
          ProjectionType: projection.type,
          ...(projection.type === 'INCLUDE' ? { NonKeyAttributes: [...projection.names] } : {}),
        },
        ...(kind === 'global' ? throughput(capacity) : {}),
      }));
  const [globals, locals] = [indexesOf('global'), indexesOf('local')];
  return {
    TableName: table.name,
    AttributeDefinitions: keyAttributes(table).map(({ name, type }) => ({
      AttributeName: name,
      AttributeType: type,
    })),
    KeySchema: schema([partitionKey], sortKey === undefined ? [] : [sortKey]),
    ...(globals.length === 0 ? {} : { GlobalSecondaryIndexes: globals }),
    ...(locals.length === 0 ? {} : { LocalSecondaryIndexes: locals }),
    BillingMode: isProvisioned ? 'PROVISIONED' : 'PAY_PER_REQUEST',
    ...throughput(table.capacity),
    ...(streamView === undefined
      ? {}
      : { StreamSpecification: { StreamEnabled: true, StreamViewType: streamView } }),
  };
}

/** CreateTable's input, as far as designs use it. */
export interface CreateTableRequest {
  readonly TableName: string;
  readonly AttributeDefinitions: { AttributeName: string; AttributeType: 'S' | 'N' | 'B' }[];
  readonly KeySchema: KeySchemaElement[];
  readonly GlobalSecondaryIndexes?: IndexRequest[];
  readonly LocalSecondaryIndexes?: IndexRequest[];
  readonly BillingMode: 'PROVISIONED' | 'PAY_PER_REQUEST';
  readonly ProvisionedThroughput?: Throughput;
  readonly StreamSpecification?: {
    StreamEnabled: boolean;
    StreamViewType: NonNullable<PhysicalTable['streamView']>;
  };
}

interface KeySchemaElement {
  AttributeName: string;
  KeyType: 'HASH' | 'RANGE';
}

interface Throughput {
  ReadCapacityUnits: number;
  WriteCapacityUnits: number;
}

interface IndexRequest {
  IndexName: string;
  KeySchema: KeySchemaElement[];
  Projection: { ProjectionType: 'ALL' | 'KEYS_ONLY' | 'INCLUDE'; NonKeyAttributes?: string[] };
  ProvisionedThroughput?: Throughput;
}

/** One request as an object, which `aws dynamodb create-table --cli-input-json` takes; several as an array. */
export function emitCreateTable(tables: readonly PhysicalTable[]): string {
  const requests = tables.map(physicalRequest);
  return `${JSON.stringify(requests.length === 1 ? requests[0] : requests, undefined, 2)}\n`;
}
