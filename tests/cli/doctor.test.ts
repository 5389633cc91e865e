import { CloudWatchClient, DescribeAlarmsCommand, PutMetricAlarmCommand } from '@aws-sdk/client-cloudwatch';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkList, type DoctorReport } from '../../src/doctor/index.ts';
import type { RequestEvent } from '../../src/engine/events.ts';
import { VirtualClock } from '../../src/index.ts';
import { dismissPatients, type Patient, patient, put, withTable } from '../doctor/patient.ts';
import { type Door, readOnlyDoor } from '../doctor/read-only-door.ts';
import { runHere } from './run-here.ts';

interface Sarif {
  readonly version: string;
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly level: string;
      readonly message: { readonly text: string };
      readonly locations: readonly {
        readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } };
      }[];
      readonly partialFingerprints: Readonly<Record<string, string>>;
    }[];
  }[];
}

let sick: Patient;
let url: string;
let door: Door;
const writes: string[] = [];

const run = (...args: string[]) => runHere('.', args);

beforeAll(async () => {
  // The doctor of AWS goes by the clock of this machine.
  sick = await patient({
    clock: new VirtualClock(Date.now() - 10 * 60_000),
    physics: 'shadow',
    observer: {
      request: ({ operation, touches }: RequestEvent) => {
        if (touches.some(({ access }) => access === 'write')) writes.push(operation);
      },
    },
  } as never);
  await withTable(sick, { TableName: 'Orders' });
  await withTable(sick, { TableName: 'Calm' });
  for (let i = 0; i < 100; i++) await put(sick.client, 'Calm', { pk: `CALM#${i}`, sk: 'META' });
  for (let i = 0; i < 300; i++)
    await put(sick.client, 'Orders', {
      ...{ pk: `ORDER#${i}`, sk: 'META', note: 'n'.repeat(900), ttl: 1_795_000_000_000 },
      city: i % 60 === 0 ? 'Oslo' : 'Berlin',
    });
  for (let i = 0; i < 60; i++)
    await sick.client.send(
      new ScanCommand({
        TableName: 'Orders',
        FilterExpression: 'city = :c',
        ExpressionAttributeValues: { ':c': { S: 'Oslo' } },
      }),
    );
  await sick.db.updateTimeToLive({
    TableName: 'Orders',
    TimeToLiveSpecification: { Enabled: true, AttributeName: 'ttl' },
  });
  url = sick.url;
  door = await readOnlyDoor(url);
  writes.length = 0;
});

afterAll(async () => {
  await door.close();
  await dismissPatients();
});

const idsOf = (report: DoctorReport, table: string) =>
  report.findings.filter((each) => each.table === table).map(({ id }) => id);

describe('stator doctor', () => {
  it('prints what is wrong, worst first, and fails for an error', async () => {
    const { code, out, err } = await run('doctor', '--endpoint', url);
    expect(code).toBe(1);
    expect(err).toBe('stator: One finding is as bad as --fail-on error says.\n');
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^Stator doctor {2}http:\S+ {2}2 tables {2}the last 60 minutes {2}\S+ \S+ UTC$/);
    expect(lines[2]).toMatch(/^ERROR {4}ttl-values {2}Orders {2}key ORDER#\d+ \/ META$/);
    expect(out).toContain('WARNING  filter-discards  Orders');
    expect(out).toMatch(/confirm {3}\$ aws --endpoint-url http:\S+ dynamodb scan --table-name Orders/);
    expect(out).toContain('read      docs/runbooks/time-to-live.md');
    // What every table lacks is told once.
    expect(out).toMatch(/no-recovery {2}Calm[\s\S]*also {6}Orders/);
    expect(out).toMatch(
      /1 error, 2 warnings, 4 notes in 2 tables\.\nLooking took [\d.]+ read units?, \d+ requests and \d+ metrics\./,
    );
    expect(out).not.toContain('\u001b');
    const quiet = await run('doctor', '--endpoint', url, '--quiet', '--fail-on', 'never');
    expect(quiet.code).toBe(0);
    expect(quiet.out).not.toContain('no-recovery');
  });

  it('prints one object with --json, of the tables that are named', async () => {
    const { code, out } = await run('doctor', '--endpoint', url, '--table', 'Calm', '--json');
    expect(code).toBe(0);
    const report = JSON.parse(out) as DoctorReport;
    expect(report).toMatchObject({ event: 'doctor', tables: ['Calm'], notSeen: [] });
    expect(idsOf(report, 'Calm')).toEqual(['alarms-missing', 'no-recovery']);
  });

  it('prints SARIF', async () => {
    const { out } = await run('doctor', '--endpoint', url, '--format', 'sarif');
    const log = JSON.parse(out) as Sarif;
    const { tool, results } = log.runs[0]!;
    expect(log.version).toBe('2.1.0');
    for (const { ruleId, ruleIndex, level, locations } of results) {
      expect(tool.driver.rules[ruleIndex]!.id).toBe(ruleId);
      expect(checkList).toHaveProperty(ruleId);
      expect(['error', 'warning', 'note']).toContain(level);
      expect(locations[0]!.physicalLocation.artifactLocation.uri).toMatch(
        /^dynamodb\/us-east-1\/(Orders|Calm)$/,
      );
    }
    expect(results[0]!.message.text).toContain('Items of Orders do not expire.');
    expect(new Set(results.map((one) => one.partialFingerprints['statorDoctor/v1'])).size).toBe(
      results.length,
    );
  });

  it('examines any endpoint through the public API, and only reads', async () => {
    const { out, code } = await run('doctor', '--endpoint', door.url, '--json', '--budget', '100');
    const report = JSON.parse(out) as DoctorReport;
    expect(code).toBe(1);
    expect(idsOf(report, 'Orders')).toEqual([
      ...['ttl-values', 'filter-discards', 'scan-on-hot-path', 'alarms-missing', 'no-recovery'],
    ]);
    expect(report.notSeen.map(({ what }) => what)).toEqual([
      'access patterns, retries, stale index reads and failed conditions by key',
    ]);
    expect(door.refused).toEqual([]);
    expect(door.passed).toContain('DynamoDB_20120810.DescribeTable');
    expect(door.passed).toContain('GraniteServiceVersion20100801.GetMetricData');
    const scans = door.passed.filter((operation) => operation.endsWith('.Scan')).length;
    expect(scans).toBeLessThanOrEqual(2 * 8);
    // One page can exceed the budget of a table by an item.
    expect(report.consumed.readUnits).toBeLessThanOrEqual(2 * 101);
    await run('doctor', '--endpoint', url, '--fail-on', 'never');
    expect(writes).toEqual([]);
  });

  it('reads no item with a budget of 0', async () => {
    door.passed.length = 0;
    const { out } = await run(
      'doctor',
      '--endpoint',
      door.url,
      '--json',
      '--budget',
      '0',
      '--fail-on',
      'never',
    );
    expect(door.passed.filter((operation) => operation.endsWith('.Scan'))).toEqual([]);
    const report = JSON.parse(out) as DoctorReport;
    expect(report.consumed.readUnits).toBe(0);
    expect(report.notSeen.map(({ what }) => what)).toContain('items');
  });

  it('says what it could not see for lack of permission', async () => {
    for (const operation of [
      'Scan',
      'GetMetricData',
      'ListMetrics',
      'DescribeAlarms',
      'DescribeContinuousBackups',
    ])
      door.denied.add(operation);
    const { out, code } = await run('doctor', '--endpoint', door.url, '--fail-on', 'never');
    expect(code).toBe(0);
    const told = out.replaceAll(/\s+/g, ' ');
    expect(told).toContain(
      'Not seen: samples of items of Calm, Orders, because AccessDeniedException: these credentials may not call dynamodb:Scan. Allow dynamodb:Scan to the role that runs the doctor.',
    );
    for (const what of ['metrics of CloudWatch', 'alarms', 'point-in-time recovery of Calm, Orders'])
      expect(told).toContain(`Not seen: ${what}`);
    door.denied.add('ListTables');
    const nothing = await run('doctor', '--endpoint', door.url);
    expect([nothing.code, nothing.err]).toEqual([
      1,
      expect.stringContaining('No table could be examined: AccessDeniedException'),
    ]);
    door.denied.clear();
  });

  it('refuses what makes no sense', async () => {
    const wrong = async (...args: string[]) => {
      const { code, err } = await run('doctor', ...args);
      return [code, err] as const;
    };
    expect(await wrong('--endpoint', url, '--table', 'Ordes')).toEqual([
      1,
      expect.stringContaining('There is no table Ordes in Region us-east-1. Did you mean Orders?'),
    ]);
    expect(await wrong('--endpoint', door.url, '--table', 'Ordes')).toEqual([
      1,
      expect.stringContaining('There is no table Ordes in Region us-east-1. Did you mean Orders?'),
    ]);
    expect(await wrong('--table', 'a b')).toEqual([
      2,
      expect.stringContaining('"a b" is no name of a table'),
    ]);
    expect(await wrong('--watch', '--format', 'sarif')).toEqual([2, expect.stringContaining('--watch')]);
    expect(await wrong('--budget', '-1')).toEqual([2, expect.stringContaining('between 0 and 100000')]);
    expect(await wrong('--endpoint', 'http://127.0.0.1:1')).toEqual([
      1,
      expect.stringContaining('Nobody answers'),
    ]);
    expect(await wrong('--endpoint', 'aws')).toEqual([1, expect.stringContaining('no credentials for AWS')]);
  });
});

describe('stator alarms', () => {
  const names = async () => {
    const { MetricAlarms = [] } = await cloudWatch.send(new DescribeAlarmsCommand({}));
    return MetricAlarms.map(({ AlarmName }) => AlarmName);
  };
  let cloudWatch: CloudWatchClient;
  beforeAll(() => {
    const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
    cloudWatch = new CloudWatchClient({ endpoint: url, region: 'us-east-1', credentials });
  });

  it('installs what is missing, once, lists it and removes it', async () => {
    const plan = await run('alarms', 'install', '--endpoint', url, '--table', 'Calm', '--dry-run');
    expect([plan.code, plan.out.trimEnd().split('\n').at(-1)]).toEqual([0, 'Would be: 10 new, for 1 table.']);
    expect(await names()).toEqual([]);
    const first = await run('alarms', 'install', '--endpoint', url, '--table', 'Calm', '--lambda', 'project');
    expect(first.out).toContain('11 new, for 1 table.');
    const again = await run('alarms', 'install', '--endpoint', url, '--lambda', 'project', '--json');
    const { alarms } = JSON.parse(again.out) as { alarms: { alarm: string; deed: string }[] };
    expect(
      alarms.filter(({ alarm }) => alarm.startsWith('Calm')).every(({ deed }) => deed === 'unchanged'),
    ).toBe(true);
    expect(
      alarms.filter(({ deed }) => deed === 'new').every(({ alarm }) => alarm.startsWith('Orders ')),
    ).toBe(true);
    const report = JSON.parse((await run('doctor', '--endpoint', url, '--json')).out) as DoctorReport;
    expect(report.findings.map(({ id }) => id)).not.toContain('alarms-missing');
    const list = await run('alarms', 'list', '--endpoint', url, '--table', 'Calm');
    expect(list.out.trimEnd().split('\n')).toHaveLength(10);
    expect(list.out).toMatch(/^(OK|INSUFFICIENT_DATA) +Calm read throttles$/m);
    const acting = await run('alarms', 'install', '--endpoint', url, '--table', 'Calm', '--action', 'page');
    expect(acting.out).toContain('10 changed, for 1 table.');

    await cloudWatch.send(
      new PutMetricAlarmCommand({
        ...{ AlarmName: 'Calm mine', MetricName: 'UserErrors', Namespace: 'AWS/DynamoDB', Statistic: 'Sum' },
        ...{ Period: 60, EvaluationPeriods: 1, Threshold: 1, ComparisonOperator: 'GreaterThanThreshold' },
      }),
    );
    const removed = await run('alarms', 'remove', '--endpoint', url, '--table', 'Calm');
    expect(removed.out).toContain('10 removed.');
    expect((await run('alarms', 'remove', '--endpoint', url)).out).toMatch(/\d+ removed\./);
    expect(await names()).toEqual(['Calm mine']);
    expect((await run('alarms', 'list', '--endpoint', url)).out).toContain('There are none.');
  });

  it('watches provisioned tables and their indexes', async () => {
    await withTable(sick, {
      TableName: 'Shop',
      ProvisionedThroughput: { ReadCapacityUnits: 10, WriteCapacityUnits: 20 },
      GlobalSecondaryIndexes: [
        {
          IndexName: 'bySort',
          KeySchema: [{ AttributeName: 'sk', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'KEYS_ONLY' },
          ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 5 },
        },
      ],
    });
    const { out, err } = await run('alarms', 'install', '--endpoint', url, '--table', 'Shop');
    expect(err).toBe('');
    for (const name of [
      ...['Shop/bySort write throttles', 'Shop/bySort hot key (writes)', 'Shop write capacity above 80 %'],
      ...['Shop/bySort read capacity above 80 %', 'Shop writes throttled below half of capacity'],
    ])
      expect(out).toContain(`new        ${name}`);
    const again = await run('alarms', 'install', '--endpoint', url, '--table', 'Shop');
    expect(again.out).toContain('22 unchanged, for 1 table.');
  });

  it('refuses a table that does not exist', async () => {
    const { code, err } = await run('alarms', 'install', '--endpoint', url, '--table', 'Nope');
    expect([code, err]).toEqual([1, expect.stringContaining('There is no table Nope')]);
    expect((await run('alarms', 'instal')).err).toContain('Did you mean stator alarms install?');
  });
});
