import type { Engine } from '../../engine/engine.ts';
import type { Table } from '../../engine/tables/table-record.ts';
import type { ItemWrite } from '../../engine/writes/write-item.ts';
import { noNames } from '../../expressions/named-attributes.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { checkIndexKeys, checkKey } from '../../model/keys/key-checks.ts';
import { requestLimits } from '../../model/limits.ts';
import { whenDone } from '../../model/maybe-promise.ts';
import type { SentItem } from '../../model/stored/sent-item.ts';
import { keyItemOf, primaryKeyOf } from '../../model/tables/table-schema.ts';
import { type Item, keyText } from '../../model/values/attribute-value.ts';
import { itemSize } from '../../model/values/item-size.ts';
import { readItem } from '../../model/values/read-attribute-value.ts';
import { consumedCapacityShape } from '../consumed-capacity.ts';
import { itemCollectionMetricsShape } from '../items/item-collection-metrics.ts';
import { checkItemSize } from '../items/request-checks.ts';
import { type Caller, operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import {
  attributeMap,
  name,
  returnConsumedCapacity,
  returnItemCollectionMetrics,
} from '../shapes/item-shapes.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { list, map, required, structure } from '../shapes/shape.ts';
import type { InputValue, OutputValue } from '../shapes/shape-types.ts';
import { type TableReference, tableReference } from '../table-reference.ts';
import { batchWriteAnswer } from './batch-write-answer.ts';

/** Either a put or a delete; the type allows both because the service's own does. */
const writeRequest = structure('WriteRequest', {
  PutRequest: structure('PutRequest', { Item: required(attributeMap) }, ['workloadProfileName']),
  DeleteRequest: structure('DeleteRequest', { Key: required(attributeMap) }),
});
export interface WriteRequestInput extends InputValue<typeof writeRequest> {}
export interface WriteRequest extends OutputValue<typeof writeRequest> {}

export const batchWriteItemShape = inputShape('BatchWriteItem', {
  /** By name or ARN, as the client chose. */
  RequestItems: required(
    map(list(writeRequest, { min: 1, max: requestLimits.batchWriteRequestsMax }), {
      min: 1,
      max: requestLimits.batchWriteTablesMax,
      keys: { ...name, orArn: true },
    }),
    { ifEmpty: 'The requestItems parameter is required for BatchWriteItem' },
  ),
  ReturnConsumedCapacity: returnConsumedCapacity,
  ReturnItemCollectionMetrics: returnItemCollectionMetrics,
});
export interface BatchWriteItemInput extends InputOf<typeof batchWriteItemShape> {}

export const batchWriteItemOutput = outputShape({
  UnprocessedItems: required(map(list(writeRequest))),
  ItemCollectionMetrics: map(list(itemCollectionMetricsShape)),
  ConsumedCapacity: list(consumedCapacityShape),
});
export interface BatchWriteItemOutput extends OutputOf<typeof batchWriteItemOutput> {}

export const batchWriteItem = operation<BatchWriteItemInput, BatchWriteItemOutput>(
  batchWriteItemShape,
  batchWriteItemOutput,
  (road, input) => {
    const { engine, caller } = road;
    const writes = readRequest(engine, input, caller);
    if (writes instanceof DynamoError) return writes;
    const tables = byTable(writes, caller);
    if (tables instanceof DynamoError) return tables;
    // Now, since the caller may change his lists while a store is at work.
    const tableNames = Object.keys(input.RequestItems);
    const written = engine.writeItems(
      road,
      tables.map(({ reference, writes }) => ({
        writesOn: (table) => planWrites(table, writes),
        ...reference,
      })),
    );
    return whenDone(written, (outcomes) => {
      if (outcomes instanceof DynamoError) return outcomes;
      const done = tables.flatMap(({ writes }, i) =>
        writes.map((write, k) => ({ outcome: outcomes[i]![k], ...write })),
      );
      return batchWriteAnswer(done, tableNames, input);
    });
  },
);

/** One put or delete. */
export interface BatchWrite {
  /** As the client wrote it, which is how the answer names the table. */
  readonly tableName: string;
  readonly sent: WriteRequestInput;
  readonly kind: 'put' | 'delete';
  /** The item to put, or the key to delete. Of one that is encoded already perhaps only what tells its places. */
  readonly item: Item;
  readonly bytes: number;
  /** The whole item to put, where it is encoded already. */
  readonly whole: SentItem | undefined;
}

/** Step 10, all in the bare words of the older layer. */
function readRequest(
  engine: Engine,
  { RequestItems }: BatchWriteItemInput,
  { accountId: account, region }: Caller,
): BatchWrite[] | DynamoError {
  const writes: BatchWrite[] = [];
  for (const [tableName, requests] of Object.entries(RequestItems)) {
    if (!requests.every(isOneOfTwo)) return notOneOfTwo;
    const table = engine.catalogue.known({ account, region }, tableName);
    for (const sent of requests) {
      const write = readWrite(engine, tableName, sent, table);
      if (write instanceof DynamoError) return write;
      writes.push(write);
    }
  }
  return writes.length > requestLimits.batchWriteRequestsMax
    ? validationError('Too many items requested for the BatchWriteItem call')
    : writes;
}

function isOneOfTwo({ PutRequest, DeleteRequest }: WriteRequestInput): boolean {
  return (PutRequest === undefined) !== (DeleteRequest === undefined);
}

/**
 * For a request that is neither, dynalite, made by comparison with the service before 2024, says this; that one that is
 * both gets the same is assumed.
 */
const notOneOfTwo = validationError(
  'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
);

function readWrite(
  { encoder }: Engine,
  tableName: string,
  sent: WriteRequestInput,
  table: Table | undefined,
): BatchWrite | DynamoError {
  const { PutRequest, DeleteRequest } = sent;
  const kind = PutRequest === undefined ? 'delete' : 'put';
  const whole = table && PutRequest && encoder.sent(PutRequest.Item, table.placingNames);
  const item = whole?.attributes ?? readItem(PutRequest?.Item ?? DeleteRequest?.Key, 'older');
  if (item instanceof DynamoError) return item;
  const bytes = whole?.bytes ?? itemSize(item);
  return (kind === 'put' ? checkItemSize(bytes) : undefined) ?? { tableName, sent, kind, item, bytes, whole };
}

interface TableWrites {
  readonly reference: TableReference;
  readonly writes: BatchWrite[];
}

/** A table may be named twice, by its name and by its ARN; what is written to it must still be different items. */
function byTable(writes: readonly BatchWrite[], caller: Caller): readonly TableWrites[] | DynamoError {
  const tables = new Map<string, TableWrites>();
  for (const write of writes) {
    const reference = tableReference(write.tableName, caller);
    if (reference instanceof DynamoError) return reference;
    const id = `${reference.scope.account}/${reference.tableName}`;
    const table = tables.get(id);
    if (table === undefined) tables.set(id, { reference, writes: [write] });
    else table.writes.push(write);
  }
  return [...tables.values()];
}

/**
 * Step 12. Unlike PutItem, a batch tells a missing or mistyped key of an item in the words that are meant for keys. A
 * put and a delete of one key are duplicates too, and numbers are compared by value.
 */
function planWrites(
  { schema, placingNames }: Table,
  writes: readonly BatchWrite[],
): ItemWrite[] | DynamoError {
  const seen = new Set<string>();
  const plans: ItemWrite[] = [];
  for (const { kind, item: read, bytes, whole } of writes) {
    const sent = whole?.withNames(placingNames);
    const item = sent?.attributes ?? read;
    const wrong =
      checkKey(schema, kind === 'put' ? keyItemOf(schema, item) : item) ??
      (kind === 'put' ? checkIndexKeys(schema, item, 'put') : undefined);
    if (wrong !== undefined) return wrong;
    const { hash, range } = primaryKeyOf(schema, item);
    const next = kind === 'put' ? { item, bytes } : { item: undefined };
    plans.push({ key: item, looksAt: noNames, next: () => next, ...(sent && { sent }) });
    const text = keyText(hash);
    seen.add(range === undefined ? text : `${text.length}:${text}${keyText(range)}`);
    if (seen.size < plans.length) return validationError('Provided list of item keys contains duplicates');
  }
  return plans;
}
