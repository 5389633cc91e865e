import { isObject, type TableDefinition } from './table-definition.ts';
import { definition, numbersIn, recoveryOf, settings } from './table-resource.ts';
import type { TableResource } from './tables-from-template.ts';

/**
 * `AWS::Serverless::SimpleTable` → CreateTable: one HASH attribute, `id` unless it says otherwise, and on demand unless
 * it has capacity (SAM developer guide).
 */
export function simpleTableRequest(table: TableResource): TableDefinition {
  const key = table.property('PrimaryKey');
  const { Name: name = 'id', Type: type = 'String' } = isObject(key) ? key : {};
  const throughput = table.property('ProvisionedThroughput');
  const { SSESpecification } = settings(table);
  return definition({
    TableName: table.name,
    AttributeDefinitions: [{ AttributeName: name, AttributeType: letters[String(type)] ?? type }],
    KeySchema: [{ AttributeName: name, KeyType: 'HASH' }],
    BillingMode: throughput === undefined ? 'PAY_PER_REQUEST' : 'PROVISIONED',
    ProvisionedThroughput: numbersIn(throughput),
    SSESpecification,
    ...recoveryOf(table.property('PointInTimeRecoverySpecification')),
    Tags: tagList(table.optional('Tags')),
  });
}

const letters: Readonly<Record<string, string>> = { String: 'S', Number: 'N', Binary: 'B' };

/** An object here, and a list in all other templates. */
function tagList(tags: unknown): unknown {
  if (!isObject(tags)) return undefined;
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value: String(Value) }));
}
