import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { awsApis } from '../../src/aws-apis.ts';
import { controlResources } from '../../src/control/control-api.ts';
import type { Monitoring } from '../../src/monitoring.ts';
import allOperations from '../../src/operations/all-operations.ts';
import { foreignControl, foreignRequests, type Things } from './foreign-requests.ts';
import { accounts, type Key, type Prefix, type Reply, secret, TwoAccounts } from './two-accounts.ts';

let here: TwoAccounts;
let existing: Things;
let missing: Things;
let shardIds: string[];

const definition = (TableName: string) => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: ['pk', 'x'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'by-x',
      KeySchema: [{ AttributeName: 'x', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
});

async function must(reply: Promise<Reply>): Promise<Record<string, unknown>> {
  const { status, text, body } = await reply;
  expect({ status, text }).toMatchObject({ status: 200 });
  return body;
}

beforeAll(async () => {
  here = await TwoAccounts.start();
  await must(here.dynamo('a', 'CreateTable', definition('own')));
  const created = await must(here.dynamo('b', 'CreateTable', definition('orders')));
  const { TableArn, LatestStreamArn } = created.TableDescription as Record<string, string>;
  await must(
    here.dynamo('b', 'UpdateContinuousBackups', {
      TableName: 'orders',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    }),
  );
  const Item = { pk: { S: 'x' }, x: { S: 'x' }, note: { S: secret } };
  await must(here.dynamo('b', 'PutItem', { TableName: 'orders', Item }));
  const { BackupDetails } = await must(
    here.dynamo('b', 'CreateBackup', { TableName: 'orders', BackupName: 'first' }),
  );
  const { StreamDescription } = await must(
    here.streams('b', 'DescribeStream', { StreamArn: LatestStreamArn }),
  );
  shardIds = (StreamDescription as { Shards: { ShardId: string }[] }).Shards.map(({ ShardId }) => ShardId);
  const { ShardIterator } = await must(
    here.streams('b', 'GetShardIterator', {
      ...{ StreamArn: LatestStreamArn, ShardId: shardIds[0], ShardIteratorType: 'TRIM_HORIZON' },
    }),
  );
  const { ExportDescription } = await must(
    here.dynamo('b', 'ExportTableToPointInTime', { TableArn, S3Bucket: 'of-b' }),
  );
  await must(
    here.call('b', 'GraniteServiceVersion20100801', 'PutMetricAlarm', {
      ...{ AlarmName: 'one', Namespace: 'x', MetricName: 'y', Statistic: 'Sum', Period: 60 },
      ...{ EvaluationPeriods: 1, Threshold: 1, ComparisonOperator: 'GreaterThanThreshold' },
    }),
  );
  existing = {
    ...{ arn: TableArn!, stream: LatestStreamArn!, iterator: ShardIterator as string },
    backup: (BackupDetails as { BackupArn: string }).BackupArn,
    export: (ExportDescription as { ExportArn: string }).ExportArn,
    import: `${TableArn}/import/01700000000000-00000000`,
    alarm: `arn:aws:cloudwatch:us-east-1:${accounts.b}:alarm:one`,
    target: `arn:aws:application-autoscaling:us-east-1:${accounts.b}:scalable-target/0ec5`,
  };
  const elsewhere = (text: string) =>
    text.replace('table/orders', 'table/absent').replace('alarm:one', 'alarm:absent').replace('0ec5', '0ec6');
  missing = Object.fromEntries(
    Object.entries(existing).map(([name, arn]) => [name, elsewhere(arn)]),
  ) as unknown as Things;
});

afterAll(async () => {
  await here.db.close();
});

/** The texts differ by the names that the caller sent, and by nothing else. */
function unnamed({ status, type, message }: Reply): object {
  return {
    status,
    type,
    message: message
      ?.replaceAll('absent', 'orders')
      .replaceAll('alarm:one', 'alarm:orders')
      .replace('0ec6', '0ec5'),
  };
}

const isDenied =
  /^User: arn:aws:iam::111111111111:user\/a is not authorized to perform: [\w:-]+ on resource: \S+ because no resource-based policy allows the [\w:-]+ action$/;

describe('with two accounts and verified signatures', () => {
  it('every operation of every API has requests that name what is not the caller’s', () => {
    const apis = awsApis(() => ({}) as Monitoring).map(
      ({ targetPrefix, operations }) => [targetPrefix, [...operations.keys()].sort()] as const,
    );
    const own = Object.entries(allOperations).map(
      ([prefix, operations]) =>
        [
          prefix,
          Object.values(operations)
            .map(({ name }) => name)
            .sort(),
        ] as const,
    );
    const tried = Object.entries(foreignRequests).map(
      ([prefix, operations]) => [prefix, Object.keys(operations).sort()] as const,
    );
    expect(Object.fromEntries(tried)).toEqual(Object.fromEntries([...own, ...apis]));
  });

  it('every resource of the control API has requests for what is not the caller’s', () => {
    const namespaces = { base: here.db } as unknown as Parameters<typeof controlResources>[0];
    const guard = {} as Parameters<typeof controlResources>[1];
    const served = controlResources(namespaces, guard).flatMap(({ path, methods }) =>
      Object.keys(methods).map((method) => `${method} ${path.join('/')}`),
    );
    expect(Object.keys(foreignControl).sort()).toEqual(served.sort());
  });

  it('lists to each account what is its own', async () => {
    const lists: readonly (readonly [Prefix, string, object])[] = [
      ['DynamoDB_20120810', 'ListTables', {}],
      ['DynamoDB_20120810', 'ListBackups', {}],
      ['DynamoDB_20120810', 'ListExports', {}],
      ['DynamoDB_20120810', 'ListContributorInsights', {}],
      ['DynamoDBStreams_20120810', 'ListStreams', {}],
      ['GraniteServiceVersion20100801', 'DescribeAlarms', {}],
      ['GraniteServiceVersion20100801', 'ListMetrics', {}],
    ];
    for (const [prefix, operation, input] of lists) {
      const { status, text } = await here.call('a', prefix, operation, input);
      expect({ operation, status }).toEqual({ operation, status: 200 });
      expect(text).not.toMatch(/orders|222222222222|"one"/);
    }
    for (const path of ['patterns', 'series', 'physics', 'followers', 'doctor', 'live', 'tables']) {
      const { status, text } = await here.control('a', 'GET', `/_stator/${path}`);
      expect({ path, status }).toEqual({ path, status: 200 });
      expect(text).not.toMatch(/orders|222222222222/);
    }
  });

  it('refuses every operation on what is not the caller’s, whether it exists or not', async () => {
    const before = await stateOfB();
    for (const [prefix, operations] of Object.entries(foreignRequests)) {
      for (const [operation, requests] of Object.entries(operations)) {
        const [there, absent] = [requests(existing), requests(missing)];
        for (const [i, input] of there.entries()) {
          const reply = await here.call('a', prefix as Prefix, operation, input);
          const what = `${operation} ${JSON.stringify(input)}`;
          expect({ what, type: reply.type, message: reply.message }).toEqual({
            what,
            type: 'AccessDeniedException',
            message: expect.stringMatching(isDenied),
          });
          expect(unnamed(await here.call('a', prefix as Prefix, operation, absent[i]!))).toEqual(
            unnamed(reply),
          );
        }
      }
    }
    expect(await stateOfB()).toEqual(before);
  });

  it('refuses every control resource of what is not the caller’s', async () => {
    for (const [resource, requests] of Object.entries(foreignControl)) {
      if (requests === 'everyone') continue;
      const [method, path] = resource.split(' ') as [string, string];
      const asked =
        requests === 'administrator' ? [[path.replaceAll('<name>', 'x')] as const] : requests(existing);
      const absent = requests === 'administrator' ? asked : requests(missing);
      for (const [i, [query, body]] of asked.entries()) {
        const reply = await here.control('a', method, `/_stator/${query}`, body);
        expect({ resource, query, status: reply.status, message: reply.message }).toEqual({
          ...{ resource, query, status: 403 },
          message:
            requests === 'administrator'
              ? expect.stringContaining('not the key of an administrator')
              : expect.stringMatching(isDenied),
        });
        const [otherQuery, otherBody] = absent[i]!;
        const other = await here.control('a', method, `/_stator/${otherQuery}`, otherBody);
        expect(unnamed(other)).toEqual(unnamed(reply));
      }
    }
  });

  it('shows to each account the models of its own tables, and all to an administrator', async () => {
    const shown = async (key: Key) => {
      const { models } = await must(here.control(key, 'GET', '/_stator/models'));
      return (models as { model: { name: string } }[]).map(({ model }) => model.name);
    };
    expect(await shown('a')).toEqual([`of-${accounts.a}`]);
    expect(await shown('b')).toEqual([`of-${accounts.b}`]);
    expect(await shown('root')).toEqual(['of-nobody', `of-${accounts.a}`, `of-${accounts.b}`]);
  });

  it('refuses single statements of a batch, and runs the others', async () => {
    await must(here.dynamo('a', 'PutItem', { TableName: 'own', Item: { pk: { S: 'x' } } }));
    for (const { arn } of [existing, missing]) {
      const statements = [`SELECT * FROM own WHERE pk = 'x'`, `SELECT * FROM "${arn}" WHERE pk = 'x'`];
      const { Responses } = await must(
        here.dynamo('a', 'BatchExecuteStatement', {
          Statements: statements.map((Statement) => ({ Statement })),
        }),
      );
      expect(Responses).toEqual([
        { TableName: 'own', Item: { pk: { S: 'x' } } },
        { Error: { Code: 'AccessDenied', Message: expect.stringMatching(isDenied) } },
      ]);
    }
    await must(here.dynamo('a', 'DeleteItem', { TableName: 'own', Key: { pk: { S: 'x' } } }));
  });

  it('serves an account its own things by ARN', async () => {
    const { arn, stream, backup } = existing;
    await must(here.dynamo('b', 'GetItem', { TableName: arn, Key: { pk: { S: 'x' } } }));
    await must(here.dynamo('b', 'DescribeTable', { TableName: arn }));
    await must(here.dynamo('b', 'DescribeBackup', { BackupArn: backup }));
    await must(here.dynamo('b', 'ListTagsOfResource', { ResourceArn: arn }));
    await must(here.dynamo('b', 'ExecuteStatement', { Statement: `SELECT * FROM "${arn}"` }));
    await must(here.streams('b', 'DescribeStream', { StreamArn: stream }));
    let records = '';
    for (const ShardId of shardIds) {
      const shard = { StreamArn: stream, ShardId, ShardIteratorType: 'TRIM_HORIZON' };
      const { ShardIterator } = await must(here.streams('b', 'GetShardIterator', shard));
      records += (await here.streams('b', 'GetRecords', { ShardIterator })).text;
    }
    expect(records).toContain(secret);
    await must(here.control('b', 'POST', '/_stator/explain', { statement: `SELECT * FROM "${arn}"` }));
    const now = `/_stator/at/${encodeURIComponent(arn)}?time=${Date.now()}`;
    expect((await here.control('b', 'POST', now, { Scan: {} })).text).toContain(secret);
  });

  it('lets the administrator of the server look at every account, and act in its own', async () => {
    const path = `/_stator/physics/orders?accountId=${accounts.b}`;
    expect((await here.control('root', 'GET', path)).status).toBe(200);
    expect((await here.dynamo('root', 'DescribeTable', { TableName: existing.arn })).type).toBe(
      'AccessDeniedException',
    );
  });

  it('leaves requests that cannot be read to their operations', async () => {
    const asked: readonly (readonly [string, object, string])[] = [
      ['GetItem', { TableName: 'arn:aws:dynamodb:nowhere', Key: { pk: { S: 'x' } } }, 'ValidationException'],
      ['ExecuteStatement', { Statement: 'nonsense' }, 'ValidationException'],
      ['BatchExecuteStatement', { Statements: [{ Statement: 'nonsense' }] }, 'undefined'],
      ['TransactWriteItems', { TransactItems: [{}] }, 'ValidationException'],
      ['TagResource', { ResourceArn: 'x', Tags: [] }, 'ValidationException'],
      ['DescribeBackup', { BackupArn: 'x'.repeat(40) }, 'ValidationException'],
    ];
    for (const [operation, input, type] of asked) {
      const reply = await here.dynamo('a', operation, input);
      expect({ operation, type: String(reply.type) }).toEqual({ operation, type });
    }
    expect((await here.streams('a', 'GetRecords', { ShardIterator: 'x' })).type).toBe('ValidationException');
  });
});

async function stateOfB(): Promise<object> {
  const look = async (operation: string, input: object, key: Key = 'b') =>
    (await here.dynamo(key, operation, input)).body;
  return {
    tables: await look('ListTables', {}),
    table: await look('DescribeTable', { TableName: 'orders' }),
    items: await look('Scan', { TableName: 'orders' }),
    backups: await look('ListBackups', {}),
    recovery: (await look('DescribeContinuousBackups', { TableName: 'orders' })).ContinuousBackupsStatus,
    expiry: await look('DescribeTimeToLive', { TableName: 'orders' }),
    tags: await look('ListTagsOfResource', { ResourceArn: existing.arn }),
    own: await look('Scan', { TableName: 'own' }, 'a'),
    tablesOfA: await look('ListTables', {}, 'a'),
  };
}
