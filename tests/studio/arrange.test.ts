import { expect, it } from 'vitest';
import type { TableDescription } from '../../studio/data/table-description.ts';
import { arrange } from '../../studio/pages/indexes/arrange.ts';

const key = (hash: string, range: string) => [
  { AttributeName: hash, KeyType: 'HASH' as const },
  { AttributeName: range, KeyType: 'RANGE' as const },
];
const table: TableDescription = {
  ...{ TableName: 't', TableArn: '', TableStatus: 'ACTIVE', ItemCount: 0, TableSizeBytes: 0 },
  KeySchema: key('pk', 'sk'),
  AttributeDefinitions: ['pk', 'sk', 'a', 'b', 'c'].map((AttributeName) => ({
    AttributeName,
    AttributeType: 'S',
  })),
};
const item = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).map(([name, S]) => [name, { S }]));

it('items whose keys contain the separator of the page are told apart', () => {
  const items = [
    item({ pk: 'A / B', sk: 'C', a: 'x · y', b: 'z', c: '1' }),
    item({ pk: 'A', sk: 'B / C', a: 'x', b: 'y · z', c: '1' }),
  ];
  const byTable = arrange(table, table, items).groups.flatMap(({ rows }) => rows);
  expect(new Set(byTable.map(({ id }) => id)).size).toBe(2);
  expect(byTable.map(({ name }) => name)).toEqual(['A / B / C', 'A / B / C']);
  const several = { KeySchema: [...key('a', 'c'), { AttributeName: 'b', KeyType: 'HASH' as const }] };
  const byIndex = arrange(table, several, items);
  expect(byIndex.groups.map(({ rows }) => rows.length)).toEqual([1, 1]);
  const missing = arrange(table, { KeySchema: key('none', 'sk') }, items).missing;
  expect(new Set(missing.map(({ id }) => id)).size).toBe(2);
});
