import { CloudWatchClient, DescribeAlarmsCommand, PutMetricAlarmCommand } from '@aws-sdk/client-cloudwatch';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { type AlarmedTable, recommendedAlarms } from '../../src/observe/alarms/recommended-alarms.ts';
import { dismissPatients, itemOf, named, type Patient, patient, put, withTable } from './patient.ts';

afterEach(dismissPatients);

describe('the alarms that stator alarms installs', () => {
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const clientOf = ({ url }: Patient) =>
    new CloudWatchClient({ endpoint: url, region: 'us-east-1', credentials });
  const firing = async (client: CloudWatchClient) =>
    (await client.send(new DescribeAlarmsCommand({ StateValue: 'ALARM' }))).MetricAlarms!.map(
      ({ AlarmName }) => AlarmName,
    );
  const install = async (client: CloudWatchClient, table: Partial<AlarmedTable> = {}) => {
    const about = { tableName: 'Orders', indexNames: [], provisioned: undefined, ...table };
    for (const alarm of recommendedAlarms(about))
      await client.send(new PutMetricAlarmCommand(alarm as never));
  };

  it('fire for a reader of a stream that is two hours behind, which is a finding too', async () => {
    const one = await patient({ physics: 'off' });
    await withTable(one, {
      TableName: 'Orders',
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
    });
    const { Table } = await one.db.describeTable({ TableName: 'Orders' });
    const StreamArn = Table!.LatestStreamArn!;
    const client = clientOf(one);
    await install(client, { stream: { label: Table!.LatestStreamLabel!, lateSeconds: 60 } });
    const { StreamDescription } = await one.db.describeStream({ StreamArn });
    for (let i = 0; i < 130; i++) {
      await put(one.client, 'Orders', { pk: 'same', sk: 'x', n: i });
      await one.pass(60_000);
    }
    // One record a minute, as fast as they come: two hours behind for good.
    let iterator: string | undefined;
    for (const { ShardId } of StreamDescription!.Shards!) {
      const start = { StreamArn, ShardId: ShardId!, ShardIteratorType: 'TRIM_HORIZON' as const };
      const { ShardIterator } = await one.db.getShardIterator(start);
      const { Records } = await one.db.getRecords({ ShardIterator: ShardIterator!, Limit: 1 });
      if (Records!.length > 0) iterator = ShardIterator!;
    }
    for (let i = 0; i < 8; i++) {
      const answer = await one.db.getRecords({ ShardIterator: iterator!, Limit: 1 });
      iterator = answer.NextShardIterator;
      await one.pass(60_000);
    }
    expect(await firing(client)).toEqual(['Orders stream iterator age']);
    const report = await one.doctor();
    expect(named(report, 'stream-lag')).toMatchObject({
      table: 'Orders',
      symptom: expect.stringMatching(/sees changes 2(?:\.\d)? hours late/),
    });
  });

  it('fire when conditions fail more and more often, and not when they fail evenly', async () => {
    const one = await patient({ physics: 'off' });
    await withTable(one, { TableName: 'Orders' });
    const client = clientOf(one);
    await install(client);
    const fail = async (times: number) => {
      for (let i = 0; i < times; i++)
        await one.client
          .send(
            new PutItemCommand({
              TableName: 'Orders',
              Item: itemOf({ pk: 'a', sk: 'b' }),
              ConditionExpression: 'attribute_exists(pk)',
            }),
          )
          .catch(() => {});
      await one.pass(60_000);
    };
    for (let minute = 0; minute < 30; minute++) await fail(5);
    expect(await firing(client)).toEqual([]);
    for (let minute = 0; minute < 25; minute++) await fail(5 + 2 * minute);
    expect(await firing(client)).toEqual(['Orders conditional check failures rise']);
  });
});
