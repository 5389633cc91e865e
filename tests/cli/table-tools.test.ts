import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testDatabase } from '../../src/testing/index.ts';
import { installed, output } from '../clients/installed-programs.ts';
import { Places } from './places.ts';

const places = new Places();

it('tells the units and prices of a workload', async () => {
  const directory = await places.directory();
  const run = async (...args: string[]) => {
    const { code, out, err } = await places.run(directory, ['capacity', ...args, '--json']);
    expect([code, err]).toEqual([0, '']);
    return JSON.parse(out) as Readonly<Record<string, never>>;
  };
  const first = await run(
    '--item-size',
    '2.5',
    '--reads',
    '500',
    '--writes',
    '200',
    '--consistency',
    'eventual',
  );
  expect(first).toMatchObject({
    perRead: 0.5,
    perWrite: 3,
    table: { read: 250, write: 600 },
    provisioned: { read: 358, write: 858 },
  });
  const costs = first.costs as unknown as readonly { name: string; total: number }[];
  // 730 hours of 3,600 seconds at $0.125 and $0.625 a million.
  expect(costs[0]!.total).toBeCloseTo((250 * 0.125 + 600 * 0.625) * 2.628, 6);
  expect(costs[1]!.total).toBeCloseTo((358 * 0.00013 + 858 * 0.00065) * 730, 6);
  const second = await run('--item-size', '4', '--reads', '1000', '--writes', '100', '--gsi-count', '3');
  expect(second).toMatchObject({ table: { read: 500, write: 400 }, indexes: { count: 3, write: 1_200 } });
  const third = await run(
    '--item-size',
    '1',
    '--writes',
    '10',
    '--consistency',
    'transactional',
    '--gsi-count',
    '1',
  );
  expect(third).toMatchObject({ perWrite: 2, perIndexWrite: 1 });
  const printed = await places.run(directory, ['capacity', '--item-size', '4', '--reads', '10']);
  expect(printed.out).toContain('on demand');
  for (const args of [
    [],
    ['--item-size', '1'],
    ['--item-size', '401', '--reads', '1'],
    ['--item-size', '-1'],
  ]) {
    const refused = await places.run(directory, ['capacity', ...args]);
    expect([args, refused.code, refused.out]).toEqual([args, 2, '']);
  }
});

it('scaffolds the table with two indexes, and the same one in every format', async () => {
  const directory = await places.directory();
  const design = (...args: string[]) =>
    places.run(directory, ['table-design', '--non-interactive', '--table', 'app', ...args]);
  const { code, err, out: template } = await design();
  expect([code, err]).toEqual([0, '']);
  for (const word of [
    'GSI1',
    'GSI2',
    'ScalableTarget',
    'PointInTimeRecovery',
    'StreamViewType',
    'TimeToLive',
  ])
    expect(template).toContain(word);
  for (const word of ['ContributorInsights', 'WriteThrottleEvents', 'SystemErrors'])
    expect(template).toContain(word);
  const table = { TableName: 'app-dev' };
  await using database = await testDatabase({ cloudFormation: template });
  const made = await database.db.describeTable(table);
  expect(made.Table!.GlobalSecondaryIndexes!.map(({ IndexName }) => IndexName)).toEqual(['GSI1', 'GSI2']);
  expect((await database.db.describeTimeToLive(table)).TimeToLiveDescription!.AttributeName).toBe('ttl');
  expect((await design('--output', 'cdk')).out).toContain('new dynamodb.TableV2');
  expect((await design('--output', 'terraform', '--out', 'main.tf')).out).toBe('');
  expect(await readFile(join(directory, 'main.tf'), 'utf8')).toContain('resource "aws_dynamodb_table" "app"');
  const [cfnLint] = await installed('cfn-lint', ['--version']);
  if (cfnLint === undefined)
    console.log('cfn-lint is not installed: the scaffolded template was not linted.');
  else {
    await design('--out', 'template.yaml');
    expect(await output(cfnLint, [join(directory, 'template.yaml')])).toBe('');
  }
});

it('takes keys of all kinds, and refuses what the service would', async () => {
  const directory = await places.directory();
  const design = (...args: string[]) =>
    places.run(directory, ['table-design', '--non-interactive', '--output', 'create-table', ...args]);
  const { out } = await design(
    ...[
      '--table',
      'shop',
      '--partition-key',
      'id',
      '--sort-key',
      'none',
      '--stream',
      'none',
      '--ttl',
      'none',
    ],
    ...[
      '--gsi',
      'Open(shop+day,at:N) INCLUDE total,status; Mail(email) KEYS_ONLY',
      '--billing',
      'provisioned',
    ],
  );
  await using database = await testDatabase({ tables: out });
  const { Table } = await database.db.describeTable({ TableName: 'shop' });
  expect(Table!.GlobalSecondaryIndexes).toHaveLength(2);
  expect(JSON.stringify(Table!.KeySchema)).toBe('[{"AttributeName":"id","KeyType":"HASH"}]');
  const refusals: [string[], string][] = [
    [[], 'needs the name of the table'],
    [['--table', 'a b'], '--table must be'],
    [['--table', 'app', '--partition-key', 'id:X'], '--partition-key must be'],
    [['--table', 'app', '--gsi', 'GSI1[a]'], 'is no index'],
    [['--table', 'app', '--gsi', 'GSI1(a); GSI1(b)'], 'two indexes GSI1'],
    [['--table', 'app', '--gsi', 'GSI1(PK:N)'], 'cannot be both S and N'],
    [['--table', 'app', '--gsi', 'G(a)'], 'has 3 to 255 letters, digits, _, . and -, unlike "G"'],
    [['--table', 'app', '--ttl', 'SK'], 'Items expire by a number'],
    [['--table', 'app', '--sort-key', 'PK'], 'cannot be the partition key and the sort key'],
    [['--table', 'app', '--read-capacity', '9-5'], '--read-capacity must be'],
  ];
  for (const [args, words] of refusals) {
    const refused = await design(...args, '--out', 'never.json');
    expect([args, refused.code, refused.out]).toEqual([args, 2, '']);
    expect(refused.err).toContain(words);
  }
  expect(await readdir(directory)).toEqual([]);
});
