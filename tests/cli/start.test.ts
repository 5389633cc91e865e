import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { sendAsPage } from '../doors/send-as-page.ts';
import { Places } from './places.ts';
import { plainRequest, tableOf } from './plain-request.ts';

const places = new Places();

describe('stator start', () => {
  it('says where it is, where the data is, and how to use it', async () => {
    const directory = await places.directory();
    const stator = places.start(directory, ['start', '--port', '0']);
    const endpoint = await stator.endpoint();
    await stator.out.until(/Ctrl-C/);
    expect(stator.out.text).toContain(join(directory, '.stator'));
    expect(stator.out.text).toContain(`aws dynamodb list-tables --endpoint-url ${endpoint}\n`);
    expect(stator.out.text).toContain(`new DynamoDBClient({ endpoint: '${endpoint}', region: 'us-east-1'`);
    expect(stator.out.text).toContain(`AWS_ENDPOINT_URL_DYNAMODB=${endpoint}\n`);
    // The words are explained where they stand.
    expect(stator.out.text).toContain('durable: an answered write survives a power cut\n');
    expect(stator.out.text).toMatch(
      /Physics +shadow: nothing is throttled or delayed; stator physics <table>/,
    );
    expect(stator.out.text).toMatch(/Access +open: programs and localhost pages on this machine/);
    expect(stator.err.text).toBe('');
    // Not a terminal, so nothing but text.
    expect(stator.out.text).not.toContain('\u001b');
    const health = await fetch(endpoint);
    expect([health.status, await health.text()]).toEqual([200, 'healthy: dynamodb.us-east-1.amazonaws.com ']);
    expect(existsSync(join(directory, '.stator'))).toBe(true);
  });

  it('is the command that is meant when only flags are given', async () => {
    const directory = await places.directory();
    const stator = places.start(directory, ['--in-memory', '--port=0']);
    await stator.endpoint();
    await stator.out.until(/in memory/);
    expect(existsSync(join(directory, '.stator'))).toBe(false);
  });

  it('speaks JSON to programs', async () => {
    const stator = places.start(await places.directory(), ['--in-memory', '--port', '0', '--json']);
    const said = JSON.parse(await stator.out.until(/listening/)) as Record<string, unknown>;
    expect(said).toMatchObject({ event: 'listening', host: '127.0.0.1', pid: stator.process.pid });
    expect(said.endpoint).toBe(`http://127.0.0.1:${said.port}`);
    stator.process.kill('SIGTERM');
    const { err } = await stator.ended;
    for (const line of err.trim().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ level: 'info', time: expect.any(String) });
  });

  it('takes a flag before a variable, a variable before the config file, and that before the default', async () => {
    const config = { port: 0, region: 'eu-central-1', physics: 'enforce', json: true, inMemory: true };
    const directory = await places.directory({ 'stator.config.json': config });
    const stator = places.start(directory, ['--region', 'eu-west-3'], {
      STATOR_REGION: 'eu-west-2',
      STATOR_PHYSICS: 'shadow',
    });
    expect(JSON.parse(await stator.out.until(/listening/))).toMatchObject({
      region: 'eu-west-3',
      physics: 'shadow',
      data: expect.stringContaining('in memory'),
      auth: 'open',
    });
  });

  it('reads a config file that is a module, with paths relative to it', async () => {
    const directory = await places.directory({
      'other.config.mjs': "export default { dataDir: './kept', json: true, port: 0 };",
    });
    const elsewhere = await places.directory();
    const stator = places.start(elsewhere, ['--config', join(directory, 'other.config.mjs')]);
    const said = JSON.parse(await stator.out.until(/listening/)) as Record<string, unknown>;
    expect(said.data).toBe(`${join(directory, 'kept')} (durable)`);
  });

  it('lets item collections grow only as far as it is told', async () => {
    const args = ['--in-memory', '--port', '0', '--item-collection-bytes-max', '100'];
    const endpoint = await places.start(await places.directory(), args).endpoint();
    const names = ['id', 'sort', 'rank'];
    const schema = (range: string) => [
      { AttributeName: 'id', KeyType: 'HASH' },
      { AttributeName: range, KeyType: 'RANGE' },
    ];
    await plainRequest(endpoint, 'CreateTable', {
      ...tableOf('Orders'),
      AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: schema('sort'),
      LocalSecondaryIndexes: [
        { IndexName: 'by-rank', KeySchema: schema('rank'), Projection: { ProjectionType: 'ALL' } },
      ],
    });
    const put = (filler: string) => {
      const Item = { id: { S: 'a' }, sort: { S: 'b' }, filler: { S: filler } };
      return plainRequest(endpoint, 'PutItem', { TableName: 'Orders', Item });
    };
    expect((await put('small')).status).toBe(200);
    expect(await put('x'.repeat(100))).toMatchObject({
      status: 400,
      body: { message: 'Collection size exceeded.' },
    });
  });

  it('lets a flag for the place of the data win over a variable for it', async () => {
    const stator = places.start(await places.directory(), ['--in-memory', '--port', '0'], {
      STATOR_DATA_DIR: './kept',
    });
    await stator.out.until(/in memory/);
  });

  it('warns of a variable that nobody reads', async () => {
    const stator = places.start(await places.directory(), ['--in-memory', '--port', '0'], {
      STATOR_PROT: '1',
    });
    await stator.err.until(/STATOR_PROT is not read; did you mean STATOR_PORT\?/);
  });

  it('says in its log that a missing table exists in another Region', async () => {
    const stator = places.start(await places.directory(), ['--in-memory', '--port', '0']);
    const endpoint = await stator.endpoint();
    await plainRequest(endpoint, 'CreateTable', tableOf('Orders'), { region: 'eu-west-1' });
    const answer = await plainRequest(endpoint, 'GetItem', { TableName: 'Orders', Key: { id: { S: '1' } } });
    expect(answer.body.__type).toMatch(/ResourceNotFoundException/);
    const line = await stator.err.until(/Orders was not found in Region us-east-1/);
    expect(line).toMatch(/^\d{4}-\d\d-\d\dT\S+ Table Orders .* eu-west-1\.$/);
  });

  it('checks signatures when it is told to', async () => {
    const secret = 'a-secret-of-forty-characters-or-so';
    const directory = await places.directory({
      credentials: `[default]\naws_access_key_id = KNOWN\naws_secret_access_key = ${secret}\n`,
    });
    const stator = places.start(directory, [
      ...['--in-memory', '--port', '0', '--host', '0.0.0.0'],
      ...['--auth', 'verify', '--credentials', 'credentials'],
    ]);
    const endpoint = await stator.endpoint();
    expect(endpoint).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect(stator.out.text).toContain('every other address of this machine');
    const list = (secretAccessKey: string) => {
      const credentials = { accessKeyId: 'KNOWN', secretAccessKey };
      return new DynamoDBClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 }).send(
        new ListTablesCommand({}),
      );
    };
    expect((await list(secret)).TableNames).toEqual([]);
    await expect(list('wrong')).rejects.toThrow(/signature/);
  });
});

describe("DynamoDB Local's spellings", () => {
  it.each([
    ['one dash', ['-inMemory', '-port', '0', '-sharedDb', '-cors', '*', '-disableTelemetry']],
    ['two dashes', ['--inMemory', '--port', '0', '--sharedDb', '--cors', '*', '--disableTelemetry']],
  ])('work with %s', async (_, args) => {
    const stator = places.start(await places.directory(), args);
    const endpoint = await stator.endpoint();
    await plainRequest(endpoint, 'CreateTable', tableOf('Orders'), { region: 'eu-west-1' });
    const other = await plainRequest(endpoint, 'ListTables', {}, { accessKeyId: '123456789012' });
    expect(other.body.TableNames).toEqual(['Orders']);
    expect(stator.err.text).toBe('');
  });

  it('keep Regions and accounts apart without -sharedDb', async () => {
    const stator = places.start(await places.directory(), ['-inMemory', '-port', '0']);
    const endpoint = await stator.endpoint();
    await plainRequest(endpoint, 'CreateTable', tableOf('Orders'), { region: 'eu-west-1' });
    expect((await plainRequest(endpoint, 'ListTables', {})).body.TableNames).toEqual([]);
  });

  it('keep the data in -dbPath, compacted before the start', async () => {
    const directory = await places.directory();
    const args = ['-port', '0', '-dbPath', './db', '-optimizeDbBeforeStartup'];
    const first = places.start(directory, args);
    await plainRequest(await first.endpoint(), 'CreateTable', tableOf('Orders'));
    expect(first.err.text).not.toContain('Compacted');
    first.process.kill('SIGTERM');
    await first.ended;
    const second = places.start(directory, args);
    const endpoint = await second.endpoint();
    expect(second.err.text).toMatch(/Compacted .*\/db: [\d.]+ \w+ before, [\d.]+ \w+ after\./);
    expect((await plainRequest(endpoint, 'ListTables', {})).body.TableNames).toEqual(['Orders']);
  });

  it('let tables be created slowly with -delayTransientStatuses', async () => {
    const stator = places.start(await places.directory(), [
      '-inMemory',
      '-port',
      '0',
      '-delayTransientStatuses',
    ]);
    const endpoint = await stator.endpoint();
    await plainRequest(endpoint, 'CreateTable', tableOf('Orders'));
    const { body } = await plainRequest(endpoint, 'DescribeTable', { TableName: 'Orders' });
    expect(body.Table).toMatchObject({ TableStatus: 'CREATING' });
  });

  it('let in the pages that -cors lists', async () => {
    const args = ['-inMemory', '-port', '0', '-cors', 'app.example, https://tools.example'];
    const stator = places.start(await places.directory(), args);
    expect(
      await statuses(await stator.endpoint(), [
        { Origin: 'http://app.example:3000' },
        { Origin: 'https://tools.example' },
        { Origin: 'http://localhost:3000' },
        { Origin: 'http://tools.example' },
      ]),
    ).toEqual([200, 200, 200, 403]);
    // Whoever looks at the page sees no more than that the browser refused.
    await stator.err.until(/--cors http:\/\/tools\.example /);
  });
});

describe('a server that other machines can reach', () => {
  it('answers to names of private networks and those that are allowed, and to no others', async () => {
    const open = ['--in-memory', '--port', '0', '--host', '0.0.0.0', '--allow-open'];
    const stator = places.start(await places.directory(), [
      ...open,
      '--allow-host',
      'db.example,*.corp.example',
    ]);
    const endpoint = await stator.endpoint();
    const answered = [
      { Host: 'stator:8000' },
      { Host: 'stator.default.svc.cluster.local:8000' },
      { Host: '192.168.1.7:8000' },
      { Host: 'db.example:8000' },
      { Host: 'a.corp.example' },
      { Host: 'stator:8000', Origin: 'http://stator:8000' },
    ];
    expect(await statuses(endpoint, answered)).toEqual(answered.map(() => 200));
    const refused = [
      { Host: 'evil.example:8000' },
      { Host: 'evil.example:8000', Origin: 'http://evil.example:8000' },
      { Host: 'stator:8000', Origin: 'https://evil.example' },
    ];
    expect(await statuses(endpoint, refused)).toEqual([403, 403, 403]);
    await stator.err.until(/--allow-host evil\.example /);
    // Such a page would be of the same origin in its own eyes.
    const rebound = { Host: 'evil.example:8000', Origin: 'http://evil.example:8000' };
    const { port } = new URL(endpoint);
    expect((await sendAsPage(Number(port), rebound, 'POST', '/_stator/snapshot')).status).toBe(403);
  });

  it('warns of it, also when it is quiet, unless signatures are verified', async () => {
    const open = ['--in-memory', '--port', '0', '--host', '0.0.0.0', '--allow-open'];
    const stator = places.start(await places.directory(), open);
    await stator.err.until(
      /Whoever can reach port \d+ of 0\.0\.0\.0 can read and change everything.*--auth verify/,
    );
    expect(stator.out.text).toMatch(/Access +open: EVERYBODY/);
    const quiet = places.start(await places.directory(), [...open, '--quiet', '--json']);
    expect(JSON.parse(await quiet.err.until(/Whoever/))).toMatchObject({ level: 'warning' });
    const directory = await places.directory({
      'keys.json': { AccessKeyId: 'known', SecretAccessKey: 'secret' },
    });
    const verified = places.start(directory, [...open, '--auth', 'verify', '--credentials', 'keys.json']);
    await verified.out.until(/Messages follow/);
    expect(verified.err.text).toBe('');
  });

  it('has the same names and pages in all its workers', async () => {
    const args = [
      '--port',
      '0',
      '--workers',
      '2',
      '--cors',
      'https://app.example',
      '--allow-host',
      'db.example',
    ];
    const stator = places.start(await places.directory(), args);
    const endpoint = await stator.endpoint();
    // Every request is a connection of its own, and connections go to the workers in turn.
    const both = (headers: Record<string, string>) => statuses(endpoint, [headers, headers]);
    expect(await both({ Origin: 'https://app.example', Host: 'db.example' })).toEqual([200, 200]);
    expect(await both({ Origin: 'https://evil.example' })).toEqual([403, 403]);
    expect(await both({ Host: 'evil.example' })).toEqual([403, 403]);
  });
});

async function statuses(endpoint: string, requests: readonly Record<string, string>[]): Promise<number[]> {
  const found: number[] = [];
  for (const headers of requests)
    found.push((await sendAsPage(Number(new URL(endpoint).port), headers)).status);
  return found;
}
