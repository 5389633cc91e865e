import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../src/testing/index.ts';
import { installed } from '../clients/installed-programs.ts';
import { generated, generatedPath, modelNames } from './generated-files.ts';
import { shellWords } from './shell-words.ts';

type Json = Readonly<Record<string, unknown>>;
type Requests = ConstructorParameters<typeof CreateTableCommand>[0][];

function createTables(model: string): Requests {
  const given = JSON.parse(generated(model, 'create-table.json')) as Requests | Requests[0];
  return Array.isArray(given) ? given : [given];
}

/** What two ways of creating a table must agree on. */
async function shapeOf(client: DynamoDBClient, name: string) {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
  const {
    AttributeDefinitions,
    KeySchema,
    GlobalSecondaryIndexes,
    LocalSecondaryIndexes,
    StreamSpecification,
  } = Table as TableDescription;
  const index = (one: { readonly [Name in 'IndexName' | 'KeySchema' | 'Projection']?: unknown }) => ({
    IndexName: one.IndexName,
    KeySchema: one.KeySchema,
    Projection: one.Projection,
  });
  return {
    keys: [...AttributeDefinitions!].sort((a, b) => (a.AttributeName! < b.AttributeName! ? -1 : 1)),
    KeySchema,
    globals: GlobalSecondaryIndexes?.map(index),
    locals: LocalSecondaryIndexes?.map(index),
    StreamSpecification,
  };
}

describe.each(modelNames)('the emitted tables of %s', (model) => {
  it('are the same from the template, in both modes, as from CreateTable through the SDK', async () => {
    await using direct = await testDatabase();
    const client = direct.db.client();
    const requests = createTables(model);
    for (const request of requests) await client.send(new CreateTableCommand(request));
    const cloudFormation = generated(model, 'cloudformation.yaml');
    for (const BillingMode of ['PAY_PER_REQUEST', 'PROVISIONED']) {
      await using fromTemplate = await testDatabase({
        cloudFormation,
        parameters: { Environment: 'test', BillingMode },
      });
      const other = fromTemplate.db.client();
      for (const { TableName } of requests) {
        const name = `${TableName}-test`;
        expect(await shapeOf(other, name)).toEqual(await shapeOf(client, TableName!));
        const { Table } = await other.send(new DescribeTableCommand({ TableName: name }));
        if (BillingMode === 'PROVISIONED') {
          expect(Table!.ProvisionedThroughput!.ReadCapacityUnits).toBeGreaterThanOrEqual(5);
          for (const index of Table!.GlobalSecondaryIndexes ?? [])
            expect(index.ProvisionedThroughput!.WriteCapacityUnits).toBeGreaterThanOrEqual(5);
        } else expect(Table!.BillingModeSummary!.BillingMode).toBe(BillingMode);
      }
    }
  });

  it('answer every access pattern by the command of the data model', async () => {
    const document = JSON.parse(generated(model, 'dynamodb_data_model.json')) as {
      readonly items: Readonly<Record<string, readonly { PutRequest: { Item: Json } }[]>>;
      readonly access_patterns: readonly { pattern: string; implementation?: string }[];
    };
    await using database = await testDatabase({ tables: createTables(model) });
    const client = database.db.client();
    for (const [TableName, items] of Object.entries(document.items))
      for (const { PutRequest } of items)
        await client.send(new PutItemCommand({ TableName, Item: PutRequest.Item as never }));
    let asked = 0;
    for (const { pattern, implementation } of document.access_patterns) {
      if (implementation === undefined) continue;
      const found = await runCommand(client, implementation);
      expect(found, `${pattern}: ${implementation}`).toBeGreaterThan(0);
      asked++;
    }
    expect(asked).toBeGreaterThan(3);
  });
});

/** Runs `aws dynamodb get-item` or `query` through the SDK and counts what it finds. */
async function runCommand(client: DynamoDBClient, command: string): Promise<number> {
  const [aws, service, operation, ...words] = shellWords(command);
  expect([aws, service]).toEqual(['aws', 'dynamodb']);
  const flags = new Map<string, string>();
  for (let at = 0; at < words.length; at++) {
    const flag = words[at]!;
    const isSwitch = flag === '--consistent-read' || flag === '--no-scan-index-forward';
    flags.set(flag, isSwitch ? 'true' : words[++at]!);
  }
  const json = (flag: string) => JSON.parse(flags.get(flag)!) as never;
  const TableName = flags.get('--table-name')!;
  const ConsistentRead = flags.has('--consistent-read');
  if (operation === 'get-item') {
    const { Item } = await client.send(new GetItemCommand({ TableName, Key: json('--key'), ConsistentRead }));
    return Item === undefined ? 0 : 1;
  }
  const { Count } = await client.send(
    new QueryCommand({
      TableName,
      ConsistentRead,
      ...(flags.has('--index-name') ? { IndexName: flags.get('--index-name')! } : {}),
      KeyConditionExpression: flags.get('--key-condition-expression')!,
      ExpressionAttributeValues: json('--expression-attribute-values'),
      ScanIndexForward: !flags.has('--no-scan-index-forward'),
      ...(flags.has('--limit') ? { Limit: Number(flags.get('--limit')) } : {}),
    }),
  );
  return Count!;
}

const [cfnLint] = await installed('cfn-lint', ['--version']);
const [terraform] = await installed('terraform', ['version']);

describe('what users of the files run on them', () => {
  it.skipIf(cfnLint === undefined)('cfn-lint finds nothing to say about the templates', async () => {
    const templates = modelNames.map((model) => generatedPath(model, 'cloudformation.yaml'));
    const { stdout } = await promisify(execFile)(cfnLint!, templates).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe('');
  });

  it.skipIf(terraform === undefined)('terraform fmt would change nothing', async () => {
    for (const model of modelNames) {
      const { stdout } = await promisify(execFile)(terraform!, [
        'fmt',
        '-check',
        '-diff',
        generatedPath(model, 'main.tf'),
      ]).catch((error: { stdout: string }) => error);
      expect(stdout).toBe('');
    }
  });
});
