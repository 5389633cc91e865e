import type { CreateTableInput } from '../index.ts';

interface Choices {
  readonly name?: string;
  /** Global indexes by name, with keys `<name>PK` and `<name>SK` of type S and everything projected. */
  readonly indexes?: readonly string[];
  /** Read and write units a second; on demand unless given. */
  readonly provisioned?: readonly [reads: number, writes: number];
  /** What a table on demand has been used to. */
  readonly warm?: readonly [reads: number, writes: number];
}

/** The table of most exercises: `app`, with the keys `PK` and `SK`. */
export function appTable({ name = 'app', indexes = [], provisioned, warm }: Choices = {}): CreateTableInput {
  const throughput = provisioned && {
    ProvisionedThroughput: { ReadCapacityUnits: provisioned[0], WriteCapacityUnits: provisioned[1] },
  };
  const names = ['PK', 'SK', ...indexes.flatMap((index) => [`${index}PK`, `${index}SK`])];
  return {
    TableName: name,
    BillingMode: throughput === undefined ? 'PAY_PER_REQUEST' : 'PROVISIONED',
    ...throughput,
    ...(warm && { WarmThroughput: { ReadUnitsPerSecond: warm[0], WriteUnitsPerSecond: warm[1] } }),
    AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: keys('PK', 'SK'),
    ...(indexes.length > 0 && {
      GlobalSecondaryIndexes: indexes.map((index) => ({
        IndexName: index,
        KeySchema: keys(`${index}PK`, `${index}SK`),
        Projection: { ProjectionType: 'ALL' as const },
        ...throughput,
      })),
    }),
  };
}

function keys(partition: string, sort: string) {
  return [
    { AttributeName: partition, KeyType: 'HASH' as const },
    { AttributeName: sort, KeyType: 'RANGE' as const },
  ];
}
