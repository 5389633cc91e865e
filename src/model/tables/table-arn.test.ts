import { expect, test } from 'vitest';
import { formatTableArn, isArn, parseTableArn, partitionOf } from './table-arn.ts';

const table = 'arn:aws:dynamodb:eu-west-1:123456789012:table/My.Table-1_x';

test('the ARN of a table', () => {
  expect(parseTableArn(table)).toEqual({
    partition: 'aws',
    region: 'eu-west-1',
    account: '123456789012',
    tableName: 'My.Table-1_x',
  });
});

test.each([
  ['index/by-date', { kind: 'index', name: 'by-date' }],
  ['stream/2026-11-15T07:33:00.123', { kind: 'stream', name: '2026-11-15T07:33:00.123' }],
  ['backup/01489602797149-73d8d5bc', { kind: 'backup', name: '01489602797149-73d8d5bc' }],
  ['export/01234567890123-a1b2c3d4', { kind: 'export', name: '01234567890123-a1b2c3d4' }],
  ['import/01234567890123-a1b2c3d4', { kind: 'import', name: '01234567890123-a1b2c3d4' }],
])('the ARN of a part: %s', (suffix, part) => {
  expect(parseTableArn(`${table}/${suffix}`)).toMatchObject({ tableName: 'My.Table-1_x', part });
});

test('what is parsed is formatted again', () => {
  for (const text of [
    table,
    `${table}/index/i`,
    'arn:aws-cn:dynamodb:cn-north-1:000000000000:table/T',
    'arn:aws:dynamodb:fake_Region:000000000000:table/T',
  ]) {
    const arn = parseTableArn(text);
    expect(arn && formatTableArn(arn)).toBe(text);
  }
});

test.each([
  '',
  'Table',
  'arn:aws:dynamodb:eu-west-1:123456789012:table/',
  'arn:aws:dynamodb:eu-west-1:12345:table/T',
  'arn:aws:s3:eu-west-1:123456789012:table/T',
  'arn:aws:dynamodb:eu-west-1:123456789012:table/T/other/x',
  'arn:aws:dynamodb:eu-west-1:123456789012:table/T/index/',
  'arn:aws:dynamodb:eu-west-1:123456789012:global-table/T',
  `arn:aws:dynamodb:eu-west-1:123456789012:table/${'a'.repeat(256)}`,
])('not the ARN of a table: %j', (text) => {
  expect(parseTableArn(text)).toBeUndefined();
});

test('partitions and prefixes', () => {
  expect(['eu-west-1', 'cn-north-1', 'us-gov-east-1'].map(partitionOf)).toEqual([
    'aws',
    'aws-cn',
    'aws-us-gov',
  ]);
  expect(isArn(table)).toBe(true);
  expect(isArn('arn')).toBe(false);
});
