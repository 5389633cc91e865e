import {
  type AttributeValue,
  DeleteItemCommand,
  DescribeTimeToLiveCommand,
  PutItemCommand,
  ScanCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { expectInvalid, expectRefused } from './refusal.ts';

throughEveryDoor('time to live', (door) => {
  const set = (TableName: string, Enabled: boolean, AttributeName: string) =>
    door.client.send(
      new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: { Enabled, AttributeName } }),
    );
  const setting = async (TableName: string) =>
    (await door.client.send(new DescribeTimeToLiveCommand({ TableName }))).TimeToLiveDescription;

  it('is off until it is turned on for an attribute', async () => {
    const name = await door.createTable();
    expect(await setting(name)).toEqual({ TimeToLiveStatus: 'DISABLED' });
    await expectInvalid(door, set(name, false, 'expires'), 'TimeToLive is already disabled');
    const { TimeToLiveSpecification: answer } = await set(name, true, 'expires');
    expect(answer).toEqual({ Enabled: true, AttributeName: 'expires' });
    const found = await setting(name);
    expect(found!.AttributeName).toBe('expires');
    expect(door.onAws ? ['ENABLING', 'ENABLED'] : ['ENABLED']).toContain(found!.TimeToLiveStatus);
    if (door.onAws) return;
    // The service takes an hour to get so far.
    await expectInvalid(door, set(name, true, 'expires'), 'TimeToLive is already enabled');
    await expectInvalid(
      door,
      set(name, true, 'other'),
      'TimeToLive is active on a different AttributeName: current AttributeName is expires',
    );
    await set(name, false, 'expires');
    expect(await setting(name)).toEqual({ TimeToLiveStatus: 'DISABLED' });
    await set(name, true, 'other');
    expect(await setting(name)).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: 'other' });
  });

  it('deletes items whose time is over, also those of before, and no others', async () => {
    const TableName = await door.createTable();
    const second = Math.floor(Date.now() / 1000);
    const put = (pk: string, expires?: AttributeValue) =>
      door.client.send(
        new PutItemCommand({ TableName, Item: { pk: { S: pk }, ...(expires && { expires }) } }),
      );
    await put('before', { N: `${second - 60}` });
    await set(TableName, true, 'expires');
    await put('expired', { N: `${second - 60}` });
    await put('expired with a fraction', { N: `${second - 60}.25` });
    await put('expires later', { N: `${second + 3_600}` });
    await put('text', { S: `${second - 60}` });
    await put('milliseconds', { N: `${second - 60}000` });
    await put('long ago', { N: `${second - 6 * 366 * 86_400}` });
    await put('without');
    const found = async () => {
      const { Items } = await door.client.send(new ScanCommand({ TableName, ConsistentRead: true }));
      return Items!.map(({ pk }) => pk!.S!).toSorted();
    };
    const staying = ['expires later', 'long ago', 'milliseconds', 'text', 'without'];
    expect(await found()).toEqual(expect.arrayContaining(staying));
    // The service takes ten minutes and more.
    if (door.onAws) return;
    while ((await found()).length > staying.length) await new Promise(setImmediate);
    expect(await found()).toEqual(staying);
    const { Attributes } = await door.client.send(
      new DeleteItemCommand({ TableName, Key: { pk: { S: 'expired' } }, ReturnValues: 'ALL_OLD' }),
    );
    expect(Attributes).toBeUndefined();
  });

  it('belongs to a table that exists', async () => {
    const name = door.newName();
    const notFound = `Requested resource not found: Table: ${name} not found`;
    await expectRefused(door, set(name, true, 'expires'), 'ResourceNotFoundException', notFound);
    await expectRefused(door, setting(name), 'ResourceNotFoundException', notFound);
  });

  it('needs a name of 1 to 255 characters', async () => {
    const name = await door.createTable();
    await expectInvalid(
      door,
      set(name, true, ''),
      "1 validation error detected: Value '' at 'timeToLiveSpecification.attributeName' failed to satisfy constraint: Member must have length greater than or equal to 1",
    );
    await expectInvalid(
      door,
      set(name, true, 'x'.repeat(256)),
      `1 validation error detected: Value '${'x'.repeat(256)}' at 'timeToLiveSpecification.attributeName' failed to satisfy constraint: Member must have length less than or equal to 255`,
    );
  });
});
