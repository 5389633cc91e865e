import { afterAll, beforeAll, expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import { Places } from './places.ts';

const places = new Places();
let db: Stator;
let endpoint: string;

beforeAll(async () => {
  db = await Stator.open();
  endpoint = (await db.listen({ port: 0 })).url;
  await db.createTable({
    TableName: 'Orders',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  });
  await db.putItem({ TableName: 'Orders', Item: { id: { S: 'a' }, total: { N: '1' } } });
});

afterAll(() => db.close());

const explain = async (...args: string[]) =>
  places.run(await places.directory(), ['explain', ...args, '--endpoint', endpoint]);

it('prints a small table', async () => {
  const { code, out } = await explain('SELECT * FROM "Orders" WHERE id = ?');
  expect(code).toBe(0);
  expect(
    out
      .trimEnd()
      .split('\n')
      .map((line) => line.trimEnd()),
  ).toEqual([
    'Operation  GetItem',
    'Table      Orders',
    'Key        "id" = ?1',
    'Cost       0.5 read units',
    '           from 1 items of 10 bytes in the table',
  ]);
});

it('warns of a scan', async () => {
  const { code, out } = await explain('SELECT id FROM Orders WHERE total > 5');
  expect(code).toBe(0);
  expect(out).toContain('Operation  Scan');
  expect(out).toContain('Filter     "total" > 5');
  expect(out).toContain('Warning: This reads the whole table');
});

it('prints JSON for programs', async () => {
  const statement = "UPDATE Orders SET total = total + ? WHERE id = 'a' AND total < 9";
  const { code, out } = await explain(statement, '--parameters', '[{"N":"2"}]', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    event: 'explained',
    statement,
    operation: 'UpdateItem',
    table: 'Orders',
    keyConditions: ['"id" = \'a\''],
    condition: '"total" < 9',
    update: 'SET "total" = "total" + 2',
    estimate: { kind: 'write', least: 1, most: 1, items: 1, bytes: 10 },
    warnings: [],
  });
});

it.each([
  [
    ['SELEC'],
    1,
    "ValidationException: Statement wasn't well formed, can't be processed: Expected data manipulation",
  ],
  [['SELECT * FROM "Nowhere"'], 1, 'ResourceNotFoundException: Requested resource not found'],
  [[], 2, 'There is no statement to explain.'],
  [['one', 'two'], 2, 'explain takes no argument "two".'],
  [['SELECT', '--parameters', 'x'], 2, '--parameters must be a JSON list such as [{"S":"a"}].'],
])('refuses %j', async (args, code, said) => {
  const ended = await explain(...args);
  expect(ended.code).toBe(code);
  expect(ended.err.split('\n')[0]).toBe(`stator: ${said}`);
  expect(ended.out).toBe('');
});

it('signs with the credentials of the environment, and asks in its Region', async () => {
  const keys = { accessKeyId: 'KNOWN', secretAccessKey: 'secret of the known' };
  const server = await db.listen({ port: 0, auth: 'verify', credentials: [keys] });
  await db.createTable(
    {
      TableName: 'Europe',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    },
    { region: 'eu-west-1' },
  );
  const ask = async (environment: Readonly<Record<string, string>>) =>
    places.run(
      await places.directory(),
      ['explain', 'SELECT * FROM "Europe"', '--endpoint', server.url],
      environment,
    );
  const signed = { AWS_ACCESS_KEY_ID: keys.accessKeyId, AWS_SECRET_ACCESS_KEY: keys.secretAccessKey };
  const inRegion = { AWS_DEFAULT_REGION: 'eu-west-1' };
  const { code, out, err } = await ask({ ...signed, ...inRegion });
  expect(err).toBe('');
  expect(out).toContain('Table      Europe');
  expect(code).toBe(0);
  expect((await ask(inRegion)).err).toContain('Authentication Token');
  expect((await ask(signed)).err).toContain('ResourceNotFoundException');
});

it('takes no endpoint without its scheme', async () => {
  const args = ['explain', 'SELECT', '--endpoint', 'localhost:8000'];
  const { code, err } = await places.run(await places.directory(), args);
  expect(code).toBe(2);
  expect(err).toContain('--endpoint must be a URL such as http://127.0.0.1:8000, or unix:/run/stator.sock.');
});

it('says when no server answers', async () => {
  const { code, err } = await places.run(await places.directory(), [
    'explain',
    'SELECT',
    '--endpoint',
    'http://127.0.0.1:1',
  ]);
  expect(code).toBe(1);
  expect(err).toContain('No Stator answers at http://127.0.0.1:1');
  expect(err).toContain('stator start');
});
