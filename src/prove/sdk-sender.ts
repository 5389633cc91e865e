import type { Request } from '../design/index.ts';
import type { Stator } from '../index.ts';

/** Sends requests through the AWS SDK's own client, without a socket. */
export async function sdkSender(db: Stator): Promise<(request: Request) => Promise<unknown>> {
  const client = db.client({ maxAttempts: 1 });
  const { send } = await import('../sdk-commands.ts');
  return (request) => send(client, request.operation, request.input);
}
