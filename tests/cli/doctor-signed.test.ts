import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DoctorReport } from '../../src/doctor/index.ts';
import { Stator } from '../../src/index.ts';
import { runHere } from './run-here.ts';

const ours = { accessKeyId: 'OURS', secretAccessKey: 'secret of ours' };
const theirs = { accessKeyId: 'THEIRS', secretAccessKey: 'secret of theirs', accountId: '222222222222' };
let db: Stator;
let url: string;

beforeAll(async () => {
  db = await Stator.open({ seed: 5 });
  ({ url } = await db.listen({ port: 0, auth: 'verify', credentials: [ours, theirs] }));
  const table = {
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  } as const;
  await db.createTable({ TableName: 'Ours', ...table });
  await db.createTable({ TableName: 'Theirs', ...table }, { accountId: theirs.accountId });
});

afterAll(() => db.close());

const examine = (key: string, secret: string, ...args: string[]) =>
  runHere('.', ['doctor', '--endpoint', url, ...args], {
    AWS_ACCESS_KEY_ID: key,
    AWS_SECRET_ACCESS_KEY: secret,
  });

it.each([
  [ours, 'Ours', 'Theirs'],
  [theirs, 'Theirs', 'Ours'],
])('shows the tables of the account that signs: %o', async (keys, own, foreign) => {
  const { code, out, err } = await examine(keys.accessKeyId, keys.secretAccessKey, '--json');
  expect([code, err]).toEqual([0, '']);
  const report = JSON.parse(out) as DoctorReport;
  expect(report.tables).toEqual([own]);
  expect(out).not.toContain(foreign);
  const other = await examine(keys.accessKeyId, keys.secretAccessKey, '--table', foreign);
  expect([other.code, other.err]).toEqual([1, `stator: There is no table ${foreign} in Region us-east-1.\n`]);
});

it.each([
  ['a wrong secret', 'OURS', 'wrong', /signature we calculated does not match/],
  ['a key that nobody has', 'NOBODY', 'wrong', /security token included in the request is invalid/],
  ['no key', '', '', /missing Authentication Token/],
])('refuses %s in two sentences, and says what to set', async (_, key, secret, said) => {
  for (const more of [[], ['--watch']]) {
    const { code, out, err } = await examine(key, secret, ...more);
    expect([code, out]).toEqual([1, '']);
    const [first, advice, ...rest] = err.split('\n');
    expect(first).toMatch(said);
    expect(advice).toContain('set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key of its --credentials');
    expect(rest).toEqual(['']);
  }
});
