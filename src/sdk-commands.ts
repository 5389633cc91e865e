import type { DynamoDBClient } from './sdk/sdk-types.ts';

type Command = new (input: object) => never;

let commands: Promise<Readonly<Record<string, Command>>> | undefined;

/** Sends a request by the name of its operation. Needs the package `@aws-sdk/client-dynamodb`. */
export async function send(client: DynamoDBClient, operation: string, input: object): Promise<unknown> {
  commands ??= import('@aws-sdk/client-dynamodb') as never;
  const Constructor = (await commands)[`${operation}Command`];
  if (Constructor === undefined) throw new TypeError(`The SDK has no command for ${operation}`);
  return client.send(new Constructor(input));
}
