import {
  DescribeKinesisStreamingDestinationCommand,
  DescribeTableCommand,
  DisableKinesisStreamingDestinationCommand,
  EnableKinesisStreamingDestinationCommand,
  UpdateKinesisStreamingDestinationCommand,
} from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { expectInvalid, expectRefused } from './refusal.ts';

const wrongState = 'Table is not in a valid state to enable Kinesis Streaming Destination: ';
const mustBeDisabled = `${wrongState}EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform ENABLE operation.`;
const mustBeActive = `${wrongState}KinesisStreamingDestination must be ACTIVE to perform DISABLE operation.`;

type Precision = 'MILLISECOND' | 'MICROSECOND';

throughEveryDoor('Kinesis destinations', (door) => {
  // On the service these have to be streams of the account; here every stream exists.
  const [StreamArn, otherArn] = (process.env.STATOR_TEST_KINESIS_ARNS?.split(',') ??
    ['orders', 'others'].map((name) => `arn:aws:kinesis:us-east-1:000000000000:stream/${name}`)) as [
    string,
    string,
  ];
  const configured = (precision?: Precision) =>
    precision && { ApproximateCreationDateTimePrecision: precision };
  const enable = (TableName: string, arn = StreamArn, precision?: Precision) =>
    door.client.send(
      new EnableKinesisStreamingDestinationCommand({
        TableName,
        StreamArn: arn,
        EnableKinesisStreamingConfiguration: configured(precision),
      }),
    );
  const disable = (TableName: string, arn = StreamArn, precision?: Precision) =>
    door.client.send(
      new DisableKinesisStreamingDestinationCommand({
        TableName,
        StreamArn: arn,
        EnableKinesisStreamingConfiguration: configured(precision),
      }),
    );
  const update = (TableName: string, arn = StreamArn, precision?: Precision) =>
    door.client.send(
      new UpdateKinesisStreamingDestinationCommand({
        TableName,
        StreamArn: arn,
        UpdateKinesisStreamingConfiguration: configured(precision),
      }),
    );
  const described = async (TableName: string) =>
    (await door.client.send(new DescribeKinesisStreamingDestinationCommand({ TableName })))
      .KinesisDataStreamDestinations!;
  /** The entries, once none of them is in a passing state. */
  const settled = async (TableName: string) => {
    for (;;) {
      const found = await described(TableName);
      if (!found.some(({ DestinationStatus: status }) => /ING$/.test(status!))) return found;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  };

  it('are enabled, one at a time, and disabled', async () => {
    const name = await door.createTable();
    expect(await described(name)).toEqual([]);
    const { $metadata: _, ...enabled } = await enable(name);
    expect(enabled).toEqual({
      TableName: name,
      StreamArn,
      DestinationStatus: 'ENABLING',
      EnableKinesisStreamingConfiguration: {},
    });
    expect(await settled(name)).toEqual([{ StreamArn, DestinationStatus: 'ACTIVE' }]);
    for (const arn of [StreamArn, otherArn]) await expectInvalid(door, enable(name, arn), mustBeDisabled);
    await expectInvalid(
      door,
      disable(name, StreamArn, 'MICROSECOND'),
      'Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters',
    );
    await expectInvalid(door, disable(name, otherArn), mustBeActive);
    const disabled = await disable(name);
    expect(disabled).toMatchObject({ TableName: name, StreamArn, DestinationStatus: 'DISABLING' });
    expect(await settled(name)).toEqual([{ StreamArn, DestinationStatus: 'DISABLED' }]);
    await expectInvalid(door, disable(name), mustBeActive);
    await enable(name, otherArn);
    expect(await settled(name)).toEqual([
      { StreamArn: otherArn, DestinationStatus: 'ACTIVE' },
      { StreamArn, DestinationStatus: 'DISABLED' },
    ]);
    await disable(name, otherArn);
    await settled(name);
    await enable(name);
    expect(await settled(name)).toEqual([
      { StreamArn: otherArn, DestinationStatus: 'DISABLED' },
      { StreamArn, DestinationStatus: 'ACTIVE' },
    ]);
  });

  it('have a precision, which is shown once it was set', async () => {
    const name = await door.createTable();
    const { Table } = await door.client.send(new DescribeTableCommand({ TableName: name }));
    const alreadySet = (precision: Precision) =>
      `Invalid Request: Precision is already set to the desired value of ${precision} for tableId: ${Table!.TableId}, kdsArn: ${StreamArn}`;
    await enable(name);
    await settled(name);
    await expectInvalid(
      door,
      update(name),
      'Streaming destination cannot be updated with given parameters: UpdateKinesisStreamingConfiguration cannot be null or contain only null values',
    );
    await expectInvalid(door, update(name, StreamArn, 'MILLISECOND'), alreadySet('MILLISECOND'));
    await expectInvalid(
      door,
      update(name, otherArn, 'MICROSECOND'),
      `${wrongState}No streaming destination with streamArn: ${otherArn} found for table with tableName: ${name}`,
    );
    const { $metadata: _, ...updated } = await update(name, StreamArn, 'MICROSECOND');
    expect(updated).toEqual({
      TableName: name,
      StreamArn,
      DestinationStatus: 'UPDATING',
      UpdateKinesisStreamingConfiguration: { ApproximateCreationDateTimePrecision: 'MICROSECOND' },
    });
    expect(await settled(name)).toEqual([
      { StreamArn, DestinationStatus: 'ACTIVE', ApproximateCreationDateTimePrecision: 'MICROSECOND' },
    ]);
    await expectInvalid(door, update(name, StreamArn, 'MICROSECOND'), alreadySet('MICROSECOND'));
    await disable(name);
    await settled(name);
    await expectInvalid(
      door,
      update(name, StreamArn, 'MILLISECOND'),
      `${wrongState}Kinesis streaming is not in ACTIVE state. Updates are only allowed in ACTIVE state. TableName: ${name}, kdsArn: ${StreamArn}`,
    );
    await enable(name);
    expect(await settled(name)).toEqual([{ StreamArn, DestinationStatus: 'ACTIVE' }]);
    await disable(name);
    await settled(name);
    const { EnableKinesisStreamingConfiguration: configuration } = await enable(
      name,
      StreamArn,
      'MICROSECOND',
    );
    expect(configuration).toEqual({ ApproximateCreationDateTimePrecision: 'MICROSECOND' });
    expect(await settled(name)).toMatchObject([{ ApproximateCreationDateTimePrecision: 'MICROSECOND' }]);
    await expectInvalid(
      door,
      enable(name, otherArn, 'SECOND' as Precision),
      "1 validation error detected: Value 'SECOND' at 'enableKinesisStreamingConfiguration.approximateCreationDateTimePrecision' failed to satisfy constraint: Member must satisfy enum value set: [MILLISECOND, MICROSECOND]",
    );
  });

  it('are looked for after the answer, and what is no stream fails', async () => {
    const name = await door.createTable();
    const table = `arn:aws:dynamodb:us-east-1:000000000000:table/${name}`;
    expect((await enable(name, table)).DestinationStatus).toBe('ENABLING');
    const DestinationStatusDescription = 'User does not have a permission to use kinesis stream';
    const failed = { StreamArn: table, DestinationStatus: 'ENABLE_FAILED', DestinationStatusDescription };
    expect(await settled(name)).toEqual([failed]);
    await expectInvalid(door, disable(name, table), mustBeActive);
    await enable(name, table);
    expect(await settled(name)).toEqual([failed]);
    await enable(name);
    expect(await settled(name)).toEqual([{ StreamArn, DestinationStatus: 'ACTIVE' }, failed]);
  });

  it('belong to a table that exists', async () => {
    const name = door.newName();
    const notFound = `Requested resource not found: Table: ${name} not found`;
    for (const request of [
      () => enable(name),
      () => disable(name),
      () => update(name, StreamArn, 'MICROSECOND'),
      () => described(name),
    ])
      await expectRefused(door, request(), 'ResourceNotFoundException', notFound);
  });
});
