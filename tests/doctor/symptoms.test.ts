import {
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import type { DoctorReport } from '../../src/doctor/index.ts';
import {
  dismissPatients,
  itemOf,
  lastReports,
  named,
  type Patient,
  patient,
  put,
  symptoms,
  tried,
  withTable,
} from './patient.ts';
import { runCommandLine } from './run-command-line.ts';

afterEach(async () => {
  for (const [one, report] of lastReports()) await confirmed(one, report);
  await dismissPatients();
});

/** Every command that confirms a finding runs. */
async function confirmed({ url }: Patient, report: DoctorReport): Promise<void> {
  for (const { id, confirm } of report.findings) {
    const { ok, text } = await runCommandLine(confirm, url, '.');
    expect(ok, `${id}: ${confirm}\n${text}`).toBe(true);
  }
}

const ids = (report: Parameters<typeof symptoms>[0]) => symptoms(report).map(({ id }) => id);

/** Puts at a rate for some seconds, and counts what was refused. */
async function putsAt(
  { client, clock }: Patient,
  TableName: string,
  seconds: number,
  rate: number,
  valuesOf: (i: number) => Record<string, string | number>,
): Promise<number> {
  let refused = 0;
  let sent = 0;
  for (let step = 1; step <= seconds * 20; step++) {
    for (; sent < Math.floor((rate * step) / 20); sent++)
      if (!(await tried(put(client, TableName, valuesOf(sent))))) refused++;
    clock.advanceMs(50);
  }
  return refused;
}

const gsi = (name: string, hash: string, range?: string, units?: number) => ({
  IndexName: name,
  KeySchema: [
    { AttributeName: hash, KeyType: 'HASH' as const },
    ...(range === undefined ? [] : [{ AttributeName: range, KeyType: 'RANGE' as const }]),
  ],
  Projection: { ProjectionType: 'ALL' as const },
  ...(units !== undefined && {
    ProvisionedThroughput: { ReadCapacityUnits: units, WriteCapacityUnits: units },
  }),
});

const texts = (...names: string[]) =>
  names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const }));

/** The twelve symptoms of the playbook. */
describe('the doctor names', () => {
  it('1: throttled requests at 40 % of capacity, and the hot key', async () => {
    const one = await patient();
    await withTable(one, {
      TableName: 'Tracking',
      WarmThroughput: { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 8_000 },
    });
    const refused = await putsAt(one, 'Tracking', 2, 2_400, (i) => ({
      ...{ pk: i % 6 < 4 ? 'SHIPMENT#881' : `SHIPMENT#${1_000 + (i % 200)}`, sk: `EVENT#${i}` },
    }));
    expect(refused).toBeGreaterThan(100);
    const report = await one.doctor();
    const found = named(report, 'hot-partition');
    expect(found).toMatchObject({ severity: 'error', table: 'Tracking', key: 'SHIPMENT#881' });
    expect(found.cause).toContain('SHIPMENT#881 asks for more than the 1,000 write units a second');
    const evidence = found.evidence.join('\n');
    expect(evidence).toContain(`${refused.toLocaleString('en-US')} writes were throttled`);
    expect(evidence).toMatch(
      /SHIPMENT#881 asked for 1,\d{3} write units a second at 09:01; a partition gives 1,000/,
    );
    expect(evidence).toMatch(/as a whole used (2|3|4)\d(\.\d)? % of the 8,000 write units/);
    expect(found.fix.text).toContain('Shard the key into 2 or more');
    expect(ids(report)).not.toContain('under-provisioned');
  });

  it('2: an item that a list has grown past 400 KB', async () => {
    const one = await patient({ physics: 'off' });
    await withTable(one, { TableName: 'Shipments' });
    const append = (text: string) =>
      one.client.send(
        new UpdateItemCommand({
          TableName: 'Shipments',
          Key: itemOf({ pk: 'SHIPMENT#7', sk: 'META' }),
          UpdateExpression: 'SET #m = list_append(if_not_exists(#m, :none), :one)',
          ExpressionAttributeNames: { '#m': 'milestones' },
          ExpressionAttributeValues: { ':none': { L: [] }, ':one': { L: [{ S: text }] } },
        }),
      );
    let refused = 0;
    for (let i = 0; i < 50; i++) if (!(await tried(append('m'.repeat(10_000))))) refused++;
    expect(refused).toBe(10);
    const report = await one.doctor('?budget=200');
    const found = named(report, 'item-too-large');
    expect(found).toMatchObject({ severity: 'error', table: 'Shipments', key: 'SHIPMENT#7 / META' });
    expect(found.cause).toContain('the list milestones is appended to');
    expect(found.evidence.join('\n')).toMatch(
      /10 writes refused at 09:01[\s\S]*SHIPMENT#7 \/ META: 10 of 10/,
    );
    expect(named(report, 'large-items')).toMatchObject({ key: 'SHIPMENT#7 / META', severity: 'warning' });
    const growing = named(report, 'growing-list');
    expect(growing.cause).toContain('The attribute milestones collects entries');
    expect(growing.evidence.join('\n')).toContain('list_append was called 40 times in 1 minute');
  });

  it('3: a filter that throws away most of what is read', async () => {
    const one = await patient({ physics: 'shadow' });
    await withTable(one, { TableName: 'Orders' });
    for (let i = 0; i < 500; i++)
      await put(one.client, 'Orders', {
        ...{ pk: `ORDER#${String(i).padStart(4, '0')}`, sk: 'META', note: 'n'.repeat(1_000) },
        city: i % 100 === 0 ? 'Oslo' : 'Berlin',
      });
    for (let i = 0; i < 5; i++)
      await one.client.send(
        new ScanCommand({
          TableName: 'Orders',
          FilterExpression: 'city = :c',
          ExpressionAttributeValues: { ':c': { S: 'Oslo' } },
        }),
      );
    const found = named(await one.doctor('?budget=200'), 'filter-discards');
    expect(found).toMatchObject({ table: 'Orders', pattern: 'Scan Orders filter city = ?' });
    expect(found.evidence[0]).toMatch(
      /^3\d\d read units in 5 requests, at least 1\.\d MB read, for 25 items returned$/,
    );
    expect(found.confirm).toContain(
      `scan --table-name Orders --filter-expression '#f = :f' --expression-attribute-names '{"#f":"city"}' --expression-attribute-values '{":f":{"S":"Oslo"}}'`,
    );
    expect(found.confirm).toContain('--return-consumed-capacity TOTAL');
  });

  it('4: an index without throughput that throttles the writes of its table', async () => {
    const one = await patient();
    await withTable(one, {
      TableName: 'Orders',
      AttributeDefinitions: texts('pk', 'sk', 'customer'),
      ProvisionedThroughput: { ReadCapacityUnits: 10, WriteCapacityUnits: 500 },
      GlobalSecondaryIndexes: [gsi('byCustomer', 'customer', undefined, 5)],
    });
    const refused = await putsAt(one, 'Orders', 40, 60, (i) => ({
      ...{ pk: `ORDER#${i}`, sk: 'META', customer: `CUSTOMER#${i % 97}` },
    }));
    expect(refused).toBeGreaterThan(100);
    const report = await one.doctor();
    const found = named(report, 'index-throttles-writes');
    expect(found).toMatchObject({ severity: 'error', table: 'Orders', index: 'byCustomer' });
    expect(found.cause).toContain('byCustomer has 5 provisioned write units a second');
    expect(found.evidence.join('\n')).toMatch(
      new RegExp(
        `${refused.toLocaleString('en-US')} writes were throttled[\\s\\S]*Orders itself used at most \\d+(\\.\\d)? % of its 500`,
      ),
    );
    expect(ids(report)).not.toContain('hot-partition');
  });

  it('5: a new index that lacks old items, while it fills and after', async () => {
    const one = await patient();
    await withTable(one, { TableName: 'Parcels' });
    for (let i = 0; i < 30; i++)
      await put(one.client, 'Parcels', {
        pk: `PARCEL#${100 + i}`,
        sk: 'META',
        createdAt: `2026-01-${10 + (i % 20)}`,
      });
    await one.client.send(
      new UpdateTableCommand({
        TableName: 'Parcels',
        AttributeDefinitions: texts('pk', 'sk', 'carrier', 'createdAt'),
        GlobalSecondaryIndexUpdates: [{ Create: gsi('byCarrier', 'carrier', 'createdAt') }],
      }),
    );
    const during = named(await one.doctor(), 'index-backfilling');
    expect(during).toMatchObject({ table: 'Parcels', index: 'byCarrier' });
    expect(during.evidence.join('\n')).toMatch(/IndexStatus is CREATING[\s\S]*for 30 items/);
    await one.pass(20 * 60_000);
    for (let i = 0; i < 10; i++)
      await put(one.client, 'Parcels', {
        ...{ pk: `PARCEL#${200 + i}`, sk: 'META', carrier: `C${i % 5}`, createdAt: `2026-11-${10 + i}` },
      });
    await one.pass(1_000);
    const report = await one.doctor('?minutes=61');
    const found = named(report, 'index-misses-old-items');
    expect(found).toMatchObject({ table: 'Parcels', index: 'byCarrier' });
    expect(found.key).toMatch(/^PARCEL#1\d\d \/ META$/);
    expect(found.evidence.join('\n')).toMatch(
      /30 of 40 sampled items[\s\S]*older by createdAt: the newest has 2026-01-29, the oldest in the index has 2026-11-10/,
    );
    expect(ids(report)).not.toContain('index-backfilling');
  });

  it('6: a condition that fails on every retry, and the item', async () => {
    const one = await patient({ physics: 'off' });
    await withTable(one, { TableName: 'Cases' });
    await put(one.client, 'Cases', { pk: 'CASE#1', sk: 'META', version: 9 });
    for (let i = 0; i < 40; i++)
      await tried(
        one.client.send(
          new UpdateItemCommand({
            TableName: 'Cases',
            Key: itemOf({ pk: 'CASE#1', sk: 'META' }),
            UpdateExpression: 'SET version = :next',
            ConditionExpression: 'version = :seen',
            ExpressionAttributeValues: { ':next': { N: '5' }, ':seen': { N: '4' } },
          }),
        ),
      );
    const found = named(await one.doctor(), 'condition-failures');
    expect(found).toMatchObject({ table: 'Cases', key: 'CASE#1 / META' });
    expect(found.cause).toContain('The version moved');
    expect(found.evidence.join('\n')).toMatch(
      /40 of 41 writes failed their condition at 09:01[\s\S]*the condition version = \? of[\s\S]*CASE#1 \/ META: 40 of 40/,
    );
    expect(found.confirm).toContain(
      `get-item --table-name Cases --key '{"pk":{"S":"CASE#1"},"sk":{"S":"META"}}'`,
    );
  });

  it('7: transactions that meet on one item', async () => {
    const one = await patient();
    await withTable(one, { TableName: 'Ledger' });
    await put(one.client, 'Ledger', { pk: 'ACCOUNT#1', sk: 'BALANCE', cents: 0 });
    const transact = (i: number) =>
      one.client.send(
        new TransactWriteItemsCommand({
          TransactItems: [
            {
              Update: {
                TableName: 'Ledger',
                Key: itemOf({ pk: 'ACCOUNT#1', sk: 'BALANCE' }),
                UpdateExpression: 'ADD cents :n',
                ExpressionAttributeValues: { ':n': { N: '1' } },
              },
            },
            { Put: { TableName: 'Ledger', Item: itemOf({ pk: 'ACCOUNT#1', sk: `ENTRY#${i}` }) } },
          ],
        }),
      );
    for (let i = 0; i < 10; i++)
      await Promise.all(Array.from({ length: 5 }, (_, k) => tried(transact(5 * i + k))));
    const report = await one.doctor();
    const found = named(report, 'transaction-conflicts');
    expect(found).toMatchObject({ table: 'Ledger', key: 'ACCOUNT#1 / BALANCE' });
    expect(found.evidence.join('\n')).toMatch(/40 conflicts, 10 transactions went through at 09:01/);
    expect(found.evidence.join('\n')).toContain('ACCOUNT#1 / BALANCE: 40 of 40');
  });

  it('8: a queue in a sparse index that never drains', async () => {
    const one = await patient({ physics: 'off' });
    await withTable(one, {
      TableName: 'Jobs',
      AttributeDefinitions: texts('pk', 'sk', 'GSI1PK', 'GSI1SK'),
      GlobalSecondaryIndexes: [gsi('GSI1', 'GSI1PK', 'GSI1SK')],
    });
    for (let i = 0; i < 40; i++)
      await put(one.client, 'Jobs', {
        ...{ pk: `JOB#${String(i).padStart(3, '0')}`, sk: 'META', status: i < 30 ? 'DONE' : 'OPEN' },
        ...{ GSI1PK: `QUEUE#OPEN#${i % 4}`, GSI1SK: `2026-11-18T09:00:${10 + i}Z` },
      });
    const found = named(await one.doctor(), 'queue-never-drains');
    expect(found).toMatchObject({ table: 'Jobs', index: 'GSI1' });
    expect(found.key).toMatch(/^JOB#0[012]\d \/ META$/);
    expect(found.evidence.join('\n')).toMatch(
      /30 of 40 sampled entries of GSI1 are in the state DONE[\s\S]*is DONE and still has GSI1PK = QUEUE#OPEN#\d/,
    );
    expect(found.fix.text).toContain('REMOVE GSI1PK, GSI1SK');
  });

  it('9: reads of an index right after the write', async () => {
    const one = await patient();
    await withTable(one, {
      TableName: 'Users',
      AttributeDefinitions: texts('pk', 'sk', 'email'),
      GlobalSecondaryIndexes: [gsi('byEmail', 'email')],
    });
    let missed = 0;
    for (let i = 0; i < 30; i++) {
      await put(one.client, 'Users', { pk: `USER#${i}`, sk: 'META', email: 'ada@example.com' });
      const { Items = [] } = await one.client.send(
        new QueryCommand({
          ...{ TableName: 'Users', IndexName: 'byEmail' },
          KeyConditionExpression: 'email = :e',
          ExpressionAttributeValues: { ':e': { S: 'ada@example.com' } },
        }),
      );
      if (Items.length <= i) missed++;
      one.clock.advanceMs(1_000);
    }
    expect(missed).toBe(30);
    const found = named(await one.doctor(), 'stale-index-reads');
    expect(found).toMatchObject({ table: 'Users', index: 'byEmail', key: 'ada@example.com' });
    expect(found.evidence.join('\n')).toContain('30 of 30 reads of byEmail were answered from before');
  });

  it('10: a ramp that outruns auto scaling', async () => {
    const one = await patient();
    await withTable(one, {
      TableName: 'Sales',
      ProvisionedThroughput: { ReadCapacityUnits: 10, WriteCapacityUnits: 10 },
    });
    const values = (i: number) => ({ pk: `SALE#${i % 991}`, sk: String(i) });
    // Five minutes of calm use up no burst; the peak does.
    await putsAt(one, 'Sales', 180, 8, values);
    const refused = await putsAt(one, 'Sales', 120, 60, values);
    expect(refused).toBeGreaterThan(1_000);
    const report = await one.doctor();
    const found = named(report, 'ramp-outruns-scaling');
    expect(found).toMatchObject({ severity: 'error', table: 'Sales' });
    expect(found.evidence.join('\n')).toMatch(
      /writes were throttled between 09:0\d and 09:0\d[\s\S]*used (7|8|9|10|11|12|13|14)(\.\d)? write units a second until 09:0\d, then was asked for [56]\d(\.\d)?; 10 are provisioned/,
    );
    expect(found.fix.command).toContain('--billing-mode PAY_PER_REQUEST');
  });

  it('11: a backfill at full speed', async () => {
    const one = await patient();
    await withTable(one, {
      TableName: 'Items',
      ProvisionedThroughput: { ReadCapacityUnits: 100, WriteCapacityUnits: 10 },
    });
    const live = (i: number) => ({ pk: `ITEM#${i % 997}`, sk: 'META', n: i });
    await putsAt(one, 'Items', 120, 5, live);
    // The job: it scans, and rewrites what it has read as fast as it can.
    for (let second = 0; second < 45; second++) {
      await tried(one.client.send(new ScanCommand({ TableName: 'Items', Limit: 50 })));
      await putsAt(one, 'Items', 1, 110, (i) => ({
        pk: `ITEM#${(second * 50 + i) % 997}`,
        sk: 'META',
        v2: 1,
      }));
    }
    // What is refused now is the traffic of users; then it is calm again.
    await one.pass(60_000);
    await putsAt(one, 'Items', 60, 5, live);
    const report = await one.doctor();
    const found = named(report, 'backfill-throttles');
    expect(found).toMatchObject({ severity: 'error', table: 'Items' });
    expect(found.evidence.join('\n')).toMatch(
      /100 % of these throttles fell into the minutes of \d\d Scans, from 09:0\d to 09:0\d/,
    );
    expect(ids(report)).not.toContain('ramp-outruns-scaling');
    expect(ids(report)).not.toContain('scan-on-hot-path');
  });

  it('12: ranges that find nothing, because of the form of the sort key', async () => {
    const one = await patient({ physics: 'off' });
    await withTable(one, { TableName: 'Events' });
    for (let i = 1; i <= 30; i++) await put(one.client, 'Events', { pk: 'DEVICE#1', sk: `EVENT#${i}` });
    const range = (from: string, to: string) =>
      one.client.send(
        new QueryCommand({
          TableName: 'Events',
          KeyConditionExpression: 'pk = :p AND sk BETWEEN :a AND :b',
          ExpressionAttributeValues: { ':p': { S: 'DEVICE#1' }, ':a': { S: from }, ':b': { S: to } },
        }),
      );
    for (let i = 0; i < 5; i++) expect(await tried(range('EVENT#9', 'EVENT#12'))).toBe(false);
    for (let i = 0; i < 20; i++) expect((await range('EVENT#100', 'EVENT#109')).Items).toEqual([]);
    const report = await one.doctor();
    const found = named(report, 'empty-ranges');
    expect(found).toMatchObject({ table: 'Events', key: 'DEVICE#1' });
    const evidence = found.evidence.join('\n');
    expect(evidence).toContain('was asked 20 times and never found anything');
    expect(evidence).toContain('Asked for: pk = "DEVICE#1" AND sk BETWEEN "EVENT#100" AND "EVENT#109"');
    expect(evidence).toContain('5 ranges refused');
    const text = named(report, 'numbers-as-text');
    expect(text.key).toMatch(/^DEVICE#1 \/ EVENT#\d$/);
    expect(text.cause).toMatch(/"EVENT#\d\d" sorts before "EVENT#\d"/);
    expect(text.fix.text).toContain('EVENT#000');
  });
});

describe('the doctor', () => {
  it('reads only what exists, and tells which item was read', async () => {
    const one = await patient({ physics: 'off' });
    await withTable(one, { TableName: 'Small' });
    await put(one.client, 'Small', { pk: 'a', sk: 'b' });
    await one.client.send(new GetItemCommand({ TableName: 'Small', Key: itemOf({ pk: 'a', sk: 'b' }) }));
    await one.client.send(new PutItemCommand({ TableName: 'Small', Item: itemOf({ pk: 'a', sk: 'c' }) }));
    expect(ids(await one.doctor())).toEqual([]);
  });
});
