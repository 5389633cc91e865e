import { type DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';

/**
 * Sends a body that the SDK would never write, signed by the SDK like any other. The answer is read as the answer of
 * ListTables, which is enough to see whether it was an error and which.
 */
export async function sendRaw(client: DynamoDBClient, operation: string, body: string): Promise<unknown> {
  const command = new ListTablesCommand({});
  command.middlewareStack.add(
    (next) => (args) => {
      const request = args.request as { headers: Record<string, string>; body: string };
      request.body = body;
      request.headers['x-amz-target'] = `DynamoDB_20120810.${operation}`;
      request.headers['content-length'] = String(Buffer.byteLength(body));
      return next(args);
    },
    // After the SDK has written its own body and length, before it signs.
    { step: 'build', priority: 'low', name: 'rawBody' },
  );
  return await client.send(command);
}
