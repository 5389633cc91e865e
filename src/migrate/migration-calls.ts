/** The public API of DynamoDB, as far as a migration needs it: one call, by the name of its operation. */
export interface MigrationCalls {
  call<Answer>(operation: MigrationOperation, input: object): Promise<Answer>;
}

/** The operations that a migration calls: what its credentials must allow. */
export type MigrationOperation =
  | 'BatchGetItem'
  | 'CreateTable'
  | 'DeleteItem'
  | 'DescribeTable'
  | 'GetItem'
  | 'PutItem'
  | 'Query'
  | 'Scan'
  | 'TransactGetItems'
  | 'TransactWriteItems'
  | 'UpdateItem'
  | 'UpdateTable'
  | 'UpdateTimeToLive';

/** What is needed of a `DynamoDBClient`. */
export interface MigrationClient {
  send(command: never): Promise<unknown>;
}

/** Calls by a client of the AWS SDK. The command classes may be handed in, for bundlers. */
export function sdkCalls(
  client: MigrationClient,
  commands?: Readonly<Record<string, new (input: never) => unknown>>,
): MigrationCalls {
  let loaded = commands;
  return {
    async call<Answer>(operation: MigrationOperation, input: object): Promise<Answer> {
      loaded ??= (await import('@aws-sdk/client-dynamodb')) as unknown as NonNullable<typeof commands>;
      return client.send(new loaded[`${operation}Command`]!(input as never) as never) as Promise<Answer>;
    },
  };
}

/** Time and chance of a migration, handed in by whoever starts it. */
export interface MigrationSurroundings {
  readonly now: () => number;
  /** Rejects when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
}
