import {
  BatchWriteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { dismissPatients, itemOf, named, type Patient, patient, put, tried, withTable } from './patient.ts';
import { runCommandLine } from './run-command-line.ts';

afterEach(dismissPatients);

const texts = (...names: string[]) =>
  names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const }));

const gsi = (IndexName: string, hash: string, type: 'ALL' | 'KEYS_ONLY' = 'ALL') => ({
  IndexName,
  KeySchema: [{ AttributeName: hash, KeyType: 'HASH' as const }],
  Projection: { ProjectionType: type },
});

async function fill(
  one: Patient,
  TableName: string,
  count: number,
  more: (i: number) => object,
): Promise<void> {
  for (let i = 0; i < count; i++)
    await put(one.client, TableName, { pk: `ID#a${i}b`, sk: 'META', ...more(i) });
}

describe('the checks of settings', () => {
  it('leave tables of a few items alone', async () => {
    const one = await patient({ physics: 'off' });
    await withTable(one, { TableName: 'Trial' });
    await withTable(one, { TableName: 'Orders' });
    await fill(one, 'Trial', 1, () => ({}));
    await fill(one, 'Orders', 100, () => ({}));
    const { findings } = await one.doctor();
    const settings = findings.filter(({ id }) => id === 'no-recovery' || id === 'alarms-missing');
    expect(settings.map(({ id, table }) => [id, table]).sort()).toEqual([
      ['alarms-missing', 'Orders'],
      ['no-recovery', 'Orders'],
    ]);
  });
});

describe('the static checks', () => {
  it('know times and parts that do not sort', async () => {
    const one = await patient({ physics: 'off' });
    for (const TableName of ['German', 'Zones', 'Mixed', 'Cities', 'Backwards', 'Fine'])
      await withTable(one, { TableName });
    await fill(one, 'German', 10, (i) => ({ sk: `${10 + i}.11.2026` }));
    await fill(one, 'Zones', 10, (i) => ({ sk: `2026-11-18T09:00:${10 + i}${i % 2 ? '+01:00' : 'Z'}` }));
    await fill(one, 'Mixed', 10, (i) => ({
      sk: i % 2 ? `2026-11-18T09:00:${10 + i}Z` : `2026-11-18T09:00:${10 + i}.250Z`,
    }));
    await fill(one, 'Cities', 60, (i) => ({
      sk: `${['Berlin#DE', 'Munich#DE', 'Oslo#NO', 'Bergen#NO', 'Lyon#FR', 'Paris#FR'][i % 6]}`,
    }));
    await fill(one, 'Backwards', 10, (i) => ({ sk: `${10 + i}#11#2026` }));
    await fill(one, 'Fine', 60, (i) => ({
      sk: `EVENT#2026-11-18T09:00:${10 + (i % 50)}.000Z#${String(i).padStart(4, '0')}`,
    }));
    const report = await one.doctor();
    const found = (table: string) =>
      report.findings.filter((each) => each.table === table && each.runbook.endsWith('sort-keys.md'));
    expect(found('German')).toMatchObject([
      { id: 'unsortable-times', cause: expect.stringContaining('the day stands before') },
    ]);
    expect(found('Zones')).toMatchObject([
      { id: 'unsortable-times', cause: expect.stringContaining('time zones') },
    ]);
    expect(found('Mixed')).toMatchObject([
      { id: 'unsortable-times', cause: expect.stringContaining('fractions') },
    ]);
    expect(found('Cities')).toMatchObject([
      { id: 'fine-to-coarse', cause: expect.stringContaining('always goes with') },
    ]);
    expect(found('Backwards')).toMatchObject([{ id: 'fine-to-coarse' }]);
    expect(found('Fine')).toEqual([]);
  });

  it('know what Time to Live passes over', async () => {
    const one = await patient({ physics: 'off' });
    const nowS = Date.UTC(2026, 10, 18, 9) / 1_000;
    const values = { Millis: nowS * 1_000, Text: '2026-12-01', Seconds: nowS + 86_400, Duration: 3_600 };
    for (const [TableName, ttl] of Object.entries(values)) {
      await withTable(one, { TableName });
      await fill(one, TableName, 5, () => ({ ttl }));
    }
    for (const TableName of ['Absent', 'Off']) await withTable(one, { TableName });
    await fill(one, 'Absent', 25, () => ({}));
    await fill(one, 'Off', 10, () => ({ expiresAt: nowS + 100 }));
    for (const TableName of ['Millis', 'Text', 'Seconds', 'Duration', 'Absent'])
      await one.db.updateTimeToLive({
        ...{ TableName, TimeToLiveSpecification: { Enabled: true, AttributeName: 'ttl' } },
      });
    const { findings } = await one.doctor();
    const found = findings.filter(({ runbook }) => runbook.endsWith('time-to-live.md'));
    expect(found.map(({ id, table, severity }) => `${table} ${id} ${severity}`).sort()).toEqual([
      ...['Absent ttl-absent note', 'Duration ttl-values error', 'Millis ttl-values error'],
      ...['Off ttl-off note', 'Text ttl-values error'],
    ]);
    expect(found.find(({ table }) => table === 'Millis')!.evidence.join()).toContain(
      `{"N":"${nowS * 1_000}"}`,
    );
  });

  it('know keys with few values', async () => {
    const one = await patient({ physics: 'off' });
    await withTable(one, {
      TableName: 'Orders',
      AttributeDefinitions: texts('pk', 'sk', 'day', 'state'),
      GlobalSecondaryIndexes: [gsi('byDay', 'day'), gsi('byState', 'state')],
    });
    await fill(one, 'Orders', 80, (i) => ({
      day: `2026-11-${10 + (i % 5)}`,
      state: i % 4 ? 'OPEN' : 'DONE',
    }));
    const { findings } = await one.doctor();
    const found = findings.filter(({ id }) => id === 'low-cardinality-key');
    expect(found).toMatchObject([
      {
        index: 'byDay',
        cause: expect.stringContaining('is a day'),
        key: expect.stringMatching(/^2026-11-1\d$/),
      },
      {
        index: 'byState',
        key: 'OPEN',
        evidence: [expect.stringContaining('OPEN (60), DONE (20)'), expect.any(String)],
      },
    ]);
  });

  it('know tables that are being changed or full of indexes', async () => {
    const one = await patient();
    const names = Array.from({ length: 18 }, (_, i) => `idx${i}`);
    await withTable(one, {
      TableName: 'Wide',
      AttributeDefinitions: texts('pk', 'sk', ...names),
      GlobalSecondaryIndexes: names.map((name) => gsi(name, name, 'KEYS_ONLY')),
    });
    expect(named(await one.doctor(), 'index-limit').evidence).toEqual(['18 of 20 global indexes']);
    const change = (name: string) =>
      one.client.send(
        new UpdateTableCommand({
          TableName: 'Wide',
          AttributeDefinitions: texts('pk', 'sk', ...names, name),
          GlobalSecondaryIndexUpdates: [{ Create: gsi(name, name, 'KEYS_ONLY') }],
        }),
      );
    await change('more1');
    await tried(change('more2'));
    const report = await one.doctor('?minutes=61');
    expect(named(report, 'table-busy').evidence.join()).toContain('index more1 CREATING');
    expect(named(report, 'refused-requests').symptom).toMatch(
      /UpdateTable on Wide is refused with (ResourceInUse|LimitExceeded)Exception/,
    );
  });
});

/** Designs that are as they should be, and look like trouble at first sight. */
describe('the static checks are silent', () => {
  it('on days and states that stand in many keys, and on vectors', async () => {
    const one = await patient({ physics: 'off' });
    await withTable(one, {
      TableName: 'Orders',
      AttributeDefinitions: texts('pk', 'sk', 'dayOfDevice', 'dayShard', 'stateShard', 'tenantState'),
      GlobalSecondaryIndexes: ['dayOfDevice', 'dayShard', 'stateShard', 'tenantState'].map((name) =>
        gsi(name, name, 'KEYS_ONLY'),
      ),
    });
    await fill(one, 'Orders', 80, (i) => ({
      dayOfDevice: `DEVICE#${i % 5}#2026-11-${18 + (i % 2)}`,
      dayShard: `DATE#2026-11-18#${i % 4}`,
      stateShard: `STATUS#OPEN#${i % 10}`,
      tenantState: `TENANT#${i % 5}#${i % 2 ? 'OPEN' : 'DONE'}`,
    }));
    await withTable(one, { TableName: 'Texts' });
    const vector = Array.from({ length: 1_536 }, (_, i) => ({ N: `0.0${1_000 + i}` }));
    for (let i = 0; i < 4; i++)
      await one.db.putItem({
        TableName: 'Texts',
        Item: { ...itemOf({ pk: `TEXT#a${i}b`, sk: 'META' }), embedding: { L: vector } },
      });
    const { findings } = await one.doctor('?budget=100');
    const settings = ['no-recovery', 'alarms-missing'];
    expect(findings.filter(({ id }) => !settings.includes(id))).toEqual([]);
  });
});

describe('the checks of requests', () => {
  it('know reads before writes and tables that are read together', async () => {
    const one = await patient({ physics: 'off' });
    for (const TableName of ['Users', 'Carts']) await withTable(one, { TableName });
    for (let i = 0; i < 120; i++) {
      const Key = itemOf({ pk: `USER#${i}`, sk: 'META' });
      await one.client.send(new GetItemCommand({ TableName: 'Users', Key }));
      await one.client.send(new GetItemCommand({ TableName: 'Carts', Key }));
      await one.client.send(new PutItemCommand({ TableName: 'Users', Item: { ...Key, n: { N: '1' } } }));
      one.clock.advanceMs(100);
    }
    const report = await one.doctor();
    expect(named(report, 'reads-before-writes')).toMatchObject({
      table: 'Users',
      key: expect.stringMatching(/^USER#\d+ \/ META$/),
    });
    expect(named(report, 'tables-read-together')).toMatchObject({
      table: 'Carts',
      symptom: expect.stringContaining('Carts and Users'),
    });
  });

  it('know indexes that nobody reads, or reads little of', async () => {
    const one = await patient({ physics: 'off' });
    await withTable(one, {
      TableName: 'Orders',
      AttributeDefinitions: texts('pk', 'sk', 'a', 'b'),
      GlobalSecondaryIndexes: [gsi('unread', 'a'), gsi('narrow', 'b')],
    });
    await fill(one, 'Orders', 150, (i) => ({ a: `A${i}`, b: `B${i}`, text: 'long' }));
    for (let i = 0; i < 150; i++)
      await one.client.send(
        new QueryCommand({
          ...{ TableName: 'Orders', IndexName: 'narrow', ProjectionExpression: 'pk, b' },
          KeyConditionExpression: 'b = :b',
          ExpressionAttributeValues: { ':b': { S: `B${i}` } },
        }),
      );
    const report = await one.doctor();
    expect(named(report, 'unread-index')).toMatchObject({
      index: 'unread',
      cause: expect.stringContaining('projection ALL'),
    });
    expect(named(report, 'wide-projection')).toMatchObject({
      index: 'narrow',
      cause: expect.stringContaining('ask for b, pk only'),
    });
    expect(report.findings.filter(({ id }) => id === 'unread-index')).toHaveLength(1);
  });

  it('know batches that leave items behind, and retries', async () => {
    const one = await patient();
    await withTable(one, { TableName: 'Log' });
    let left = 0;
    for (let i = 0; i < 120; i++) {
      const { UnprocessedItems } = await one.client.send(
        new BatchWriteItemCommand({
          RequestItems: {
            Log: Array.from({ length: 25 }, (_, k) => ({
              PutRequest: { Item: itemOf({ pk: k < 20 ? 'HOT' : `c${i}d${k}e`, sk: `x${i}y${k}z` }) },
            })),
          },
        }),
      );
      left += UnprocessedItems?.Log?.length ?? 0;
    }
    expect(left).toBeGreaterThan(10);
    for (let i = 0; i < 80; i++)
      await fetch(one.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-target': 'DynamoDB_20120810.PutItem',
          'x-amz-date': '20261118T090000Z',
          'amz-sdk-request': `attempt=${1 + (i % 3)}; max=3`,
          authorization: `AWS4-HMAC-SHA256 Credential=local/20261118/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
        },
        body: JSON.stringify({ TableName: 'Log', Item: itemOf({ pk: 'HOT', sk: 'r' }) }),
      });
    const report = await one.doctor();
    expect(named(report, 'unprocessed-items').evidence.join()).toMatch(
      /writes of 120 successful BatchWriteItems were throttled/,
    );
    expect(named(report, 'hot-partition')).toMatchObject({ table: 'Log', key: 'HOT' });
    const retries = named(report, 'retry-storm').evidence;
    expect(retries[0]).toMatch(/^53 of 80 requests/);
    expect(retries[1]).toContain('Errors: ThrottlingException');
  });

  it('take throttled transactions and reads for no lost part of a batch', async () => {
    const one = await patient();
    await withTable(one, {
      TableName: 'Ledger',
      ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
    });
    await one.client.send(
      new BatchWriteItemCommand({
        RequestItems: { Ledger: [{ PutRequest: { Item: itemOf({ pk: 'a', sk: 'b' }) } }] },
      }),
    );
    let refused = 0;
    for (let i = 0; i < 40; i++)
      if (
        !(await tried(
          one.client.send(
            new TransactWriteItemsCommand({
              TransactItems: Array.from({ length: 10 }, (_, k) => ({
                Put: { TableName: 'Ledger', Item: itemOf({ pk: `T${i}`, sk: `x${k}y` }) },
              })),
            }),
          ),
        ))
      )
        refused++;
    expect(refused).toBeGreaterThan(10);
    const { findings } = await one.doctor();
    expect(findings.map(({ id }) => id)).not.toContain('unprocessed-items');
  });

  it('name every key that is too hot', async () => {
    const one = await patient({ physics: 'shadow' });
    await withTable(one, {
      TableName: 'Tracking',
      WarmThroughput: { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 9_000 },
    });
    for (let i = 0; i < 150; i++) {
      await put(one.client, 'Tracking', {
        pk: `SHIPMENT#MEGA${1 + (i % 3)}`,
        sk: `x${i}y`,
        note: 'n'.repeat(100_000),
      });
      one.clock.advanceMs(15);
    }
    const found = (await one.doctor()).findings.filter(({ id }) => id === 'hot-partition');
    expect(found).toMatchObject([{ table: 'Tracking', key: expect.stringMatching(/^SHIPMENT#MEGA\d$/) }]);
    expect(found[0]!.evidence.join()).toMatch(
      /Other keys asked for more than that too, in write units a second: SHIPMENT#MEGA\d for 2,\d{3}, SHIPMENT#MEGA\d for 2,\d{3}/,
    );
  });

  it('know errors of the service and refused keys', async () => {
    const one = await patient({ physics: 'off' });
    await withTable(one, { TableName: 'Orders' });
    one.db.faults.add({ error: 'InternalServerError', table: 'Orders', times: 3 });
    for (let i = 0; i < 3; i++) await tried(put(one.client, 'Orders', { pk: 'a', sk: 'b' }));
    for (let i = 0; i < 6; i++) await tried(put(one.client, 'Orders', { pk: 'a', sk: i }));
    const report = await one.doctor();
    expect(named(report, 'server-errors').evidence[0]).toMatch(/^3 errors/);
    for (let i = 0; i < 5; i++)
      await tried(
        one.client.send(
          new QueryCommand({
            ...{ TableName: 'Orders', KeyConditionExpression: 'no = :p' },
            ExpressionAttributeValues: { ':p': { S: 'x' } },
          }),
        ),
      );
    const refused = (await one.doctor()).findings.filter(({ id }) => id === 'refused-requests');
    // Operations are told apart, each with its own words.
    expect(refused.map(({ symptom }) => symptom).sort()).toEqual([
      'PutItem on Orders is refused with ValidationException.',
      'Query on Orders is refused with ValidationException.',
    ]);
    expect(refused.flatMap(({ evidence }) => evidence)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('6 requests'),
        expect.stringContaining('Type mismatch for key sk'),
      ]),
    );
  });

  it('know Scans that serve users', async () => {
    const one = await patient({ physics: 'off' });
    await withTable(one, { TableName: 'Orders' });
    await fill(one, 'Orders', 50, () => ({}));
    for (let i = 0; i < 40; i++) await one.client.send(new ScanCommand({ TableName: 'Orders' }));
    expect(named(await one.doctor(), 'scan-on-hot-path').evidence[0]).toMatch(
      /^40 Scans in \d+ minutes, 44 % of all/,
    );
  });

  it('know streams that nobody reads, and readers that fall behind', async () => {
    const one = await patient({ physics: 'off' });
    const StreamSpecification = { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' as const };
    for (const TableName of ['Unread', 'Late']) await withTable(one, { TableName, StreamSpecification });
    for (const TableName of ['Unread', 'Late']) await fill(one, TableName, 250, () => ({}));
    const { Table } = await one.db.describeTable({ TableName: 'Late' });
    const StreamArn = Table!.LatestStreamArn!;
    const { StreamDescription } = await one.db.describeStream({ StreamArn });
    const [shard] = StreamDescription!.Shards!;
    const { ShardIterator } = await one.db.getShardIterator({
      ...{ StreamArn, ShardId: shard!.ShardId!, ShardIteratorType: 'TRIM_HORIZON' },
    });
    await one.db.getRecords({ ShardIterator: ShardIterator!, Limit: 10 });
    const report = await one.doctor();
    expect(named(report, 'stream-unread').table).toBe('Unread');
    expect(named(report, 'stream-lag')).toMatchObject({
      table: 'Late',
      evidence: [expect.stringContaining('for 250 writes'), expect.any(String)],
    });
  });
});

describe('the checks of capacity', () => {
  it('know what is nearly used up, hardly used, about to be hot, or limited', async () => {
    const one = await patient({ physics: 'shadow' });
    const units = (WriteCapacityUnits: number) => ({ ReadCapacityUnits: 1, WriteCapacityUnits });
    await withTable(one, { TableName: 'Near', ProvisionedThroughput: units(1) });
    await withTable(one, { TableName: 'Idle', ProvisionedThroughput: units(1_000) });
    await withTable(one, { TableName: 'Warm' });
    await withTable(one, { TableName: 'Limited', OnDemandThroughput: { MaxWriteRequestUnits: 1 } });
    for (let minute = 0; minute < 32; minute++) {
      for (let i = 0; i < 51; i++) await put(one.client, 'Near', { pk: `a${i}`, sk: 'x' });
      await put(one.client, 'Idle', { pk: `a${minute}`, sk: 'x' });
      one.clock.advanceMs(60_000);
    }
    for (let i = 0; i < 800; i++) {
      await put(one.client, 'Warm', { pk: 'SKU#1', sk: 'x', note: 'n'.repeat(25_000) });
      one.clock.advanceMs(70);
    }
    for (let i = 0; i < 2_000; i++) await put(one.client, 'Limited', { pk: `a${i}`, sk: 'x' });
    const report = await one.doctor('?budget=0');
    expect(named(report, 'near-capacity')).toMatchObject({
      table: 'Near',
      evidence: [expect.stringContaining('of 1 write units'), expect.any(String)],
    });
    expect(named(report, 'over-provisioned').table).toBe('Idle');
    expect(named(report, 'key-dominates')).toMatchObject({ table: 'Warm', key: 'SKU#1' });
    expect(named(report, 'throughput-limit')).toMatchObject({ table: 'Limited', severity: 'warning' });
  });

  it('know alarms that fire', async () => {
    const one = await patient({ physics: 'off' });
    await withTable(one, { TableName: 'Orders' });
    const aws = async (words: string) => {
      const { ok, text } = await runCommandLine(`aws cloudwatch ${words}`, one.url, '.');
      expect(ok, text).toBe(true);
    };
    await aws(
      'put-metric-alarm --alarm-name mine --namespace AWS/DynamoDB --metric-name ThrottledRequests --statistic Sum --period 60 --evaluation-periods 1 --threshold 1 --comparison-operator GreaterThanThreshold --treat-missing-data ignore --dimensions Name=TableName,Value=Orders',
    );
    await aws(`set-alarm-state --alarm-name mine --state-value ALARM --state-reason 'by hand'`);
    expect(named(await one.doctor(), 'alarm-firing')).toMatchObject({
      ...{ table: 'Orders', symptom: 'The alarm "mine" is in ALARM.' },
      evidence: ['In ALARM since 2026-11-18T09:01Z', 'by hand'],
    });
  });
});
