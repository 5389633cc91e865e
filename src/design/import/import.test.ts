import { describe, expect, it } from 'vitest';
import orders from '../../../examples/models/orders/model.ts';
import saas from '../../../examples/models/saas/model.ts';
import { check } from '../check/check.ts';
import { createTableRequests } from '../create-table.ts';
import { derive } from '../derive/derive.ts';
import { emit } from '../emit/emit.ts';
import { templateText } from '../key-pieces.ts';
import { importContent } from './import.ts';

const keys = {
  AttributeDefinitions: [],
  KeySchema: [
    { AttributeName: 'PK', KeyType: 'HASH' },
    { AttributeName: 'SK', KeyType: 'RANGE' },
  ],
};

const item = (values: Readonly<Record<string, string | number>>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'number' ? { N: String(value) } : { S: value },
    ]),
  );

const sample = [
  ...['a1', 'b2', 'c3'].map((id) =>
    item({ PK: `CUST#${id}`, SK: 'PROFILE', customerId: id, name: `N ${id}` }),
  ),
  ...['a1', 'a1', 'b2'].map((id, at) =>
    item({
      PK: `CUST#${id}`,
      SK: `ORDER#2026-06-0${at + 1}#o${at}`,
      placedOn: `2026-06-0${at + 1}`,
      ttl: 1_790_000_000_000,
    }),
  ),
  ...[7, 10].map((line) => item({ PK: 'ORDER#o1', SK: `ITEM#${line}`, quantity: 2 })),
];

describe('a sample of items', () => {
  const { model, findings, notes } = importContent(sample, { format: 'items', name: 'shop' });

  it('gives entities by the prefixes of their keys, with templates', () => {
    const templates = model.entities.map(
      ({ name, keys: all }) => `${name} ${templateText(all![0]!.partition)} / ${templateText(all![0]!.sort)}`,
    );
    expect(templates).toEqual([
      'CustProfile CUST#{customerId} / PROFILE',
      'CustOrder CUST#{custId} / ORDER#{placedOn}#{SK3}',
      'OrderItem ORDER#{orderId} / ITEM#{itemId}',
    ]);
    expect(notes.filter(({ where }) => where === 'entity OrderItem')[0]!.certainty).toBe('guessed');
  });

  it('shows numbers without padding and TTL in milliseconds', () => {
    expect(findings.map(({ check: id, where }) => `${id} ${where}`).sort()).toEqual([
      'ttl-seconds entity CustOrder',
      'zero-padding entity OrderItem',
    ]);
  });
});

describe('recorded traffic', () => {
  it('gives patterns by the shape of requests, with rates', () => {
    const query = (id: string, at: number) => ({
      at,
      op: 'Query',
      items: 2,
      input: {
        TableName: 'shop',
        KeyConditionExpression: 'PK = :p AND begins_with(SK, :s)',
        ExpressionAttributeValues: { ':p': { S: `CUST#${id}` }, ':s': { S: 'ORDER#' } },
        ScanIndexForward: false,
        Limit: 25,
      },
    });
    const { model } = importContent([
      { format: 'stator-traffic/1', kind: 'requests', tables: [{ TableName: 'shop', ...keys }] },
      ...sample.map((one, at) => ({ at, op: 'PutItem', input: { TableName: 'shop', Item: one } })),
      query('a1', 1_000),
      query('b2', 1_500),
    ]);
    expect(model.reads).toHaveLength(1);
    expect(model.reads[0]).toMatchObject({
      entities: ['CustOrder'],
      by: ['custId'],
      order: [{ attribute: 'placedOn', direction: 'desc' }],
      page: 25,
      rate: { peak: 2 },
    });
    expect(model.writes.length).toBe(3);
  });
});

describe('definitions of tables', () => {
  it('become entities with keys by name, and are checked', () => {
    for (const one of [orders, saas]) {
      const requests = createTableRequests(one, derive(one));
      const { model, format } = importContent(requests);
      expect(format).toBe('tables');
      expect(check(model).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    }
  });
});

describe('files of other tools', () => {
  it('are read where Stator wrote them, sorted by texts of the sample too', () => {
    const { model, format } = importContent(JSON.parse(emit('aws-data-model', orders, derive(orders))));
    expect(format).toBe('aws-mcp-validation');
    expect(model.reads.length).toBe(11);
    expect(() => importContent({ tables: [null] })).toThrow('so that its format is unknown');
  });

  it("are told apart, also AWS's two formats of one name", () => {
    const toolkit = importContent({
      tables: [
        {
          table_name: 'T',
          key_schema: { partition_key: 'id' },
          entities: [{ entity_name: 'Thing', attributes: [{ name: 'id', type: 'S' }] }],
        },
      ],
      access_patterns: [
        { pattern_id: 'AP1', operation: 'GetItem', table: 'T', peak_rps: 800, consistency: 'strong' },
        { pattern_id: 'AP2', operation: 'Scan', table: 'T', peak_rps: 1 },
        { pattern_id: 'AP3', operation: 'PutItem', table: 'T', peak_rps: 10 },
      ],
    });
    expect(toolkit.format).toBe('aws-agent-toolkit');
    expect(check(toolkit.model).findings.map(({ check: id, where }) => `${id} ${where}`)).toContain(
      'no-scan read AP2',
    );
    const validation = importContent({
      tables: [{ TableName: 'T', ...keys }],
      items: { T: sample.map((one) => ({ PutRequest: { Item: one } })) },
      access_patterns: [
        {
          pattern: '1',
          table: 'T',
          dynamodb_operation: 'Query',
          implementation: `aws dynamodb query --table-name T --key-condition-expression "PK = :p AND begins_with(SK, :s)" --expression-attribute-values '{":p":{"S":"CUST#a1"},":s":{"S":"ORDER#"}}'`,
        },
        { pattern: '2', reason: 'search engine' },
      ],
    });
    expect(validation.format).toBe('aws-mcp-validation');
    expect(validation.model.reads[0]).toMatchObject({ name: '1', entities: ['CustOrder'], by: ['custId'] });
    const schema = importContent({
      tables: [
        {
          table_config: { table_name: 'T', partition_key: 'PK', sort_key: 'SK' },
          entities: {
            Score: {
              entity_type: 'SCORE',
              pk_template: 'GAME#{game}',
              sk_template: 'RANK#{rank}#{player}',
              fields: [
                { name: 'game', type: 'string', required: true },
                { name: 'rank', type: 'integer', required: true },
                { name: 'player', type: 'string', required: true },
              ],
              access_patterns: [
                { pattern_id: 1, name: 'top', operation: 'Query', parameters: [{ name: 'game' }] },
              ],
            },
          },
        },
      ],
    });
    expect(schema.findings.map(({ check: id }) => id)).toEqual(['zero-padding']);
    expect(check(schema.model).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('of NoSQL Workbench and OneTable are read', () => {
    const bench = importContent({
      ModelName: 'Shop',
      DataModel: [
        {
          TableName: 'T',
          KeyAttributes: {
            PartitionKey: { AttributeName: 'PK', AttributeType: 'S' },
            SortKey: { AttributeName: 'SK', AttributeType: 'S' },
          },
          TableData: sample,
        },
      ],
    });
    expect(bench.model.entities.length).toBe(3);
    const one = importContent({
      version: '0.0.1',
      indexes: {
        primary: { hash: 'pk', sort: 'sk' },
        gs1: { hash: 'gs1pk', sort: 'gs1sk', project: 'keys' },
      },
      models: {
        User: {
          pk: { type: 'string', value: 'account#${accountId}' },
          sk: { type: 'string', value: 'user#${id}' },
          gs1pk: { type: 'string', value: 'user#${email}' },
          gs1sk: { type: 'string', value: 'user#' },
          accountId: { type: 'string', required: true },
          id: { type: 'string', required: true },
          email: { type: 'string', required: true },
        },
      },
    });
    expect(
      one.model.entities[0]!.keys!.map(({ slot, partition }) => `${slot} ${templateText(partition)}`),
    ).toEqual(['table account#{accountId}', 'gs1 user#{email}']);
  });
});

describe('a file that is not what it claims', () => {
  it.each([
    [{ tables: [{ name: 'x' }] }, 'tables: has none of table_name'],
    [{ a: 1 }, 'the file: has the members a'],
    [[{ TableName: 'T', KeySchema: 'x' }], '[0].KeySchema: must be a list'],
    [
      {
        tables: [{ table_name: 'T' }],
        access_patterns: [{ pattern_id: 'A', operation: 'GetItem', table: 'U' }],
      },
      'access_patterns[0].table: names "U"',
    ],
    [{ version: '1', indexes: { primary: {} }, models: {} }, 'indexes.primary.hash: is missing'],
    [{ DataModel: [{}] }, 'DataModel[0].KeyAttributes'],
  ])('is refused with the place: %j', (content, message) => {
    expect(() => importContent(content)).toThrow(message);
  });
});
