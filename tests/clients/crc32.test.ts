import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { crc32, gunzipSync } from 'node:zlib';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  GetItemCommand,
  PutItemCommand,
  TagResourceCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';

/** What came over the wire, in the order in which it came. */
interface Seen {
  readonly encoding: string | undefined;
  readonly bytes: number;
}

type Handler = NonNullable<DynamoDBClientConfig['requestHandler']>;

/**
 * The SDKs for Java and Go compare every answer's bytes, as they came, with the checksum in its header, and do not
 * take an answer for which the two differ. This is their behaviour in a client that has none of its own.
 */
function verifyingHandler(acceptEncoding: string, seen: Seen[]): Handler {
  return {
    async handle(sent: {
      hostname: string;
      port?: number;
      method: string;
      path: string;
      headers: Record<string, string>;
      body?: string | Uint8Array;
    }) {
      const { hostname, port, method, path, body } = sent;
      const headers = { ...sent.headers, 'accept-encoding': acceptEncoding };
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        request({ hostname, port, method, path, headers }, resolve).on('error', reject).end(body);
      });
      const bytes = await buffer(response);
      const encoding = response.headers['content-encoding'];
      if (response.headers['x-amz-crc32'] !== String(crc32(bytes)))
        throw new Error(`An answer of ${bytes.length} bytes does not match its checksum`);
      seen.push({ encoding, bytes: bytes.length });
      return {
        response: {
          statusCode: response.statusCode,
          headers: response.headers,
          body: new Uint8Array(encoding === 'gzip' ? gunzipSync(bytes) : bytes),
        },
      };
    },
  };
}

describe.each(['gzip', 'identity'])('a client that verifies x-amz-crc32 and accepts %s', (acceptEncoding) => {
  let db: Stator;
  let client: DynamoDBClient;
  const seen: Seen[] = [];
  const TableName = 'checked';

  beforeAll(async () => {
    db = await Stator.open();
    const { url } = await db.listen({ port: 0 });
    client = new DynamoDBClient({
      endpoint: url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'anyone', secretAccessKey: 'anything' },
      maxAttempts: 1,
      requestHandler: verifyingHandler(acceptEncoding, seen),
    });
  });
  afterAll(() => db.close());

  it('takes answers large and small, empty ones and errors', async () => {
    const { TableDescription: table } = await client.send(
      new CreateTableCommand({
        TableName,
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
    await client.send(
      new TagResourceCommand({ ResourceArn: table!.TableArn!, Tags: [{ Key: 'a', Value: 'b' }] }),
    );
    expect(seen.at(-1)).toEqual({ encoding: undefined, bytes: 0 });
    for (const length of [10, 5_000, 400_000]) {
      const Item = { pk: { S: 'a' }, text: { S: 'ß'.repeat(length / 2) } };
      await client.send(new PutItemCommand({ TableName, Item }));
      const found = await client.send(new GetItemCommand({ TableName, Key: { pk: { S: 'a' } } }));
      expect(found.Item).toEqual(Item);
      const isCompressed = acceptEncoding === 'gzip' && length > 4096;
      expect(seen.at(-1)!.encoding).toBe(isCompressed ? 'gzip' : undefined);
      if (isCompressed) expect(seen.at(-1)!.bytes).toBeLessThan(length);
    }
    await client.send(new DeleteTableCommand({ TableName }));
    await expect(
      client.send(new GetItemCommand({ TableName, Key: { pk: { S: 'a' } } })),
    ).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });
});
