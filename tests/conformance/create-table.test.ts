import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  type GlobalSecondaryIndex,
  ListTagsOfResourceCommand,
  type LocalSecondaryIndex,
  UpdateTableCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { throughEveryDoor, waiting } from './doors.ts';
import { expectInvalid, expectRefused, invalidParameters } from './refusal.ts';

const hash = (AttributeName: string) => ({ AttributeName, KeyType: 'HASH' }) as const;
const range = (AttributeName: string) => ({ AttributeName, KeyType: 'RANGE' }) as const;
const text = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' }) as const;
const number = (AttributeName: string) => ({ AttributeName, AttributeType: 'N' }) as const;
const keysOnly = { ProjectionType: 'KEYS_ONLY' } as const;

throughEveryDoor('CreateTable', (door) => {
  const create = (input: Partial<CreateTableCommandInput>) =>
    door.client.send(new CreateTableCommand(input as CreateTableCommandInput));

  async function created(input: Partial<CreateTableCommandInput>) {
    const TableName = door.removeLater(door.newName());
    const { TableDescription: answer } = await create({ TableName, ...input });
    await waitUntilTableExists({ client: door.client, ...waiting }, { TableName });
    const { Table: table } = await door.client.send(new DescribeTableCommand({ TableName }));
    return { answer: answer!, table: table!, TableName };
  }

  it('answers with a table in creation', async () => {
    const before = Date.now();
    const { answer, table, TableName } = await created({
      AttributeDefinitions: [text('pk'), number('sk')],
      KeySchema: [hash('pk'), range('sk')],
      ProvisionedThroughput: { ReadCapacityUnits: 3, WriteCapacityUnits: 2 },
    });
    const expected = {
      TableName,
      AttributeDefinitions: [text('pk'), number('sk')],
      KeySchema: [hash('pk'), range('sk')],
      ItemCount: 0,
      TableSizeBytes: 0,
      ProvisionedThroughput: { NumberOfDecreasesToday: 0, ReadCapacityUnits: 3, WriteCapacityUnits: 2 },
      DeletionProtectionEnabled: false,
    };
    expect(answer).toMatchObject({ ...expected, TableStatus: 'CREATING' });
    expect(answer.WarmThroughput).toBeUndefined();
    expect(answer.TableId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(answer.TableArn).toMatch(
      new RegExp(`^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\\d{12}:table/${TableName}$`),
    );
    expect(Math.abs(answer.CreationDateTime!.getTime() - before)).toBeLessThan(600_000);
    expect(table).toMatchObject({ ...expected, TableStatus: 'ACTIVE', TableId: answer.TableId });
    expect(table.CreationDateTime).toEqual(answer.CreationDateTime);
    // What was never asked for is absent, not empty.
    for (const absent of [
      'BillingModeSummary',
      'GlobalSecondaryIndexes',
      'LocalSecondaryIndexes',
      'StreamSpecification',
      'LatestStreamArn',
      'SSEDescription',
      'OnDemandThroughput',
    ] as const)
      expect(table[absent]).toBeUndefined();
    expect(table.WarmThroughput).toEqual({
      ReadUnitsPerSecond: 3,
      WriteUnitsPerSecond: 2,
      Status: 'ACTIVE',
    });
  });

  it('makes a table on demand', async () => {
    const { answer, table } = await created({
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'B' }],
      KeySchema: [hash('pk')],
      BillingMode: 'PAY_PER_REQUEST',
      OnDemandThroughput: { MaxReadRequestUnits: 10, MaxWriteRequestUnits: 5 },
    });
    expect(answer.BillingModeSummary).toEqual({ BillingMode: 'PAY_PER_REQUEST' });
    expect(table.BillingModeSummary).toEqual({
      BillingMode: 'PAY_PER_REQUEST',
      LastUpdateToPayPerRequestDateTime: table.CreationDateTime,
    });
    expect(table.ProvisionedThroughput).toEqual({
      NumberOfDecreasesToday: 0,
      ReadCapacityUnits: 0,
      WriteCapacityUnits: 0,
    });
    expect(table.OnDemandThroughput).toEqual({ MaxReadRequestUnits: 10, MaxWriteRequestUnits: 5 });
    expect(table.WarmThroughput).toMatchObject({ ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 4_000 });
  });

  it('answers the warm throughput that is asked for, still on its way', async () => {
    const warm = { ReadUnitsPerSecond: 12_240, WriteUnitsPerSecond: 4_080 };
    const index = (IndexName: string) => ({
      IndexName,
      KeySchema: [hash('other')],
      Projection: { ProjectionType: 'ALL' as const },
    });
    const { answer, table } = await created({
      AttributeDefinitions: [text('pk'), text('other')],
      KeySchema: [hash('pk')],
      BillingMode: 'PAY_PER_REQUEST',
      WarmThroughput: warm,
      GlobalSecondaryIndexes: [{ ...index('warm'), WarmThroughput: warm }, index('plain')],
    });
    const warmOf = (each: typeof answer) =>
      Object.fromEntries(each.GlobalSecondaryIndexes!.map((one) => [one.IndexName, one.WarmThroughput]));
    expect(answer.WarmThroughput).toEqual({ ...warm, Status: 'UPDATING' });
    expect(warmOf(answer)).toEqual({ warm: { ...warm, Status: 'UPDATING' }, plain: undefined });
    expect(table.WarmThroughput).toEqual({ ...warm, Status: 'ACTIVE' });
    expect(warmOf(table)).toMatchObject({ warm, plain: { ReadUnitsPerSecond: 12_000 } });
  });

  it('makes indexes of both kinds, keyed by several attributes too', async () => {
    const throughput = { ReadCapacityUnits: 1, WriteCapacityUnits: 1 };
    const local: LocalSecondaryIndex = {
      IndexName: 'by-rank',
      KeySchema: [hash('pk'), range('rank')],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['note', 'colour'] },
    };
    const global: GlobalSecondaryIndex = {
      IndexName: 'by-place',
      KeySchema: [hash('country'), hash('town'), range('rank'), range('sk')],
      Projection: keysOnly,
    };
    const { answer, table } = await created({
      AttributeDefinitions: [text('pk'), text('sk'), number('rank'), text('country'), text('town')],
      KeySchema: [hash('pk'), range('sk')],
      ProvisionedThroughput: throughput,
      LocalSecondaryIndexes: [local],
      GlobalSecondaryIndexes: [{ ...global, ProvisionedThroughput: throughput }],
    });
    const counts = { IndexSizeBytes: 0, ItemCount: 0 };
    expect(table.LocalSecondaryIndexes).toEqual([
      { ...local, ...counts, IndexArn: `${table.TableArn}/index/by-rank` },
    ]);
    expect(table.GlobalSecondaryIndexes).toMatchObject([
      {
        ...global,
        ...counts,
        IndexArn: `${table.TableArn}/index/by-place`,
        IndexStatus: 'ACTIVE',
        ProvisionedThroughput: { NumberOfDecreasesToday: 0, ...throughput },
      },
    ]);
    expect(table.GlobalSecondaryIndexes![0]!.Backfilling).toBeUndefined();
    expect(answer.GlobalSecondaryIndexes![0]!.IndexStatus).toBe('CREATING');
  });

  it('takes settings, tags among them', async () => {
    const { table, TableName } = await created({
      AttributeDefinitions: [text('pk')],
      KeySchema: [hash('pk')],
      BillingMode: 'PAY_PER_REQUEST',
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      TableClass: 'STANDARD_INFREQUENT_ACCESS',
      DeletionProtectionEnabled: true,
      Tags: [{ Key: 'team', Value: 'blue' }],
    });
    expect(table).toMatchObject({
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      TableClassSummary: { TableClass: 'STANDARD_INFREQUENT_ACCESS' },
      DeletionProtectionEnabled: true,
    });
    expect(table.LatestStreamLabel).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/);
    expect(table.LatestStreamArn).toBe(`${table.TableArn}/stream/${table.LatestStreamLabel}`);
    const tags = () => door.client.send(new ListTagsOfResourceCommand({ ResourceArn: table.TableArn! }));
    await expect
      .poll(async () => (await tags()).Tags, { timeout: 30_000, interval: 1_000 })
      .toEqual([{ Key: 'team', Value: 'blue' }]);
    await door.client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
  });

  it('refuses a name that is taken', async () => {
    const TableName = await door.createTable();
    const again = create({
      TableName,
      AttributeDefinitions: [text('pk')],
      KeySchema: [hash('pk')],
      BillingMode: 'PAY_PER_REQUEST',
    });
    await expectRefused(door, again, 'ResourceInUseException', `Table already exists: ${TableName}`);
  });

  describe('refuses', () => {
    const onDemand = { TableName: 'stator-test-refused', BillingMode: 'PAY_PER_REQUEST' } as const;
    const simple = { ...onDemand, AttributeDefinitions: [text('a')], KeySchema: [hash('a')] };
    const pair = {
      ...onDemand,
      AttributeDefinitions: [text('a'), text('b')],
      KeySchema: [hash('a'), range('b')],
    };
    const globalIndex = { IndexName: 'byA', KeySchema: [hash('a')], Projection: keysOnly };
    const localIndex = { IndexName: 'local', KeySchema: [hash('a'), range('b')], Projection: keysOnly };
    const P = invalidParameters;

    it.each<[string, Partial<CreateTableCommandInput>, string]>([
      [
        'no name',
        { ...simple, TableName: undefined as unknown as string },
        "The parameter 'TableName' is required but was not present in the request",
      ],
      [
        'a short name',
        { ...simple, TableName: 'ab' },
        "1 validation error detected: Value 'ab' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 3",
      ],
      [
        'a name of strange characters',
        { ...simple, TableName: 'a;b' },
        "1 validation error detected: Value 'a;b' at 'tableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
      ],
      [
        'a name that is too long',
        { ...simple, TableName: 'a'.repeat(256) },
        `1 validation error detected: Value '${'a'.repeat(256)}' at 'tableName' failed to satisfy constraint: Member must have length less than or equal to 255`,
      ],
      [
        'three keys',
        { ...pair, KeySchema: [hash('a'), range('b'), range('c')] },
        "1 validation error detected: Value '[KeySchemaElement(attributeName=a, keyType=HASH), KeySchemaElement(attributeName=b, keyType=RANGE), KeySchemaElement(attributeName=c, keyType=RANGE)]' at 'keySchema' failed to satisfy constraint: Member must have length less than or equal to 2",
      ],
      [
        'fewer definitions than keys',
        { ...pair, AttributeDefinitions: [text('a')] },
        'Invalid KeySchema: Some index key attribute have no definition',
      ],
      [
        'a key without definition',
        { ...simple, AttributeDefinitions: [text('b')] },
        `${P}Some index key attributes are not defined in AttributeDefinitions. Keys: [a], AttributeDefinitions: [b]`,
      ],
      [
        'a definition without use',
        { ...simple, AttributeDefinitions: [text('a'), text('b')] },
        `${P}Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions`,
      ],
      [
        'a definition without use beside indexes',
        {
          ...pair,
          AttributeDefinitions: [text('a'), text('b'), text('c')],
          GlobalSecondaryIndexes: [globalIndex],
        },
        `${P}Some AttributeDefinitions are not used. AttributeDefinitions: [a, b, c], keys used: [a, b]`,
      ],
      [
        'one name for both keys',
        { ...pair, KeySchema: [hash('a'), range('a')] },
        'Both the Hash Key and the Range Key element in the KeySchema have the same name',
      ],
      [
        'a range key first',
        { ...pair, KeySchema: [range('a'), hash('b')] },
        'Invalid KeySchema: The first KeySchemaElement is not a HASH key type',
      ],
      [
        'two hash keys',
        { ...pair, KeySchema: [hash('a'), hash('b')] },
        'Invalid KeySchema: The second KeySchemaElement is not a RANGE key type',
      ],
      [
        'no throughput',
        { ...simple, BillingMode: 'PROVISIONED' },
        `${P}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED`,
      ],
      [
        'throughput on demand',
        { ...simple, ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 } },
        `${P}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST`,
      ],
      [
        'throughput of an index on demand',
        {
          ...simple,
          GlobalSecondaryIndexes: [
            { ...globalIndex, ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 } },
          ],
        },
        `${P}ProvisionedThroughput should not be specified for index: byA when BillingMode is PAY_PER_REQUEST`,
      ],
      [
        'a ceiling of provisioned throughput',
        {
          ...simple,
          BillingMode: 'PROVISIONED',
          ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
          OnDemandThroughput: { MaxReadRequestUnits: 1 },
        },
        `${P}MaxReadRequestUnits for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED.`,
      ],
      [
        'a ceiling of zero',
        { ...simple, OnDemandThroughput: { MaxReadRequestUnits: 0 } },
        `${P}Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range`,
      ],
      [
        'no local index at all',
        { ...pair, LocalSecondaryIndexes: [] },
        `${P}List of LocalSecondaryIndexes is empty`,
      ],
      [
        'a local index without sort key of the table',
        {
          ...simple,
          AttributeDefinitions: [text('a'), text('b')],
          LocalSecondaryIndexes: [localIndex],
        },
        `${P}Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex`,
      ],
      [
        'a local index without sort key',
        { ...pair, LocalSecondaryIndexes: [{ ...localIndex, KeySchema: [hash('a')] }] },
        `${P}Index KeySchema does not have a range key for index: local`,
      ],
      [
        'a local index of another partition key',
        { ...pair, LocalSecondaryIndexes: [{ ...localIndex, KeySchema: [hash('b'), range('a')] }] },
        `${P}Index KeySchema does not have the same leading hash key as table KeySchema for index: local. index hash key: b, table hash key: a`,
      ],
      [
        'six local indexes',
        {
          ...pair,
          LocalSecondaryIndexes: ['aaa', 'bbb', 'ccc', 'ddd', 'eee', 'fff'].map((IndexName) => ({
            ...localIndex,
            IndexName,
          })),
        },
        `${P}Number of LocalSecondaryIndexes exceeds per-table limit of 5`,
      ],
      [
        'no global index at all',
        { ...pair, GlobalSecondaryIndexes: [] },
        `${P}List of GlobalSecondaryIndexes is empty`,
      ],
      [
        'twenty-one global indexes',
        {
          ...simple,
          GlobalSecondaryIndexes: Array.from({ length: 21 }, (_, i) => ({
            ...globalIndex,
            IndexName: `by-${i}`,
          })),
        },
        `${P}GlobalSecondaryIndex count exceeds the per-table limit of 20`,
      ],
      [
        'one name for two indexes',
        {
          ...pair,
          LocalSecondaryIndexes: [localIndex],
          GlobalSecondaryIndexes: [{ ...globalIndex, IndexName: 'local' }],
        },
        `${P}Duplicate index name: local`,
      ],
      [
        'no type of projection',
        { ...simple, GlobalSecondaryIndexes: [{ ...globalIndex, Projection: {} }] },
        `${P}Unknown ProjectionType: null`,
      ],
      [
        'projected names beside all',
        {
          ...simple,
          GlobalSecondaryIndexes: [
            { ...globalIndex, Projection: { ProjectionType: 'ALL', NonKeyAttributes: ['x'] } },
          ],
        },
        `${P}ProjectionType is ALL, but NonKeyAttributes is specified`,
      ],
      [
        'a projection of no names',
        {
          ...simple,
          GlobalSecondaryIndexes: [{ ...globalIndex, Projection: { ProjectionType: 'INCLUDE' } }],
        },
        `${P}ProjectionType is INCLUDE, but NonKeyAttributes is not specified`,
      ],
      [
        'a view of no stream',
        { ...simple, StreamSpecification: { StreamEnabled: false, StreamViewType: 'NEW_IMAGE' } },
        `${P}Table is being created with a stream disabled, UpdateViewType should not be specified`,
      ],
      [
        'an unknown type of attribute and of key',
        {
          ...simple,
          AttributeDefinitions: [{ AttributeName: 'a', AttributeType: 'X' as 'S' }],
          KeySchema: [{ AttributeName: 'a', KeyType: 'HALF' as 'HASH' }],
        },
        "2 validation errors detected: Value 'X' at 'attributeDefinitions.1.member.attributeType' failed to satisfy constraint: Member must satisfy enum value set: [B, N, S]; Value 'HALF' at 'keySchema.1.member.keyType' failed to satisfy constraint: Member must satisfy enum value set: [HASH, RANGE]",
      ],
    ])('%s', async (_, input, message) => {
      await expectInvalid(door, create(input), message);
    });
  });
});
