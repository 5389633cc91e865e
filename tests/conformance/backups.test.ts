import {
  CreateBackupCommand,
  type CreateTableCommandInput,
  DeleteBackupCommand,
  DeleteItemCommand,
  DeleteTableCommand,
  DescribeBackupCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ListBackupsCommand,
  ListTagsOfResourceCommand,
  PutItemCommand,
  QueryCommand,
  RestoreTableFromBackupCommand,
  type RestoreTableFromBackupCommandInput,
  RestoreTableToPointInTimeCommand,
  type RestoreTableToPointInTimeCommandInput,
  ScanCommand,
  UpdateContinuousBackupsCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { throughEveryDoor, waiting } from './doors.ts';
import { expectInvalid } from './refusal.ts';

throughEveryDoor('backups', (door) => {
  // Restores take minutes on the service, and its latest restorable time trails by five.
  if (process.env.STATOR_TEST_ENDPOINT === 'aws') return;
  const put = (TableName: string, pk: string, extra: Record<string, { S: string }> = {}) =>
    door.client.send(new PutItemCommand({ TableName, Item: { pk: { S: pk }, ...extra } }));
  const keys = async (TableName: string) =>
    ((await door.client.send(new ScanCommand({ TableName, ConsistentRead: true }))).Items ?? [])
      .map(({ pk }) => pk!.S!)
      .sort();
  const recovery = (TableName: string, PointInTimeRecoveryEnabled: boolean, RecoveryPeriodInDays?: number) =>
    door.client.send(
      new UpdateContinuousBackupsCommand({
        TableName,
        PointInTimeRecoverySpecification: {
          PointInTimeRecoveryEnabled,
          ...(RecoveryPeriodInDays !== undefined && { RecoveryPeriodInDays }),
        },
      }),
    );
  const backUp = async (TableName: string, BackupName = 'backup') =>
    (await door.client.send(new CreateBackupCommand({ TableName, BackupName }))).BackupDetails!.BackupArn!;
  const available = async (BackupArn: string) => {
    for (;;) {
      const { BackupDescription } = await door.client.send(new DescribeBackupCommand({ BackupArn }));
      if (BackupDescription!.BackupDetails!.BackupStatus === 'AVAILABLE') return BackupDescription!;
    }
  };
  const active = (TableName: string) =>
    waitUntilTableExists({ client: door.client, ...waiting }, { TableName });
  const restore = async (BackupArn: string, input: Partial<RestoreTableFromBackupCommandInput> = {}) => {
    const TargetTableName = door.removeLater(door.newName());
    await door.client.send(new RestoreTableFromBackupCommand({ BackupArn, TargetTableName, ...input }));
    await active(TargetTableName);
    return TargetTableName;
  };
  const rewind = async (input: Partial<RestoreTableToPointInTimeCommandInput>) => {
    const TargetTableName = door.removeLater(door.newName());
    await door.client.send(new RestoreTableToPointInTimeCommand({ TargetTableName, ...input }));
    await active(TargetTableName);
    return TargetTableName;
  };
  const described = async (TableName: string) =>
    (await door.client.send(new DescribeTableCommand({ TableName }))).Table!;

  const refused = async (request: Promise<unknown>, expected: { name: string; message?: string }) => {
    const error = (await request.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )) as Error | undefined;
    expect({ name: error?.name, message: error?.message }).toMatchObject(expected);
  };

  it('a backup holds the table at its moment, and outlives it', async () => {
    const TableName = await door.createTable();
    await put(TableName, 'a');
    await put(TableName, 'b');
    const { BackupDetails } = await door.client.send(
      new CreateBackupCommand({ TableName, BackupName: 'before-the-change' }),
    );
    expect(BackupDetails).toMatchObject({
      BackupName: 'before-the-change',
      BackupStatus: 'CREATING',
      BackupType: 'USER',
    });
    const arn = BackupDetails!.BackupArn!;
    expect(arn).toMatch(/:table\/[^/]+\/backup\/\d{14}-[0-9a-f]{8}$/);
    await put(TableName, 'c');
    await door.client.send(new DeleteItemCommand({ TableName, Key: { pk: { S: 'a' } } }));
    const { BackupDetails: details, SourceTableDetails, SourceTableFeatureDetails } = await available(arn);
    const { TableId, TableArn } = await described(TableName);
    expect(details).toMatchObject({
      BackupArn: arn,
      BackupCreationDateTime: BackupDetails!.BackupCreationDateTime,
    });
    expect(SourceTableDetails).toMatchObject({
      ...{ TableName, TableId, TableArn },
      ItemCount: 2,
      BillingMode: 'PAY_PER_REQUEST',
      ProvisionedThroughput: { ReadCapacityUnits: 0, WriteCapacityUnits: 0 },
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    });
    expect(SourceTableFeatureDetails).toEqual({});
    expect(await keys(await restore(arn))).toEqual(['a', 'b']);
    await door.client.send(new DeleteTableCommand({ TableName }));
    await waitUntilTableNotExists({ client: door.client, ...waiting }, { TableName });
    expect(await keys(await restore(arn))).toEqual(['a', 'b']);
    const { BackupSummaries } = await door.client.send(new ListBackupsCommand({ TableName }));
    expect(BackupSummaries).toMatchObject([
      { BackupArn: arn, TableName, TableId, BackupStatus: 'AVAILABLE' },
    ]);
    const deleted = await door.client.send(new DeleteBackupCommand({ BackupArn: arn }));
    expect(deleted.BackupDescription!.BackupDetails!.BackupStatus).toBe('DELETED');
    const gone = { name: 'BackupNotFoundException', message: `Backup not found: ${arn}` };
    await refused(door.client.send(new DescribeBackupCommand({ BackupArn: arn })), gone);
    await refused(door.client.send(new DeleteBackupCommand({ BackupArn: arn })), gone);
    await refused(
      door.client.send(new RestoreTableFromBackupCommand({ BackupArn: arn, TargetTableName: 'other' })),
      gone,
    );
  });

  it('backups are listed by table, type and time, in pages', async () => {
    const TableName = await door.createTable();
    const arns: string[] = [];
    for (let i = 0; i < 3; i++) arns.push(await backUp(TableName, 'same-name'));
    const list = async (input: object = {}) =>
      door.client.send(new ListBackupsCommand({ TableName, ...input }));
    const found = async (input: object = {}) =>
      ((await list(input)).BackupSummaries ?? []).map(({ BackupArn }) => BackupArn);
    expect((await found()).sort()).toEqual([...arns].sort());
    const ordered = await found();
    const page = await list({ Limit: 2 });
    expect(page.BackupSummaries).toHaveLength(2);
    expect(page.LastEvaluatedBackupArn).toBe(ordered[1]);
    const rest = await list({ Limit: 1, ExclusiveStartBackupArn: page.LastEvaluatedBackupArn });
    expect(rest.BackupSummaries!.map(({ BackupArn }) => BackupArn)).toEqual([ordered[2]]);
    expect(rest.LastEvaluatedBackupArn).toBeUndefined();
    expect(await found({ BackupType: 'SYSTEM' })).toEqual([]);
    expect(await found({ BackupType: 'ALL' })).toHaveLength(3);
    const first = (await list()).BackupSummaries![0]!.BackupCreationDateTime!;
    const later = new Date(first.getTime() + 86_400_000);
    expect(await found({ TimeRangeLowerBound: later })).toEqual([]);
    expect(await found({ TimeRangeUpperBound: first })).toEqual([]);
    expect(await found({ TimeRangeLowerBound: first, TimeRangeUpperBound: later })).toHaveLength(3);
    await expectInvalid(
      door,
      list({ TimeRangeLowerBound: later, TimeRangeUpperBound: first }),
      'Time range lower bound must be less than or equal to upper bound',
    );
    expect(
      (await door.client.send(new ListBackupsCommand({ TableName: door.newName() }))).BackupSummaries,
    ).toEqual([]);
  });

  const indexed: Partial<CreateTableCommandInput> = {
    AttributeDefinitions: ['pk', 'sk', 'g', 'l'].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S',
    })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'gsi',
        KeySchema: [{ AttributeName: 'g', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'KEYS_ONLY' },
        ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 6 },
      },
    ],
    LocalSecondaryIndexes: [
      {
        IndexName: 'lsi',
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'l', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['x'] },
      },
    ],
    ProvisionedThroughput: { ReadCapacityUnits: 3, WriteCapacityUnits: 4 },
  };

  it('a restore brings keys, indexes, billing and encryption, and nothing else', async () => {
    const TableName = await door.createTable({
      ...indexed,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
      SSESpecification: { Enabled: true, SSEType: 'KMS' },
      Tags: [{ Key: 'team', Value: 'one' }],
      TableClass: 'STANDARD_INFREQUENT_ACCESS',
    });
    await door.client.send(
      new UpdateTimeToLiveCommand({
        TableName,
        TimeToLiveSpecification: { Enabled: true, AttributeName: 'expires' },
      }),
    );
    await recovery(TableName, true);
    await put(TableName, 'a', { sk: { S: '1' }, g: { S: 'G' }, l: { S: '2' }, x: { S: 'X' }, y: { S: 'Y' } });
    const arn = await backUp(TableName);
    const { SourceTableFeatureDetails: features } = await available(arn);
    const { SSEDescription } = await described(TableName);
    expect(features).toMatchObject({
      GlobalSecondaryIndexes: [
        { IndexName: 'gsi', ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 6 } },
      ],
      LocalSecondaryIndexes: [{ IndexName: 'lsi' }],
      StreamDescription: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
      TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: 'expires' },
      SSEDescription,
    });
    for (const target of [
      await restore(arn),
      await rewind({ SourceTableName: TableName, UseLatestRestorableTime: true }),
    ]) {
      const table = await described(target);
      expect(table).toMatchObject({
        TableStatus: 'ACTIVE',
        ItemCount: 1,
        ProvisionedThroughput: { ReadCapacityUnits: 3, WriteCapacityUnits: 4 },
        GlobalSecondaryIndexes: [
          { IndexName: 'gsi', ItemCount: 1, ProvisionedThroughput: { ReadCapacityUnits: 5 } },
        ],
        LocalSecondaryIndexes: [{ IndexName: 'lsi', ItemCount: 1 }],
        SSEDescription,
        DeletionProtectionEnabled: false,
      });
      for (const member of ['StreamSpecification', 'LatestStreamArn', 'TableClassSummary', 'RestoreSummary'])
        expect(table).not.toHaveProperty(member);
      const { TimeToLiveDescription } = await door.client.send(
        new DescribeTimeToLiveCommand({ TableName: target }),
      );
      expect(TimeToLiveDescription).toEqual({ TimeToLiveStatus: 'DISABLED' });
      const { ContinuousBackupsDescription } = await door.client.send(
        new DescribeContinuousBackupsCommand({ TableName: target }),
      );
      expect(ContinuousBackupsDescription).toEqual({
        ContinuousBackupsStatus: 'ENABLED',
        PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'DISABLED' },
      });
      const { Tags } = await door.client.send(new ListTagsOfResourceCommand({ ResourceArn: table.TableArn }));
      expect(Tags).toEqual([]);
      const query = { KeyConditionExpression: '#k = :v', TableName: target };
      const byGlobal = await door.client.send(
        new QueryCommand({
          ...query,
          IndexName: 'gsi',
          ExpressionAttributeNames: { '#k': 'g' },
          ExpressionAttributeValues: { ':v': { S: 'G' } },
        }),
      );
      expect(byGlobal.Items).toEqual([{ pk: { S: 'a' }, sk: { S: '1' }, g: { S: 'G' } }]);
      const byLocal = await door.client.send(
        new QueryCommand({
          ...query,
          IndexName: 'lsi',
          ExpressionAttributeNames: { '#k': 'pk' },
          ExpressionAttributeValues: { ':v': { S: 'a' } },
        }),
      );
      expect(byLocal.Items).toEqual([{ pk: { S: 'a' }, sk: { S: '1' }, l: { S: '2' }, x: { S: 'X' } }]);
    }
  });

  it('overrides change billing and leave indexes out', async () => {
    const TableName = await door.createTable(indexed);
    await put(TableName, 'a', { sk: { S: '1' }, g: { S: 'G' }, l: { S: '2' } });
    const arn = await backUp(TableName);
    await available(arn);
    const onDemand = await described(
      await restore(arn, {
        BillingModeOverride: 'PAY_PER_REQUEST',
        OnDemandThroughputOverride: { MaxReadRequestUnits: 10, MaxWriteRequestUnits: 20 },
      }),
    );
    expect(onDemand).toMatchObject({
      BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
      OnDemandThroughput: { MaxReadRequestUnits: 10, MaxWriteRequestUnits: 20 },
      GlobalSecondaryIndexes: [{ ProvisionedThroughput: { ReadCapacityUnits: 0, WriteCapacityUnits: 0 } }],
    });
    const bare = await described(
      await restore(arn, { GlobalSecondaryIndexOverride: [], LocalSecondaryIndexOverride: [] }),
    );
    expect(bare).not.toHaveProperty('GlobalSecondaryIndexes');
    expect(bare).not.toHaveProperty('LocalSecondaryIndexes');
    expect(bare.AttributeDefinitions).toHaveLength(2);
    const renamed = await described(
      await restore(arn, {
        GlobalSecondaryIndexOverride: [
          {
            IndexName: 'other-name',
            KeySchema: [{ AttributeName: 'g', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'KEYS_ONLY' },
            ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
          },
        ],
      }),
    );
    expect(renamed.GlobalSecondaryIndexes).toMatchObject([{ IndexName: 'other-name', ItemCount: 1 }]);
    const gsi = {
      IndexName: 'gsi',
      KeySchema: [{ AttributeName: 'g', KeyType: 'HASH' as const }],
      Projection: { ProjectionType: 'KEYS_ONLY' as const },
    };
    const wrong: [Partial<RestoreTableFromBackupCommandInput>, string][] = [
      [
        {
          BillingModeOverride: 'PAY_PER_REQUEST',
          ProvisionedThroughputOverride: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
        },
        'Invalid Request: Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST',
      ],
      [
        { OnDemandThroughputOverride: { MaxReadRequestUnits: 1 } },
        'Invalid Request: Cannot override MaxReadRequestUnits for OnDemandThroughput unless BillingModeOverride is PAY_PER_REQUEST',
      ],
      [
        { GlobalSecondaryIndexOverride: [gsi] },
        'Invalid Request: Must specify provisioned throughput for index gsi',
      ],
      [
        { GlobalSecondaryIndexOverride: [{ ...gsi, Projection: { ProjectionType: 'ALL' } }] },
        'Invalid Request: Index gsi does not match a secondary index that existed in the source table and cannot be created during the restore operation',
      ],
      [
        {
          BillingModeOverride: 'PAY_PER_REQUEST',
          GlobalSecondaryIndexOverride: [
            { ...gsi, ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 } },
          ],
        },
        'Invalid Request: Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST for index gsi',
      ],
    ];
    for (const [input, message] of wrong)
      await expectInvalid(
        door,
        door.client.send(
          new RestoreTableFromBackupCommand({ BackupArn: arn, TargetTableName: door.newName(), ...input }),
        ),
        message,
      );
    await refused(
      door.client.send(new RestoreTableFromBackupCommand({ BackupArn: arn, TargetTableName: TableName })),
      { name: 'TableAlreadyExistsException', message: `Table already exists: ${TableName}` },
    );
  });

  it('recovery has a period and a window, and restores any moment of it', async () => {
    const TableName = await door.createTable();
    const state = async () =>
      (await door.client.send(new DescribeContinuousBackupsCommand({ TableName })))
        .ContinuousBackupsDescription;
    const unavailable = {
      name: 'PointInTimeRecoveryUnavailableException',
      message: `Point in time recovery is not enabled for table '${TableName}'`,
    };
    await refused(rewind({ SourceTableName: TableName, UseLatestRestorableTime: true }), unavailable);
    const { ContinuousBackupsDescription: enabled } = await recovery(TableName, true);
    expect(enabled).toMatchObject({
      ContinuousBackupsStatus: 'ENABLED',
      PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'ENABLED', RecoveryPeriodInDays: 35 },
    });
    const earliest = enabled!.PointInTimeRecoveryDescription!.EarliestRestorableDateTime!;
    await recovery(TableName, true, 7);
    expect((await state())!.PointInTimeRecoveryDescription).toMatchObject({
      RecoveryPeriodInDays: 7,
      EarliestRestorableDateTime: earliest,
    });
    await put(TableName, 'first');
    const middle = new Date();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await put(TableName, 'second');
    await door.client.send(new DeleteItemCommand({ TableName, Key: { pk: { S: 'first' } } }));
    expect(await keys(await rewind({ SourceTableName: TableName, RestoreDateTime: middle }))).toEqual([
      'first',
    ]);
    expect(await keys(await rewind({ SourceTableName: TableName, UseLatestRestorableTime: true }))).toEqual([
      'second',
    ]);
    const { TableArn } = await described(TableName);
    expect(await keys(await rewind({ SourceTableArn: TableArn!, RestoreDateTime: middle }))).toEqual([
      'first',
    ]);
    const early = new Date(earliest.getTime() - 3_600_000);
    await refused(rewind({ SourceTableName: TableName, RestoreDateTime: early }), {
      name: 'InvalidRestoreTimeException',
      message: expect.stringMatching(
        /^RestoreDateTime '[^']+' must be within EarliestRestorableDateTime '[^']+' and LatestRestorableDateTime '[^']+'$/,
      ) as string,
    });
    await refused(
      rewind({ SourceTableName: TableName, TargetTableName: TableName, UseLatestRestorableTime: true }),
      { name: 'TableAlreadyExistsException', message: `Table already exists: ${TableName}` },
    );
    await expectInvalid(
      door,
      rewind({ SourceTableName: TableName }),
      'Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both',
    );
    await expectInvalid(
      door,
      rewind({ SourceTableName: TableName, SourceTableArn: TableArn!, UseLatestRestorableTime: true }),
      'Invalid Request: Must provide exactly one of: sourceTableArn, sourceTableName',
    );
    const missing = door.newName();
    const notFound = { name: 'TableNotFoundException', message: `Table not found: ${missing}` };
    await refused(rewind({ SourceTableName: missing, UseLatestRestorableTime: true }), notFound);
    await refused(recovery(missing, true), notFound);
    await refused(backUp(missing), notFound);
    await expectInvalid(
      door,
      recovery(TableName, false, 7),
      'Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.',
    );
    await expectInvalid(
      door,
      recovery(TableName, true, 36),
      "1 validation error detected: Value '36' at 'pointInTimeRecoverySpecification.recoveryPeriodInDays' failed to satisfy constraint: Member must have value less than or equal to 35",
    );
    await recovery(TableName, false);
    expect(await state()).toEqual({
      ContinuousBackupsStatus: 'ENABLED',
      PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'DISABLED' },
    });
    await refused(rewind({ SourceTableName: TableName, UseLatestRestorableTime: true }), unavailable);
    // What was kept is forgotten with it.
    const again = await recovery(TableName, true);
    expect(again.ContinuousBackupsDescription!.PointInTimeRecoveryDescription).toMatchObject({
      RecoveryPeriodInDays: 35,
    });
    await refused(
      rewind({ SourceTableName: TableName, RestoreDateTime: new Date(middle.getTime() - 60_000) }),
      {
        name: 'InvalidRestoreTimeException',
      },
    );
  });

  it('a deleted table with recovery leaves a system backup', async () => {
    const TableName = await door.createTable();
    await recovery(TableName, true);
    await put(TableName, 'kept');
    await door.client.send(new DeleteTableCommand({ TableName }));
    await waitUntilTableNotExists({ client: door.client, ...waiting }, { TableName });
    const { BackupSummaries: hidden } = await door.client.send(new ListBackupsCommand({ TableName }));
    expect(hidden).toEqual([]);
    const { BackupSummaries } = await door.client.send(
      new ListBackupsCommand({ TableName, BackupType: 'SYSTEM' }),
    );
    const [summary] = BackupSummaries!;
    expect(summary).toMatchObject({ BackupName: `${TableName}$DeletedTableBackup`, BackupType: 'SYSTEM' });
    const { BackupArn: arn, BackupExpiryDateTime: expires, BackupCreationDateTime: created } = summary!;
    expect(arn).toMatch(/-00000000$/);
    expect(expires!.getTime() - created!.getTime()).toBe(35 * 86_400_000);
    await available(arn!);
    await refused(door.client.send(new DeleteBackupCommand({ BackupArn: arn })), {
      name: 'ValidationException',
      message: expect.stringMatching(
        /^Invalid Request: User is not allowed to delete the system backup with arn .+\. It will automatically expire on /,
      ) as string,
    });
    expect(await keys(await restore(arn!))).toEqual(['kept']);
  });

  it('ARNs are looked at', async () => {
    const TableName = await door.createTable();
    const arn = await backUp(TableName);
    await available(arn);
    const describe = (BackupArn: string) => door.client.send(new DescribeBackupCommand({ BackupArn }));
    const elsewhere = arn.replace('us-east-1', 'eu-west-1');
    expect((await describe(elsewhere)).BackupDescription!.BackupDetails!.BackupArn).toBe(elsewhere);
    await refused(describe(arn.replace('000000000000', '111111111111')), {
      name: 'AccessDeniedException',
    });
    const { TableArn } = await described(TableName);
    await expectInvalid(door, describe(TableArn!), 'Invalid Backup ARN');
    await expectInvalid(
      door,
      restore(elsewhere),
      'Invalid Request: sseSpecificationOverride must be provided for cross-region restores',
    );
    const other = door.clientOf({ region: 'eu-west-1' });
    const TargetTableName = 'stator-test-cross-region';
    await other.send(
      new RestoreTableFromBackupCommand({
        BackupArn: arn,
        TargetTableName,
        SSESpecificationOverride: { Enabled: true, SSEType: 'KMS' },
      }),
    );
    const { Table } = await other.send(new DescribeTableCommand({ TableName: TargetTableName }));
    expect(Table!.TableArn).toContain(':eu-west-1:');
    await waitUntilTableExists({ client: other, ...waiting }, { TableName: TargetTableName });
    await other.send(new DeleteTableCommand({ TableName: TargetTableName }));
  });
});
