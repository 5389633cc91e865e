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
import { tableIntent } from '../intents.ts';
import { itemCollectionMetricsShape } from '../items/item-collection-metrics.ts';
import { checkItemSize } from '../items/request-checks.ts';
import { type Caller, operation, type ReadRequest, reading } from '../operation.ts';
import { writtenItems } from '../requested-items.ts';
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

/** Either a put or a delete. The type allows both because the service's type does. */
const writeRequest = structure('WriteRequest', {
  PutRequest: structure('PutRequest', { Item: required(attributeMap) }, ['workloadProfileName']),
  DeleteRequest: structure('DeleteRequest', { Key: required(attributeMap) }),
});
export interface WriteRequestInput extends InputValue<typeof writeRequest> {}
export interface WriteRequest extends OutputValue<typeof writeRequest> {}

export const batchWriteItemShape = inputShape('BatchWriteItem', {
  /** The requests by table. The client names a table by its name or its ARN. */
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

const batchWriteItemOutput = outputShape({
  UnprocessedItems: required(map(list(writeRequest))),
  ItemCollectionMetrics: map(list(itemCollectionMetricsShape)),
  ConsumedCapacity: list(consumedCapacityShape),
});
export interface BatchWriteItemOutput extends OutputOf<typeof batchWriteItemOutput> {}

export const batchWriteItem = operation<
  BatchWriteItemInput,
  BatchWriteItemOutput,
  ReadRequest<BatchWriteItemInput, readonly BatchWrite[]>
>(
  batchWriteItemShape,
  batchWriteItemOutput,
  ({ input, request }, road) =>
    Object.keys(input.RequestItems).map((named) => {
      const items = request.filter(({ tableName }) => tableName === named).map(({ item }) => item);
      return tableIntent(road, named, { items: writtenItems(items, input.ReturnConsumedCapacity) });
    }),
  (road, { input, request: writes }) => {
    const { engine, caller } = road;
    const tables = byTable(writes, caller);
    if (tables instanceof DynamoError) return tables;
    // The names are copied now, because the caller may change the input while the store is at work.
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
  reading(batchWriteItemShape, readRequest),
);

/** One put or delete. */
export interface BatchWrite {
  /** The name or ARN as the client sent it. The answer uses the same text. */
  readonly tableName: string;
  readonly sent: WriteRequestInput;
  readonly kind: 'put' | 'delete';
  /** The item to put, or the key to delete. If `whole` is set, it may hold only the attributes in `placingNames`. */
  readonly item: Item;
  readonly bytes: number;
  /** The encoded item to put, if the check encoded it. */
  readonly whole: SentItem | undefined;
}

/** Checks the entries before their tables are known, with the texts of the older layer, which have no envelope. */
function readRequest(
  engine: Engine,
  { RequestItems }: BatchWriteItemInput,
  { accountId: account, region, authorize }: Caller,
): BatchWrite[] | DynamoError {
  const writes: BatchWrite[] = [];
  for (const [tableName, requests] of Object.entries(RequestItems)) {
    if (!requests.every(isPutOrDelete)) return notPutOrDelete;
    // An encoded item keeps no names of attributes, which an authorizer may ask for.
    const table =
      authorize === undefined ? engine.catalogue.known({ account, region }, tableName) : undefined;
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

function isPutOrDelete({ PutRequest, DeleteRequest }: WriteRequestInput): boolean {
  return (PutRequest === undefined) !== (DeleteRequest === undefined);
}

/**
 * The error of a request that is neither a put nor a delete, as dynalite answers it (observed: dynalite's tests). A
 * request which is both gets the same error (guess).
 */
const notPutOrDelete = validationError(
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

/**
 * Groups the writes by table. A request may name a table twice, by its name and by its ARN. Its writes must still be to
 * different items.
 */
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
 * Checks an entry against its table. For a missing or mistyped key in an item, a batch uses the error texts for keys, unlike PutItem. A put and a
 * delete of one key are duplicates too. Numbers are compared by value.
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
