import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stator, type StatorServer } from '../../src/index.ts';
import { newDirectory } from '../storage/directories.ts';
import { runHere } from './run-here.ts';

const keys = { accessKeyId: 'KNOWN', secretAccessKey: 'secret of the known' };
const signed = { AWS_ACCESS_KEY_ID: keys.accessKeyId, AWS_SECRET_ACCESS_KEY: keys.secretAccessKey };
let directory: string;
let db: Stator;
let onPort: StatorServer;
let onSocket: StatorServer;
let verified: StatorServer;

beforeAll(async () => {
  directory = await newDirectory();
  db = await Stator.open({ observe: true });
  onPort = await db.listen({ port: 0, controlPort: 0 });
  onSocket = await db.listen({ port: 0, controlSocket: join(directory, 'open.sock') });
  verified = await db.listen({
    ...{ port: 0, controlSocket: join(directory, 'verified.sock'), auth: 'verify', credentials: [keys] },
  });
  await db.createTable({
    TableName: 'Orders',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  });
  await db.putItem({ TableName: 'Orders', Item: { id: { S: 'a' }, total: { N: '1' } } });
});

afterAll(async () => {
  await db.close();
  await rm(directory, { recursive: true, force: true });
});

/** Commands that ask the control API, and a part of what each prints. */
const asking = [
  [['explain', 'SELECT * FROM "Orders"'], 'Orders'],
  [['physics', 'Orders', '--json'], '"table":"Orders"'],
  [['doctor', '--json'], '"findings"'],
] as const;

/** Commands that call DynamoDB's operations. */
const calling = [[['scan', '--table', 'Orders'], '{"id":{"S":"a"}']] as const;

describe('commands', () => {
  it.each([...asking, ...calling])('%j go to a control port', async (args, said) => {
    const { out, err } = await runHere(directory, [...args, '--endpoint', onPort.controlUrl!]);
    expect({ out, err }).toMatchObject({ out: expect.stringContaining(said) });
  });

  it.runIf(process.platform !== 'win32').each([...asking, ...calling])(
    '%j go to a socket',
    async (args, said) => {
      const endpoint = onSocket.controlUrl!;
      expect(endpoint).toMatch(/^unix:\//);
      for (const given of [endpoint, endpoint.replace('unix:', 'unix://')]) {
        const { out, err } = await runHere(directory, [...args, '--endpoint', given]);
        expect({ out, err }).toMatchObject({ out: expect.stringContaining(said) });
      }
    },
  );

  it.runIf(process.platform !== 'win32')('sign what they send to a socket', async () => {
    const args = ['explain', 'SELECT * FROM "Orders"', '--endpoint', verified.controlUrl!];
    expect(await runHere(directory, args)).toMatchObject({ code: 1 });
    expect(await runHere(directory, args, signed)).toMatchObject({ code: 0, err: '' });
  });

  it.each([
    ['explain', 'SELECT * FROM "Orders"'],
    ['physics', 'Orders'],
    ['diff', 'Orders', '--from', '2026-01-01T00:00:00Z'],
  ])('%s says where the control API may be if it is not at the endpoint', async (...args) => {
    const { code, err } = await runHere(directory, [...args, '--endpoint', onPort.url]);
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('--control-socket') });
    expect(err).toContain(`${onPort.url} has no control API`);
    const refused = await runHere(directory, [...args, '--endpoint', verified.url], signed);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('--control-socket') });
  });

  it('name the socket on which nobody listens', async () => {
    const endpoint = `unix:${join(directory, 'absent.sock')}`;
    for (const args of [...asking, ...calling].map(([one]) => one)) {
      const { code, err } = await runHere(directory, [...args, '--endpoint', endpoint]);
      expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining(endpoint) });
    }
  });
});
