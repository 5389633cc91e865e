import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import { Places } from './places.ts';
import { runHere } from './run-here.ts';

const places = new Places();
let db: Stator;
let server: string;
const gone = 'http://127.0.0.1:1';

/** One table in each of two Regions, and one in an account of its own: the item says which answered. */
beforeAll(async () => {
  db = await Stator.open({ region: 'us-east-1' });
  server = (await db.listen({ port: 0 })).url;
  for (const [region, accessKeyId] of [
    ['us-east-1', 'any'],
    ['eu-west-1', 'any'],
    ['eu-west-1', '111122223333'],
  ] as const) {
    const credentials = { accessKeyId, secretAccessKey: 'any' };
    const { DynamoDB } = await import('@aws-sdk/client-dynamodb');
    const client = new DynamoDB({ endpoint: server, region, credentials });
    await client.createTable({
      TableName: 'Orders',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    });
    await client.putItem({ TableName: 'Orders', Item: { id: { S: `${region} ${accessKeyId}` } } });
    client.destroy();
  }
});

afterAll(() => db.close());

interface Files {
  readonly config?: string;
  readonly credentials?: string;
}

/** Scans the table in a home directory with these AWS settings, and answers the item's id or the error. */
async function scanned(
  files: Files,
  environment: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<string> {
  const home = await places.directory();
  await mkdir(join(home, '.aws'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(home, '.aws', name), text as string);
  const { code, out, err } = await runHere(home, ['scan', '--table', 'Orders', '--quiet', ...args], {
    HOME: home,
    ...environment,
  });
  return code === 0 ? (JSON.parse(out) as { id: { S: string } }).id.S : err;
}

describe('the endpoint', () => {
  it.each([
    ['--endpoint', {}, ['--endpoint', () => server]],
    ["--endpoint-url, the AWS CLI's spelling", {}, ['--endpoint-url', () => server]],
    ['AWS_ENDPOINT_URL', { AWS_ENDPOINT_URL: () => server }, []],
    [
      'AWS_ENDPOINT_URL_DYNAMODB before AWS_ENDPOINT_URL',
      { AWS_ENDPOINT_URL_DYNAMODB: () => server, AWS_ENDPOINT_URL: gone },
      [],
    ],
    [
      'STATOR_ENDPOINT before both',
      { STATOR_ENDPOINT: () => server, AWS_ENDPOINT_URL_DYNAMODB: gone, AWS_ENDPOINT_URL: gone },
      [],
    ],
    ['a flag before all', { STATOR_ENDPOINT: gone }, ['--endpoint-url', () => server]],
  ])('is that of %s', async (_, variables, args) => {
    const text = (value: string | (() => string)) => (typeof value === 'string' ? value : value());
    const environment = Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, text(value as string | (() => string))]),
    );
    expect(await scanned({}, environment, ...args.map(text))).toBe('us-east-1 any');
  });

  it('is that of the profile, and of its services section first', async () => {
    const config = `[default]\nendpoint_url = ${server}\n`;
    expect(await scanned({ config }, {})).toBe('us-east-1 any');
    const services = `[default]\nendpoint_url = ${gone}\nservices = local\n\n[services local]\ns3 =\n  endpoint_url = ${gone}\ndynamodb =\n  endpoint_url = ${server}\n`;
    expect(await scanned({ config: services }, {})).toBe('us-east-1 any');
  });

  it('is not taken from variables or profiles with AWS_IGNORE_CONFIGURED_ENDPOINT_URLS', async () => {
    const config = `[default]\nendpoint_url = ${gone}\n`;
    const environment = { AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true', AWS_ENDPOINT_URL: gone };
    expect(await scanned({ config }, environment, '--endpoint', server)).toBe('us-east-1 any');
    expect(await scanned({ config }, { ...environment, STATOR_ENDPOINT: server })).toBe('us-east-1 any');
  });

  it('is refused by the name of the variable that is no URL', async () => {
    expect(await scanned({}, { AWS_ENDPOINT_URL: 'localhost:8000' })).toContain(
      'AWS_ENDPOINT_URL must be a URL such as http://127.0.0.1:8000',
    );
  });

  it('is given once, under either name', async () => {
    const twice = await scanned({}, {}, '--endpoint', server, '--endpoint-url', server);
    expect(twice).toContain('--endpoint and --endpoint-url are the same option, and both are given.');
  });
});

describe('the profile', () => {
  const config = [
    '[profile far]',
    'region = eu-west-1 ; a comment',
    '[profile "two words"]',
    'region=eu-west-1',
    '[profile tool]',
    'region = eu-west-1',
    'credential_process = ./keys "111122223333"',
  ].join('\n');
  const credentials = '[far]\nAWS_ACCESS_KEY_ID = 111122223333\naws_secret_access_key = secret\n';

  it('gives Region and keys, by --profile and by AWS_PROFILE', async () => {
    expect(await scanned({ config, credentials }, {}, '--endpoint', server, '--profile', 'far')).toBe(
      'eu-west-1 111122223333',
    );
    expect(await scanned({ config, credentials }, { AWS_PROFILE: 'far', AWS_ENDPOINT_URL: server })).toBe(
      'eu-west-1 111122223333',
    );
    expect(await scanned({ config }, {}, '--endpoint', server, '--profile', 'two words')).toBe(
      'eu-west-1 any',
    );
  });

  it('loses to keys and Region of the environment, unless --profile names it', async () => {
    const keys = { AWS_ACCESS_KEY_ID: 'any', AWS_SECRET_ACCESS_KEY: 'any', AWS_ENDPOINT_URL: server };
    const files = { config, credentials };
    expect(await scanned(files, { ...keys, AWS_PROFILE: 'far' })).toBe('eu-west-1 any');
    expect(await scanned(files, { ...keys, AWS_PROFILE: 'far', AWS_REGION: 'us-east-1' })).toBe(
      'us-east-1 any',
    );
    expect(await scanned(files, keys, '--profile', 'far')).toBe('eu-west-1 111122223333');
  });

  it('runs its credential_process without a shell', async () => {
    const home = await places.directory({
      keys: '#!/bin/sh\necho "{\\"Version\\":1,\\"AccessKeyId\\":\\"$1\\",\\"SecretAccessKey\\":\\"s\\"}"\n',
    });
    await chmod(join(home, 'keys'), 0o755);
    const absolute = config.replace('./keys', join(home, 'keys'));
    expect(await scanned({ config: absolute }, { AWS_PROFILE: 'tool', AWS_ENDPOINT_URL: server })).toBe(
      'eu-west-1 111122223333',
    );
    const broken = config.replace('./keys', '/bin/false');
    expect(await scanned({ config: broken }, { AWS_PROFILE: 'tool', AWS_ENDPOINT_URL: server })).toContain(
      'The credential_process of the AWS profile "tool" gave no credentials.',
    );
  });

  it('that does not exist is an error', async () => {
    const missing = await scanned({ config }, { AWS_PROFILE: 'nowhere', AWS_ENDPOINT_URL: server });
    expect(missing).toContain('The AWS profile "nowhere" is neither in ');
    expect(missing).toContain('AWS_PROFILE names it.');
  });

  it('comes from the files that AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE name', async () => {
    const home = await places.directory({ c: config, k: credentials });
    const environment = {
      AWS_CONFIG_FILE: join(home, 'c'),
      AWS_SHARED_CREDENTIALS_FILE: join(home, 'k'),
      AWS_DEFAULT_PROFILE: 'far',
      AWS_ENDPOINT_URL: server,
    };
    expect(await scanned({}, environment)).toBe('eu-west-1 111122223333');
  });
});
