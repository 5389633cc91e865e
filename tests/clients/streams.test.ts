import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DescribeStreamOutput, GetRecordsOutput, ListStreamsOutput } from '../../src/index.ts';
import { Stator, type StatorServer } from '../../src/index.ts';
import { installed, output } from './installed-programs.ts';

const pythons = await installed('python3', ['-c', 'import boto3']);
const clis = await installed('aws', ['--version']);
if (pythons.length === 0) console.info('boto3 is not installed and its tests do not run.');
if (clis.length === 0) console.info('The AWS CLI is not installed and its tests do not run.');

describe('a stream', () => {
  let db: Stator;
  let server: StatorServer;
  beforeEach(async () => {
    db = await Stator.open();
    server = await db.listen({ port: 0 });
  });
  afterEach(() => db.close());

  it.runIf(pythons.length > 0)('is read with boto3', async () => {
    const script = fileURLToPath(new URL('./boto3-streams.py', import.meta.url));
    for (const [i, python] of pythons.entries())
      expect(await output(python, [script, server.url, `PythonStream${i}`])).toBe('done\n');
  });

  it.runIf(clis.length > 0)('is read with the AWS CLI', async () => {
    const region = 'eu-west-1';
    const TableName = 'Music';
    const definition = {
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'Artist', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'Artist', KeyType: 'HASH' }],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    } as const;
    await db.createTable(definition, { region });
    await db.putItem({ TableName, Item: { Artist: { S: 'Acme' } } }, { region });
    for (const program of clis) {
      const aws = async (...args: string[]): Promise<unknown> =>
        JSON.parse(
          await output(program, [
            '--endpoint-url',
            server.url,
            '--output',
            'json',
            'dynamodbstreams',
            ...args,
          ]),
        );
      const { Streams } = (await aws('list-streams', '--table-name', TableName)) as ListStreamsOutput;
      const stream = ['--stream-arn', Streams[0]!.StreamArn];
      const described = (await aws('describe-stream', ...stream)) as DescribeStreamOutput;
      const found: string[] = [];
      for (const { ShardId } of described.StreamDescription.Shards) {
        const from = ['--shard-id', ShardId, '--shard-iterator-type', 'TRIM_HORIZON'];
        const { ShardIterator } = (await aws('get-shard-iterator', ...stream, ...from)) as {
          ShardIterator: string;
        };
        const page = (await aws('get-records', '--shard-iterator', ShardIterator)) as GetRecordsOutput;
        found.push(
          ...page.Records.map(({ eventName, dynamodb }) => `${eventName} ${dynamodb.Keys.Artist!.S}`),
        );
      }
      expect(found).toEqual(['INSERT Acme']);
    }
  });
});
