// Has an item that expires in an hour, and 500 that have expired, which take several steps, and leaves the database open.
import { writeSync } from 'node:fs';
import { Stator } from '../../../src/index.ts';

const TableName = 'sessions';
const db = await Stator.open();
await db.createTable({
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
});
await db.updateTimeToLive({
  TableName,
  TimeToLiveSpecification: { Enabled: true, AttributeName: 'expires' },
});
const expires = (seconds: number) => ({ N: String(Math.floor(Date.now() / 1000) + seconds) });
await db.putItem({ TableName, Item: { pk: { S: 'later' }, expires: expires(3_600) } });
for (let i = 0; i < 500; i++)
  await db.putItem({ TableName, Item: { pk: { S: `sooner-${i}` }, expires: expires(-60) } });
await db.settled();
const { Count } = await db.scan({ TableName });
writeSync(1, `${Count} item\n`);
