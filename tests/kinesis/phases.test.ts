import { afterEach, expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';

const TableName = 'orders';
const StreamArn = 'arn:aws:kinesis:us-east-1:000000000000:stream/orders';
const wrongState = 'Table is not in a valid state to enable Kinesis Streaming Destination: ';

let db: Stator;
afterEach(() => db.close());

it('act out how long the service takes', async () => {
  const clock = new VirtualClock(Date.UTC(2026, 10, 15));
  db = await Stator.open({ clock, physics: 'enforce', seed: 7 });
  const status = async () =>
    (await db.describeKinesisStreamingDestination({ TableName })).KinesisDataStreamDestinations[0]
      ?.DestinationStatus;
  const refused = (request: Promise<unknown>) =>
    request.then(
      () => undefined,
      (error: Error) => error.message,
    );
  const mustBeActive = `${wrongState}KinesisStreamingDestination must be ACTIVE to perform DISABLE operation.`;
  const mustBeDisabled = `${wrongState}EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform ENABLE operation.`;
  const notActive = `${wrongState}Kinesis streaming is not in ACTIVE state. Updates are only allowed in ACTIVE state. TableName: orders, kdsArn: ${StreamArn}`;
  const update = (ApproximateCreationDateTimePrecision: 'MILLISECOND' | 'MICROSECOND') =>
    db.updateKinesisStreamingDestination({
      TableName,
      StreamArn,
      UpdateKinesisStreamingConfiguration: { ApproximateCreationDateTimePrecision },
    });
  await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  });
  const missing = 'Requested resource not found: Table: orders not found';
  expect(await refused(db.enableKinesisStreamingDestination({ TableName, StreamArn }))).toBe(missing);
  expect(await refused(status())).toBe(missing);
  clock.advanceMs(6_000);
  await db.enableKinesisStreamingDestination({ TableName, StreamArn });
  clock.advanceMs(1_999);
  expect(await status()).toBe('ENABLING');
  expect(await refused(db.enableKinesisStreamingDestination({ TableName, StreamArn }))).toBe(mustBeDisabled);
  expect(await refused(db.disableKinesisStreamingDestination({ TableName, StreamArn }))).toBe(mustBeActive);
  expect(await refused(update('MICROSECOND'))).toBe(notActive);
  clock.advanceMs(5_001);
  expect(await status()).toBe('ACTIVE');
  await update('MICROSECOND');
  clock.advanceMs(123_999);
  expect(await status()).toBe('UPDATING');
  expect(await refused(update('MILLISECOND'))).toBe(notActive);
  expect(await refused(db.disableKinesisStreamingDestination({ TableName, StreamArn }))).toBe(mustBeActive);
  clock.advanceMs(28_001);
  expect(await status()).toBe('ACTIVE');
  await db.disableKinesisStreamingDestination({ TableName, StreamArn });
  clock.advanceMs(999);
  expect(await status()).toBe('DISABLING');
  expect(await db.disableKinesisStreamingDestination({ TableName, StreamArn })).toMatchObject({
    DestinationStatus: 'DISABLING',
  });
  expect(await refused(db.enableKinesisStreamingDestination({ TableName, StreamArn }))).toBe(mustBeDisabled);
  clock.advanceMs(1_201);
  expect(await status()).toBe('DISABLED');
  await db.enableKinesisStreamingDestination({ TableName, StreamArn });
  clock.advanceMs(7_000);
  expect(await status()).toBe('ACTIVE');
  await db.deleteTable({ TableName });
  expect(await status()).toBe('UPDATING');
  expect(await refused(db.disableKinesisStreamingDestination({ TableName, StreamArn }))).toBe(mustBeActive);
  expect(await refused(db.enableKinesisStreamingDestination({ TableName, StreamArn }))).toBe(mustBeDisabled);
  clock.advanceMs(6_000);
  expect(await refused(status())).toBe(missing);
  expect(await db.check()).toMatchObject({ clean: true });
});
