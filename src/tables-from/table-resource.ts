import { isObject, type Members, picked, type TableDefinition } from './table-definition.ts';
import type { TableResource } from './tables-from-template.ts';

/** `AWS::DynamoDB::Table` → CreateTable. */
export function tableRequest(table: TableResource): TableDefinition {
  noteIgnored(table, ignoredByName);
  return definition({
    TableName: table.name,
    AttributeDefinitions: table.property('AttributeDefinitions'),
    KeySchema: table.property('KeySchema'),
    BillingMode: table.property('BillingMode'),
    ProvisionedThroughput: numbersIn(table.property('ProvisionedThroughput')),
    OnDemandThroughput: numbersIn(table.property('OnDemandThroughput')),
    WarmThroughput: numbersIn(table.property('WarmThroughput')),
    GlobalSecondaryIndexes: indexes(table.property('GlobalSecondaryIndexes')),
    LocalSecondaryIndexes: indexes(table.property('LocalSecondaryIndexes')),
    ...settings(table),
    ...recoveryOf(table.property('PointInTimeRecoverySpecification')),
    ...insightsOf(
      table.property('ContributorInsightsSpecification'),
      table.property('GlobalSecondaryIndexes'),
    ),
    Tags: table.optional('Tags'),
    TableClass: table.property('TableClass'),
    DeletionProtectionEnabled: flag(table.property('DeletionProtectionEnabled')),
  });
}

/** What both kinds of tables say in the same way. */
export function settings(table: TableResource): Members {
  return {
    StreamSpecification: streamSpecification(table.property('StreamSpecification')),
    SSESpecification: sseSpecification(table.optional('SSESpecification')),
    TimeToLiveSpecification: timeToLive(table.property('TimeToLiveSpecification')),
  };
}

export function recoveryOf(given: unknown): Members {
  if (!isObject(given)) return {};
  const { PointInTimeRecoveryEnabled: enabled, RecoveryPeriodInDays: days } = given;
  const specification = {
    PointInTimeRecoveryEnabled: flag(enabled),
    RecoveryPeriodInDays: numbersIn(days),
  };
  return { PointInTimeRecoverySpecification: picked(specification, Object.keys(specification)) };
}

/** The table and its indexes with insights; undefined if none has them. */
export function insightsOf(ofTable: unknown, indexes: unknown): Members {
  const places = [{ of: ofTable, name: undefined as unknown }];
  for (const index of Array.isArray(indexes) ? indexes : [])
    if (isObject(index)) places.push({ of: index.ContributorInsightsSpecification, name: index.IndexName });
  const all = places.flatMap(({ of, name }) =>
    isObject(of) && flag(of.Enabled) === true
      ? [
          picked({ IndexName: name, ContributorInsightsMode: of.Mode }, [
            'IndexName',
            'ContributorInsightsMode',
          ]),
        ]
      : [],
  );
  return all.length === 0 ? {} : { ContributorInsights: all };
}

/** Settings for which there is nothing here. */
const ignoredByName: Readonly<Record<string, string>> = {
  ImportSourceSpecification: 'the import from S3',
  KinesisStreamSpecification: 'the Kinesis stream',
  ResourcePolicy: 'the resource policy',
};

function noteIgnored(table: TableResource, ignored: Readonly<Record<string, string>>): void {
  for (const name of table.names) {
    if (ignored[name] !== undefined) table.note(`${name} is left out: ${ignored[name]} is not set up here`);
  }
}

/** Without the members that are undefined, which CreateTable would rather not see. */
export function definition(members: Members): TableDefinition {
  return picked(members, Object.keys(members)) as unknown as TableDefinition;
}

function indexes(list: unknown): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((index: unknown) => {
    if (!isObject(index)) return index;
    const { ContributorInsightsSpecification: _, ...others } = index;
    const request: Record<string, unknown> = others;
    for (const name of ['ProvisionedThroughput', 'OnDemandThroughput', 'WarmThroughput']) {
      if (request[name] !== undefined) request[name] = numbersIn(request[name]);
    }
    return request;
  });
}

/** The view type alone turns a stream on; a template has no other switch. */
function streamSpecification(stream: unknown): unknown {
  if (!isObject(stream)) return stream;
  return { StreamEnabled: true, ...picked(stream, ['StreamViewType']) };
}

function sseSpecification(sse: unknown): unknown {
  if (!isObject(sse)) return sse;
  const enabled = flag(sse.SSEEnabled ?? true);
  return { Enabled: enabled, ...picked(sse, ['SSEType', 'KMSMasterKeyId']) };
}

function timeToLive(ttl: unknown): unknown {
  if (!isObject(ttl)) return ttl;
  return { ...ttl, Enabled: flag(ttl.Enabled) };
}

/** Templates write numbers and flags as texts too, and parameters are always texts. */
export function numbersIn(value: unknown): unknown {
  if (typeof value === 'string' && /^-?\d+$/.test(value.trim())) return Number(value);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, numbersIn(inner)]));
}

export function flag(value: unknown): unknown {
  return value === 'true' ? true : value === 'false' ? false : value;
}
