import { DescribeTimeToLiveCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
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
