import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApplicationAutoScaling } from '@aws-sdk/client-application-auto-scaling';
import { CloudWatch } from '@aws-sdk/client-cloudwatch';
import { describe, expect, it } from 'vitest';
import { Places } from './places.ts';
import { item, plainRequest, tableOf } from './plain-request.ts';
import type { StatorProcess } from './stator-process.ts';

const places = new Places();

async function tablesOf(stator: StatorProcess, region = 'us-east-1'): Promise<unknown> {
  return (await plainRequest(await stator.endpoint(), 'ListTables', {}, { region })).body.TableNames;
}

async function itemOf(stator: StatorProcess, table: string, id: string): Promise<unknown> {
  const input = { TableName: table, Key: item(id) };
  return (await plainRequest(await stator.endpoint(), 'GetItem', input)).body.Item;
}

async function stop(stator: StatorProcess): Promise<void> {
  stator.process.kill('SIGTERM');
  await stator.ended;
}

/** Resolves once a file is there. */
async function existence(path: string): Promise<void> {
  while (!existsSync(path)) await new Promise((resolve) => setImmediate(resolve));
}

const inMemory = ['--in-memory', '--port', '0', '--init'];

describe('--init', () => {
  it('creates the table of a CreateTable request, in the Region of the server', async () => {
    const directory = await places.directory({ 'a.json': tableOf('Apples') });
    const stator = places.start(directory, [...inMemory, 'a.json', '--region', 'eu-west-1']);
    expect(await tablesOf(stator, 'eu-west-1')).toEqual(['Apples']);
    expect(await tablesOf(stator)).toEqual([]);
    await stator.err.until(/Created 1 table and put 0 items from .*a\.json\./);
  });

  it('creates the tables of an array of requests', async () => {
    const directory = await places.directory({ 'a.json': [tableOf('Apples'), tableOf('Bread')] });
    expect(await tablesOf(places.start(directory, [...inMemory, 'a.json']))).toEqual(['Apples', 'Bread']);
  });

  it('creates the table that describe-table printed', async () => {
    const first = places.start(await places.directory({ 'a.json': tableOf('Apples') }), [
      ...inMemory,
      'a.json',
    ]);
    const described = await plainRequest(await first.endpoint(), 'DescribeTable', { TableName: 'Apples' });
    const directory = await places.directory({ 'described.json': described.body });
    expect(await tablesOf(places.start(directory, [...inMemory, 'described.json']))).toEqual(['Apples']);
  });

  it('creates the tables of a CloudFormation template in YAML', async () => {
    const template = [
      'Resources:',
      '  Orders:',
      '    Type: AWS::DynamoDB::Table',
      '    Properties:',
      '      TableName: Orders',
      '      BillingMode: PAY_PER_REQUEST',
      '      AttributeDefinitions:',
      '        - { AttributeName: id, AttributeType: S }',
      '      KeySchema:',
      '        - AttributeName: id',
      '          KeyType: HASH',
    ].join('\n');
    const directory = await places.directory({ 'template.yaml': template });
    expect(await tablesOf(places.start(directory, [...inMemory, 'template.yaml']))).toEqual(['Orders']);
  });

  it("sets up everything that the product's own templates ask for", async () => {
    const emitted = readFileSync(
      new URL('../../examples/models/orders/generated/cloudformation.yaml', import.meta.url),
      'utf8',
    );
    const template = emitted
      .replace('Default: PAY_PER_REQUEST', 'Default: PROVISIONED')
      .replace('\nResources:\n', '\nResources:\n  Topic:\n    Type: AWS::SNS::Topic\n');
    const directory = await places.directory({ 'template.yaml': template });
    const stator = places.start(directory, [...inMemory, 'template.yaml']);
    const endpoint = await stator.endpoint();
    const ask = async (operation: string, input: object) =>
      (await plainRequest(endpoint, operation, { TableName: 'orders-dev', ...input })).body;
    const config = {
      endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    };
    expect(await ask('DescribeContinuousBackups', {})).toMatchObject({
      ContinuousBackupsDescription: {
        PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'ENABLED' },
      },
    });
    for (const place of [{}, { IndexName: 'GSI1' }, { IndexName: 'GSI2' }])
      expect((await ask('DescribeContributorInsights', place)).ContributorInsightsStatus).toMatch(/^ENABL/);
    expect(await ask('DescribeTimeToLive', {})).toMatchObject({
      TimeToLiveDescription: { AttributeName: 'expires', TimeToLiveStatus: 'ENABLED' },
    });
    const ResourceArn = 'arn:aws:dynamodb:us-east-1:000000000000:table/orders-dev';
    expect((await ask('ListTagsOfResource', { ResourceArn })).Tags).toEqual([
      { Key: 'Environment', Value: 'dev' },
    ]);
    const scaling = new ApplicationAutoScaling(config);
    const { ScalableTargets: targets } = await scaling.describeScalableTargets({
      ServiceNamespace: 'dynamodb',
    });
    const { ScalingPolicies: policies } = await scaling.describeScalingPolicies({
      ServiceNamespace: 'dynamodb',
    });
    expect([targets, policies].map((list) => list?.length)).toEqual([6, 6]);
    // Scaling makes alarms of its own.
    const { MetricAlarms: alarms } = await new CloudWatch(config).describeAlarms({
      AlarmNamePrefix: 'orders-dev',
    });
    const declared = [...emitted.matchAll(/AlarmName: !Sub 'orders-\$\{Environment\}-(.*)'/g)];
    expect(alarms?.map(({ AlarmName }) => AlarmName).sort()).toEqual(
      declared.map(([, name]) => `orders-dev-${name}`).sort(),
    );
    await stator.err.until(new RegExp(`Set up ${declared.length} alarms and 6 scalable targets`));
    await stator.err.until(/left out: AWS::SNS::Topic/);
  });

  it('loads items, and leaves all of it alone at the next start', async () => {
    const many = Array.from({ length: 3_000 }, (_, index) => item(`n${index}`));
    const directory = await places.directory({
      'a.json': { tables: [tableOf('Apples')], items: { Apples: many } },
    });
    const args = ['--port', '0', '--init', 'a.json'];
    const first = places.start(directory, args);
    expect(await itemOf(first, 'Apples', 'n2999')).toEqual(item('n2999'));
    await first.err.until(/Created 1 table and put 3,000 items/);
    await plainRequest(await first.endpoint(), 'DeleteItem', { TableName: 'Apples', Key: item('n1') });
    await stop(first);

    const second = places.start(directory, args);
    await second.err.until(/Table Apples of .*a\.json exists already and was left alone\./);
    expect(await itemOf(second, 'Apples', 'n1')).toBeUndefined();
    expect(await itemOf(second, 'Apples', 'n0')).toEqual(item('n0'));
  });

  it('makes a table anew that a killed process has left half loaded', async () => {
    const protectedTable = { ...tableOf('Apples'), DeletionProtectionEnabled: true };
    const directory = await places.directory({
      'a.json': { tables: [protectedTable], items: { Apples: [item('1')] } },
    });
    const first = places.start(directory, ['--port', '0']);
    const endpoint = await first.endpoint();
    await plainRequest(endpoint, 'CreateTable', {
      ...protectedTable,
      Tags: [{ Key: 'stator:loading', Value: 'true' }],
    });
    await plainRequest(endpoint, 'PutItem', { TableName: 'Apples', Item: item('half') });
    await stop(first);

    const second = places.start(directory, ['--port', '0', '--init', 'a.json']);
    await second.err.until(/Table Apples of .*a\.json was not loaded to its end: it is made anew\./);
    expect(await itemOf(second, 'Apples', '1')).toEqual(item('1'));
    expect(await itemOf(second, 'Apples', 'half')).toBeUndefined();
    const { body } = await plainRequest(await second.endpoint(), 'ListTagsOfResource', {
      ResourceArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/Apples',
    });
    expect(body.Tags).toEqual([]);
  });

  it('removes what it has begun when it is stopped', async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => item(`n${index}`));
    const directory = await places.directory({
      'a.json': { tables: [tableOf('Apples')], items: { Apples: many } },
    });
    // Enforced physics make the table wait to be created, which leaves time for the signal.
    const args = ['--port', '0', '--init', 'a.json', '--physics', 'enforce', '--data-dir', 'data'];
    const first = places.start(directory, args);
    await existence(join(directory, 'data', 'stator.mdb'));
    first.process.kill('SIGTERM');
    expect((await first.ended).code).toBe(1);
    // Where the signal came after the table was made, its deletion lasts some seconds, as physics are enforced.
    const second = places.start(directory, ['--port', '0', '--data-dir', 'data']);
    const input = { TableName: 'Apples' };
    const { body } = await plainRequest(await second.endpoint(), 'DescribeTable', input);
    expect(JSON.stringify(body)).toMatch(/"TableStatus":"DELETING"|Table: Apples not found/);
  });

  it.each([
    ['named', (requests: object) => ({ RequestItems: requests })],
    ['alone', (requests: object) => requests],
  ])('puts the items of a BatchWriteItem request, %s, into tables that are there', async (_, form) => {
    const directory = await places.directory({
      'tables.json': tableOf('Apples'),
      'items.json': form({
        Apples: [{ PutRequest: { Item: item('1') } }, { PutRequest: { Item: item('2') } }],
      }),
    });
    const first = places.start(directory, ['--port', '0', '--init', 'tables.json']);
    await first.endpoint();
    await stop(first);
    const second = places.start(directory, ['--port', '0', '--init', 'items.json']);
    expect(await itemOf(second, 'Apples', '2')).toEqual(item('2'));
  });

  it('is no traffic where physics is enforced, also on a clock that stands still', async () => {
    const directory = await places.directory({
      // Far more than one partition takes in a second.
      'a.json': {
        tables: [tableOf('Apples')],
        items: { Apples: Array.from({ length: 6_000 }, (_, i) => item(String(i))) },
      },
    });
    const enforced = [...inMemory, 'a.json', '--physics', 'enforce'];
    const real = places.start(directory, enforced);
    const virtual = places.start(directory, [...enforced, '--clock', 'virtual']);
    expect(await itemOf(virtual, 'Apples', '1')).toEqual(item('1'));
    expect(await itemOf(real, 'Apples', '1')).toEqual(item('1'));
  });

  it('runs a script with a client of the SDK and the database', async () => {
    const directory = await places.directory({
      'init.mjs': [
        'export default async ({ client, db }) => {',
        `  await db.createTable(${JSON.stringify(tableOf('Apples'))});`,
        '  console.log(client.constructor.name, typeof client.send);',
        '};',
      ].join('\n'),
      'init.ts': `export default async ({ db }: { db: { createTable(table: object): Promise<unknown> } }) => {
        await db.createTable(${JSON.stringify(tableOf('Bread'))});
      };`,
    });
    const script = places.start(directory, [...inMemory, 'init.mjs']);
    await script.out.until(/^DynamoDBClient function$/);
    expect(await tablesOf(script)).toEqual(['Apples']);
    // The tests run under tsx, with which Node can import TypeScript.
    expect(await tablesOf(places.start(directory, [...inMemory, 'init.ts']))).toEqual(['Bread']);
  });

  it('names file, table and item when one is refused, and leaves nothing behind', async () => {
    const items = { Apples: [item('1'), { wrong: { S: 'x' } }] };
    const directory = await places.directory({
      'a.json': { tables: [tableOf('Apples')], items },
      'b.json': { tables: [{ ...tableOf('Bread'), KeySchema: [] }] },
    });
    const refused = await places.run(directory, ['--port', '0', '--init', 'a.json']);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(
      /^stator: .*a\.json: item 2 of table Apples was refused: ValidationException: .*id.*\n\{"wrong":\{"S":"x"\}\}\n$/,
    );
    const table = await places.run(directory, ['--port', '0', '--init', 'b.json']);
    expect(table.err).toMatch(/b\.json: table Bread was refused: ValidationException: /);
    expect(await tablesOf(places.start(directory, ['--port', '0']))).toEqual([]);
  });

  it.each([
    ['missing.json', undefined, /^stator: The init file .*missing\.json does not exist\./],
    ['a.json', { items: [] }, /a\.json, items must be an object of arrays by table\./],
    ['a.json', { items: { Apples: {} } }, /a\.json, the items of Apples must be an array\./],
    ['a.json', { tabels: [] }, /a\.json: a table has no TableName, but only tabels/],
    ['a.json', { tables: [], rows: {} }, /a\.json has the unknown member "rows" beside tables and items\./],
    ['a.json', { Apples: [{ DeleteRequest: {} }] }, /a\.json, request 1 for Apples is not a PutRequest\./],
    ['a.json', { items: { Nowhere: [item('1')] } }, /item 1 of table Nowhere was refused: ResourceNotFound/],
    ['a.mjs', 'export const x = 1;', /The init script .*a\.mjs has no default export\./],
    ['a.mjs', 'export default 1;', /a\.mjs does not export a function by default\./],
    ['a.mjs', 'export default () => { throw new Error("no luck"); };', /a\.mjs failed: no luck/],
    [
      'a.mjs',
      "export default ({ db }) => db.getItem({ TableName: 'none', Key: { id: { S: '1' } } });",
      /a\.mjs failed: ResourceNotFoundException: Requested resource not found/,
    ],
  ])('tells what is wrong with %s: %j', async (name, content, said) => {
    const directory = await places.directory(content === undefined ? {} : { [name]: content });
    const { code, err } = await places.run(directory, [...inMemory, name]);
    expect(err).toMatch(said);
    expect(code).toBe(1);
  });
});
