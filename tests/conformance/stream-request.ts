import { type DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import type {
  DescribeStreamOutput,
  GetRecordsOutput,
  GetShardIteratorOutput,
  ListStreamsOutput,
} from '../../src/index.ts';
import type { Door } from './doors.ts';

/** What the operations of DynamoDB Streams answer. */
interface Answers {
  readonly ListStreams: ListStreamsOutput;
  readonly DescribeStream: DescribeStreamOutput;
  readonly GetShardIterator: GetShardIteratorOutput;
  readonly GetRecords: GetRecordsOutput;
}

/**
 * Sends a request to DynamoDB Streams with the client of DynamoDB: signed and, when it is refused, read by the SDK, but
 * with another target. An answer is given as it came, with dates as seconds and bytes as base64.
 */
export async function sendStreams<Name extends keyof Answers>(
  { client, onAws }: Pick<Door, 'client' | 'onAws'>,
  operation: Name,
  input: object,
): Promise<Answers[Name]> {
  const command = new ListTablesCommand({});
  const region = await (client as DynamoDBClient).config.region();
  let answered = '';
  command.middlewareStack.add(
    (next) => (args) => {
      const request = args.request as { headers: Record<string, string>; body: string; hostname: string };
      request.body = JSON.stringify(input);
      request.headers['x-amz-target'] = `DynamoDBStreams_20120810.${operation}`;
      request.headers['content-length'] = String(Buffer.byteLength(request.body));
      if (onAws) {
        request.hostname = `streams.dynamodb.${region}.amazonaws.com`;
        request.headers.host = request.hostname;
      }
      return next(args);
    },
    // After the SDK has written its own body and length, before it signs.
    { step: 'build', priority: 'low', name: 'streamsRequest' },
  );
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const response = result.response as { body: AsyncIterable<Uint8Array> | Uint8Array };
      const { body } = response;
      const bytes = Buffer.from(body instanceof Uint8Array ? body : await collected(body));
      answered = bytes.toString();
      response.body = bytes;
      return result;
    },
    // Next to the socket, before the SDK reads the answer.
    { step: 'deserialize', priority: 'low', name: 'streamsAnswer' },
  );
  await client.send(command);
  return JSON.parse(answered) as Answers[Name];
}

async function collected(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
