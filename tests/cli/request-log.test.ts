import { ConditionalCheckFailedException, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { Places } from './places.ts';

const places = new Places();
const init = {
  tables: [
    {
      TableName: 'Orders',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    },
  ],
};
const keys = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'a-long-secret-of-a-test' };

async function started(...args: string[]) {
  const directory = await places.directory({
    'tables.json': init,
    'keys.json': { AccessKeyId: keys.accessKeyId, SecretAccessKey: keys.secretAccessKey },
  });
  const server = places.start(directory, [
    ...['start', '--in-memory', '--port', '0', '--init', 'tables.json'],
    ...args,
  ]);
  const endpoint = await server.endpoint();
  const client = new DynamoDBClient({
    ...{ endpoint, region: 'us-east-1', credentials: keys, maxAttempts: 1, userAgentAppId: 'checkout' },
  });
  const put = (id: string, ConditionExpression?: string) =>
    client.send(
      new PutItemCommand({
        ...{ TableName: 'Orders', Item: { id: { S: id } } },
        ...(ConditionExpression !== undefined && { ConditionExpression }),
      }),
    );
  return { server, endpoint, put };
}

async function stopped({ server }: Awaited<ReturnType<typeof started>>): Promise<string[]> {
  server.process.kill('SIGTERM');
  const { err } = await server.ended;
  return err.split('\n').filter((line) => / (Put|Delete)Item | POST \/_|"operation":/.test(line));
}

it('writes a line for each request', async () => {
  const run = await started('--log', 'requests');
  await run.put('a');
  await expect(run.put('a', 'attribute_not_exists(id)')).rejects.toThrow(ConditionalCheckFailedException);
  await fetch(`${run.endpoint}/_stator/nothing`, { method: 'POST' });
  const lines = await stopped(run);
  expect(lines).toEqual([
    expect.stringMatching(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z PutItem Orders 200 1 WCU [\d.]+ ms account=000000000000 key=AKIAEXAMPLE from=127\.0\.0\.1 pattern="checkout" [A-Z0-9]{52}$/,
    ),
    expect.stringMatching(
      /Z PutItem Orders 400 ConditionalCheckFailedException 1 WCU [\d.]+ ms account=000000000000 key=AKIAEXAMPLE from=127\.0\.0\.1 pattern="checkout" [A-Z0-9]{52}$/,
    ),
    expect.stringMatching(/Z POST \/_stator\/nothing 404 [\d.]+ ms from=127\.0\.0\.1 -$/),
  ]);
});

it('writes errors only, as JSON', async () => {
  const run = await started('--log', 'errors', '--log-format', 'json');
  await run.put('a');
  await expect(run.put('a', 'attribute_not_exists(id)')).rejects.toThrow(ConditionalCheckFailedException);
  const answer = await fetch(run.endpoint, {
    method: 'POST',
    headers: { 'x-amz-target': 'DynamoDB_20120810.Nonsense', 'content-type': 'application/x-amz-json-1.0' },
    body: '{}',
  });
  expect(answer.status).toBe(400);
  const lines = (await stopped(run)).map((line) => JSON.parse(line) as object);
  expect(lines).toEqual([
    {
      time: expect.stringMatching(/^\d{4}-/) as string,
      ...{ operation: 'PutItem', table: 'Orders', pattern: 'checkout' },
      ...{ status: 400, error: 'ConditionalCheckFailedException', readUnits: 0, writeUnits: 1 },
      ms: expect.any(Number) as number,
      ...{ account: '000000000000', accessKeyId: 'AKIAEXAMPLE', address: '127.0.0.1' },
      requestId: expect.stringMatching(/^[A-Z0-9]{52}$/) as string,
    },
    expect.objectContaining({ status: 400 }) as object,
  ]);
});

it('gives metrics for the token where signatures are verified, and tells of rejected ones', async () => {
  const run = await started(
    ...['--auth', 'verify', '--credentials', 'keys.json', '--metrics-token', 'token-of-the-scraper'],
  );
  await run.put('a');
  const metrics = (authorization?: string) =>
    fetch(
      `${run.endpoint}/_stator/metrics`,
      authorization === undefined ? {} : { headers: { authorization } },
    );
  expect((await metrics()).status).toBe(403);
  expect((await metrics('Bearer token-of-another')).status).toBe(403);
  const read = await metrics('Bearer token-of-the-scraper');
  expect(read.status).toBe(200);
  expect(await read.text()).toMatch(
    /^stator_consumed_write_capacity_units_total\{[^}]*table="Orders"[^}]*\} 1$/m,
  );
  // The token opens nothing else.
  const patterns = await fetch(`${run.endpoint}/_stator/patterns`, {
    headers: { authorization: 'Bearer token-of-the-scraper' },
  });
  expect(patterns.status).toBe(403);
  const stranger = new DynamoDBClient({
    ...{ endpoint: run.endpoint, region: 'us-east-1', maxAttempts: 1 },
    credentials: { ...keys, secretAccessKey: 'wrong' },
  });
  const put = new PutItemCommand({ TableName: 'Orders', Item: { id: { S: 'b' } } });
  await expect(stranger.send(put)).rejects.toThrow();
  await run.server.err.until(
    /PutItem was refused: InvalidSignatureException, request [A-Z0-9]{52}, key AKIAEXAMPLE, from 127\.0\.0\.1/,
  );
});
