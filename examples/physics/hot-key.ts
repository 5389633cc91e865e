import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CreateTableCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
// In a program of your own: import { Stator, VirtualClock } from 'stator'.
import { Stator, VirtualClock } from '../../src/index.ts';

/**
 * The parcel tracker's incident: one shipment takes 1,900 write units a second, and requests are throttled while the
 * table is at 40 % of what it can give. The same load in `enforce`, in `shadow`, and with the large shipment sharded,
 * on a clock that the example moves, so that two seconds of traffic are the same on every machine.
 */
export async function run(say: (line: string) => void): Promise<void> {
  const large = () => 'SHIPMENT#881';
  const shard = (event: number) => `SHIPMENT#881#${event % 10}`;

  say('enforce, one key for the large shipment');
  await play('enforce', large, say);
  say('');
  say('shadow, the same load');
  await play('shadow', large, say);
  say('');
  say('enforce, ten keys for the large shipment');
  await play('enforce', shard, say);
}

async function play(
  physics: 'enforce' | 'shadow',
  largeKey: (event: number) => string,
  say: (line: string) => void,
): Promise<void> {
  const clock = new VirtualClock(Date.UTC(2026, 10, 18, 9));
  await using db = await Stator.open({ clock, physics, seed: 1 });
  const client = db.client({ maxAttempts: 1 });
  await client.send(
    new CreateTableCommand({
      TableName: 'Tracking',
      BillingMode: 'PAY_PER_REQUEST',
      // What the table has been used to: eight partitions.
      WarmThroughput: { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 8_000 },
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    }),
  );
  clock.advanceMs(60_000);

  let written = 0;
  let throttled = 0;
  const put = async (pk: string, event: number) => {
    const Item = { pk: { S: pk }, sk: { S: `EVENT#${event}` } };
    try {
      await client.send(new PutItemCommand({ TableName: 'Tracking', Item }));
      written++;
    } catch (error) {
      if ((error as Error).name !== 'ThrottlingException') throw error;
      throttled++;
    }
  };
  // In each hundredth of a second, 19 events of the large shipment and 21 of two hundred others.
  for (let step = 0; step < 200; step++) {
    for (let i = 0; i < 19; i++) await put(largeKey(step * 19 + i), step * 19 + i);
    for (let i = 0; i < 21; i++) await put(`SHIPMENT#${1_000 + ((step * 21 + i) % 200)}`, step * 21 + i);
    clock.advanceMs(10);
  }
  say(`  written ${written}, throttled ${throttled}`);
  // `stator physics Tracking` prints the same of a server.
  const { verdicts } = await db.physics('Tracking');
  for (const { explanation } of verdicts) say(`  ${explanation}`);
  if (verdicts.length === 0) say('  No verdicts.');
}

const script = process.argv[1];
if (script !== undefined && realpathSync(script) === fileURLToPath(import.meta.url)) await run(console.log);
