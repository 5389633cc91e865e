import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Stator, type StatorServer } from '../../src/index.ts';
import { installed, output } from './installed-programs.ts';

const programs = await installed('aws', ['--version']);
if (programs.length === 0)
  console.info('The AWS CLI is not installed and its tests do not run: apt-get install awscli');

describe('the AWS CLI', () => {
  let db: Stator;
  let server: StatorServer;
  beforeEach(async () => {
    db = await Stator.open();
    server = await db.listen({ port: 0 });
  });
  afterEach(() => db.close());

  it.runIf(programs.length > 0).each(programs.length > 0 ? programs : ['awscli'])(
    'works as %s',
    async (program) => {
      const aws = async (command: string, ...args: string[]) => {
        const text = await output(program, [
          ...['--endpoint-url', server.url, '--output', 'json', 'dynamodb', ...command.split(' ')],
          ...args,
        ]);
        return text === '' ? undefined : (JSON.parse(text) as Record<string, never>);
      };
      const name = ['--table-name', 'Music'];
      const key = ['--key', '{"Artist":{"S":"Acme"},"Song":{"S":"Happy Day"}}'];
      const item = {
        Artist: { S: 'Acme' },
        Song: { S: 'Happy Day' },
        Year: { N: '2015' },
        Tags: { SS: ['a', 'b'] },
        Cover: { NULL: true },
      };

      const created = await aws(
        'create-table --billing-mode PAY_PER_REQUEST',
        ...name,
        ...[
          '--attribute-definitions',
          'AttributeName=Artist,AttributeType=S',
          'AttributeName=Song,AttributeType=S',
        ],
        ...['--key-schema', 'AttributeName=Artist,KeyType=HASH', 'AttributeName=Song,KeyType=RANGE'],
      );
      expect(created).toMatchObject({ TableDescription: { TableName: 'Music', TableStatus: 'CREATING' } });
      await aws('wait table-exists', ...name);
      const described = await aws('describe-table', ...name);
      expect(described).toMatchObject({ Table: { TableStatus: 'ACTIVE' } });
      expect(await aws('list-tables')).toEqual({ TableNames: ['Music'] });

      const arn = 'arn:aws:dynamodb:eu-west-1:000000000000:table/Music';
      await aws('tag-resource', '--resource-arn', arn, '--tags', 'Key=team,Value=blue');
      expect(await aws('list-tags-of-resource', '--resource-arn', arn)).toEqual({
        Tags: [{ Key: 'team', Value: 'blue' }],
      });

      await aws('put-item', ...name, '--item', JSON.stringify(item));
      expect(await aws('get-item --consistent-read', ...name, ...key)).toEqual({ Item: item });
      const removed = await aws('delete-item --return-values ALL_OLD', ...name, ...key);
      expect(removed).toEqual({ Attributes: item });
      expect(await aws('get-item', ...name, ...key)).toBeUndefined();

      const put = {
        Put: { TableName: 'Music', Item: item, ConditionExpression: 'attribute_not_exists(Song)' },
      };
      const transact = ['--transact-items', JSON.stringify([put])];
      await aws('transact-write-items --client-request-token twice', ...transact);
      await aws('transact-write-items --client-request-token twice', ...transact);
      const get = { Get: { TableName: 'Music', Key: { Artist: item.Artist, Song: item.Song } } };
      expect(await aws('transact-get-items', '--transact-items', JSON.stringify([get]))).toEqual({
        Responses: [{ Item: item }],
      });
      await expect(aws('transact-write-items', ...transact)).rejects.toThrow(
        'An error occurred (TransactionCanceledException) when calling the TransactWriteItems operation: Transaction cancelled, please refer cancellation reasons for specific reasons [ConditionalCheckFailed]',
      );

      await expect(aws('describe-table', '--table-name', 'Nothing')).rejects.toThrow(
        'An error occurred (ResourceNotFoundException) when calling the DescribeTable operation: Requested resource not found: Table: Nothing not found',
      );
      const deleted = await aws('delete-table', ...name);
      expect(deleted).toMatchObject({ TableDescription: { TableStatus: 'DELETING' } });
      await aws('wait table-not-exists', ...name);
      expect(await aws('list-tables')).toEqual({ TableNames: [] });
    },
  );
});
