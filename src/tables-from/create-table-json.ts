import { isObject, type Members, picked, type TableDefinition, TablesError } from './table-definition.ts';

/**
 * A CreateTable request from JSON as the AWS tools have it: the request itself, as `--cli-input-json` takes it, or
 * what describe-table prints, from which everything goes that only the service decides.
 */
export function createTableFromJson(json: unknown): TableDefinition {
  if (!isObject(json)) throw new TablesError('a table is described by something that is no object');
  for (const wrapper of ['Table', 'TableDescription']) {
    if (isObject(json[wrapper])) return createTableFromJson(json[wrapper]);
  }
  if (typeof json.TableName !== 'string')
    throw new TablesError(`a table has no TableName, but only ${Object.keys(json).join(', ') || 'nothing'}`);
  return (isDescription(json) ? requestOf(json) : json) as unknown as TableDefinition;
}

function isDescription(json: Members): boolean {
  return 'TableStatus' in json || 'TableArn' in json || 'CreationDateTime' in json;
}

const sameInBoth = [
  ...['TableName', 'AttributeDefinitions', 'KeySchema', 'StreamSpecification', 'OnDemandThroughput'],
  'DeletionProtectionEnabled',
];

function requestOf(table: Members): Members {
  const billing = isObject(table.BillingModeSummary) ? table.BillingModeSummary.BillingMode : undefined;
  const isOnDemand = billing === 'PAY_PER_REQUEST';
  const request = picked(table, sameInBoth);
  request.BillingMode = isOnDemand ? 'PAY_PER_REQUEST' : 'PROVISIONED';
  if (!isOnDemand) request.ProvisionedThroughput = throughput(table.ProvisionedThroughput);
  for (const name of ['LocalSecondaryIndexes', 'GlobalSecondaryIndexes']) {
    const indexes = table[name];
    if (!Array.isArray(indexes) || indexes.length === 0) continue;
    request[name] = indexes.filter(isObject).map((index) => ({
      ...picked(index, ['IndexName', 'KeySchema', 'Projection', 'OnDemandThroughput']),
      ...(name === 'GlobalSecondaryIndexes' &&
        !isOnDemand && { ProvisionedThroughput: throughput(index.ProvisionedThroughput) }),
    }));
  }
  const { SSEDescription: sse, TableClassSummary: tableClass } = table;
  if (isObject(sse) && sse.Status === 'ENABLED') {
    request.SSESpecification = { Enabled: true, ...picked(sse, ['SSEType']) };
  }
  if (isObject(tableClass)) request.TableClass = tableClass.TableClass;
  return request;
}

function throughput(described: unknown): unknown {
  return isObject(described) ? picked(described, ['ReadCapacityUnits', 'WriteCapacityUnits']) : undefined;
}
