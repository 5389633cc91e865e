import type { Charge, RequestEvent } from '../../engine/events.ts';
import { parametersOf, tableOf } from '../patterns/pattern-shape.ts';
import type { SpanAttribute, SpanAttributes } from './tracing-api.ts';

/**
 * The parameters that OpenTelemetry's conventions for DynamoDB (semantic conventions 1.38, "Development") copy into
 * attributes, by operation. None of them holds a value of an item.
 */
const copied: Readonly<Record<string, readonly (readonly [parameter: string, attribute: string])[]>> = {
  GetItem: [
    ['ConsistentRead', 'consistent_read'],
    ['ProjectionExpression', 'projection'],
  ],
  Query: [
    ['ConsistentRead', 'consistent_read'],
    ['IndexName', 'index_name'],
    ['Limit', 'limit'],
    ['ProjectionExpression', 'projection'],
    ['ScanIndexForward', 'scan_forward'],
    ['Select', 'select'],
  ],
  Scan: [
    ['ConsistentRead', 'consistent_read'],
    ['IndexName', 'index_name'],
    ['Limit', 'limit'],
    ['ProjectionExpression', 'projection'],
    ['Segment', 'segment'],
    ['Select', 'select'],
    ['TotalSegments', 'total_segments'],
  ],
};

const countsItems: ReadonlySet<string> = new Set(['Query', 'Scan']);

/** The tables of a request, each once. */
export function tablesOf({ touches }: RequestEvent): readonly string[] {
  const [first] = touches;
  if (first === undefined) return [];
  if (touches.length === 1) return first.tableName === '' ? [] : [first.tableName];
  return [...new Set(touches.map(({ tableName }) => tableName))].filter((name) => name !== '');
}

/** Attributes that a sampler may decide by. */
export function firstAttributes(
  event: RequestEvent,
  tables: readonly string[],
  patternName: string | undefined,
): SpanAttributes {
  const attributes: SpanAttributes = {
    'db.system.name': 'aws.dynamodb',
    'db.operation.name': event.operation,
  };
  if (tables.length === 1) attributes['db.collection.name'] = tables[0]!;
  if (patternName !== undefined) attributes['db.query.summary'] = patternName;
  return attributes;
}

/** All other attributes of a request that is sampled. */
export function furtherAttributes(event: RequestEvent, tables: readonly string[]): SpanAttributes {
  const { operation, caller, touches, charges, outcome, returnedItems } = event;
  const attributes: SpanAttributes = {
    'aws.request_id': caller.requestId,
    'cloud.region': caller.region,
    'cloud.account.id': caller.accountId,
  };
  const named = tables.length > 0 ? tables : [tableOf(event)].filter((name) => name !== '');
  if (named.length > 0) attributes['aws.dynamodb.table_names'] = [...named];
  const isBatch = touches.length > 1 && touches[0]!.access !== 'control';
  if (isBatch) attributes['db.operation.batch.size'] = touches.length;
  copyParameters(event, attributes);
  if (charges.length > 0) attributes['aws.dynamodb.consumed_capacity'] = capacityTexts(charges);
  if (outcome.kind === 'answered' && touches[0]?.access === 'read') {
    attributes['db.response.returned_rows'] = returnedItems;
    if (countsItems.has(operation)) attributes['aws.dynamodb.count'] = returnedItems;
  }
  if (event.isInjected) attributes['stator.injected_fault'] = true;
  if (event.isReplay) attributes['stator.replayed'] = true;
  if (event.isStale) attributes['stator.stale_read'] = true;
  return attributes;
}

function copyParameters(event: RequestEvent, attributes: SpanAttributes): void {
  const parameters = copied[event.operation];
  if (parameters === undefined) return;
  const input = parametersOf(event);
  for (const [parameter, attribute] of parameters) {
    const value = input[parameter];
    if (isSimple(value)) attributes[`aws.dynamodb.${attribute}`] = value;
  }
}

/** A refused request may have anything for a parameter. */
function isSimple(value: unknown): value is SpanAttribute {
  return typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string';
}

/** Each table's units in the form of a ConsumedCapacity of the service. */
function capacityTexts(charges: readonly Charge[]): string[] {
  const byTable = new Map<string, { read: number; write: number; indexes: Map<string, number> }>();
  for (const { table, access, consumed } of charges) {
    const sums = byTable.get(table.name) ?? { read: 0, write: 0, indexes: new Map<string, number>() };
    byTable.set(table.name, sums);
    sums[access] += consumed.table;
    for (const { name, units } of consumed.indexes) {
      sums[access] += units;
      sums.indexes.set(name, (sums.indexes.get(name) ?? 0) + units);
    }
  }
  return [...byTable].map(([TableName, { read, write, indexes }]) =>
    JSON.stringify({
      TableName,
      CapacityUnits: read + write,
      ...(read > 0 && { ReadCapacityUnits: read }),
      ...(write > 0 && { WriteCapacityUnits: write }),
      ...(indexes.size > 0 && {
        Indexes: Object.fromEntries([...indexes].map(([name, units]) => [name, { CapacityUnits: units }])),
      }),
    }),
  );
}
