import {
  DescribeContributorInsightsCommand,
  ListContributorInsightsCommand,
  UpdateContributorInsightsCommand,
} from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { expectRefused } from './refusal.ts';

throughEveryDoor('contributor insights', (door) => {
  const keys = {
    AttributeDefinitions: ['pk', 'sk', 'ipk'].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S' as const,
    })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' as const },
      { AttributeName: 'sk', KeyType: 'RANGE' as const },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'byIpk',
        KeySchema: [{ AttributeName: 'ipk', KeyType: 'HASH' as const }],
        Projection: { ProjectionType: 'ALL' as const },
      },
    ],
  };
  const describe = (TableName: string, IndexName?: string) =>
    door.client.send(new DescribeContributorInsightsCommand({ TableName, ...(IndexName && { IndexName }) }));

  it('are off until they are switched on, for a table and for an index', async () => {
    const TableName = await door.createTable(keys);
    expect(await describe(TableName)).toMatchObject({ TableName, ContributorInsightsStatus: 'DISABLED' });
    const enabled = await door.client.send(
      new UpdateContributorInsightsCommand({ TableName, ContributorInsightsAction: 'ENABLE' }),
    );
    expect(enabled).toMatchObject({
      TableName,
      ContributorInsightsStatus: 'ENABLING',
      ContributorInsightsMode: 'ACCESSED_AND_THROTTLED_KEYS',
    });
    if (door.onAws) return;
    const found = await describe(TableName);
    expect(found.ContributorInsightsStatus).toBe('ENABLED');
    expect(found.LastUpdateDateTime).toBeInstanceOf(Date);
    expect(found.ContributorInsightsRuleList!.map((rule) => rule.replace(/-\d+$/, ''))).toEqual(
      ['PKC', 'SKC', 'PKT', 'SKT'].map((kind) => `DynamoDBContributorInsights-${kind}-${TableName}`),
    );
    expect(await describe(TableName, 'byIpk')).toMatchObject({ ContributorInsightsStatus: 'DISABLED' });
    await door.client.send(
      new UpdateContributorInsightsCommand({
        TableName,
        IndexName: 'byIpk',
        ContributorInsightsAction: 'ENABLE',
        ContributorInsightsMode: 'THROTTLED_KEYS',
      }),
    );
    const ofIndex = await describe(TableName, 'byIpk');
    expect(ofIndex).toMatchObject({ IndexName: 'byIpk', ContributorInsightsMode: 'THROTTLED_KEYS' });
    // An index without a sort key has the rules of partition keys only.
    expect(ofIndex.ContributorInsightsRuleList!.map((rule) => rule.split('-')[1])).toEqual(['PKT']);

    const first = await door.client.send(new ListContributorInsightsCommand({ TableName, MaxResults: 1 }));
    expect(first.ContributorInsightsSummaries).toEqual([
      {
        TableName,
        ContributorInsightsStatus: 'ENABLED',
        ContributorInsightsMode: 'ACCESSED_AND_THROTTLED_KEYS',
      },
    ]);
    const second = await door.client.send(
      new ListContributorInsightsCommand({ TableName, MaxResults: 1, NextToken: first.NextToken }),
    );
    expect(second.ContributorInsightsSummaries).toMatchObject([{ IndexName: 'byIpk' }]);
    expect(second.NextToken).toBeUndefined();

    const disabled = await door.client.send(
      new UpdateContributorInsightsCommand({ TableName, ContributorInsightsAction: 'DISABLE' }),
    );
    expect(disabled.ContributorInsightsStatus).toBe('DISABLING');
    const after = await describe(TableName);
    expect(after.ContributorInsightsStatus).toBe('DISABLED');
    expect(after.ContributorInsightsRuleList).toBeUndefined();
  });

  it('refuse what does not exist', async () => {
    await expectRefused(
      door,
      describe('no-such-table'),
      'ResourceNotFoundException',
      'Requested resource not found: Table: no-such-table not found',
    );
    const TableName = await door.createTable();
    await expect(describe(TableName, 'no-such-index')).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });
});
