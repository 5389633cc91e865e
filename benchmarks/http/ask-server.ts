import { Connection } from './connection.ts';
import type { ServerProcess } from './server-process.ts';
import { RequestSigner } from './signed-request.ts';

/** One request to a server, outside of what is measured; a refusal is an error. */
export async function askServer(
  { contender, port }: ServerProcess,
  operation: string,
  input: object,
): Promise<Readonly<Record<string, unknown>>> {
  const { status, body } = await Connection.ask(port, new RequestSigner(port).request(operation, input));
  if (status !== 200) throw new Error(`${contender.name}: ${operation} was answered with ${status}: ${body}`);
  return JSON.parse(body) as Readonly<Record<string, unknown>>;
}
