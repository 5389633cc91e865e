import type { Engine } from '../../engine/engine.ts';
import type { Table } from '../../engine/tables/table-record.ts';
import type { ItemWrite, WriteOutcome } from '../../engine/writes/write-item.ts';
import { checkWritePaths } from '../../expressions/key-paths.ts';
import { noNames } from '../../expressions/named-attributes.ts';
import type { Condition } from '../../expressions/tree.ts';
import { DynamoError } from '../../model/errors.ts';
import { isOrdinary } from '../../model/json/ordinary-json.ts';
import { checkIndexKeys, checkItemKey } from '../../model/keys/key-checks.ts';
import { whenDone } from '../../model/maybe-promise.ts';
import type { SentItem } from '../../model/stored/sent-item.ts';
import { itemJson } from '../../model/stored/stored-item.ts';
import { itemSize } from '../../model/values/item-size.ts';
import { consumedCapacity } from '../consumed-capacity.ts';
import { tableIntent } from '../intents.ts';
import { type Answer, type Caller, operation } from '../operation.ts';
import type { RequestRoad } from '../request-road.ts';
import { writtenItem } from '../requested-items.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { attributeMap, conditionMembers, returnMembers, tableName } from '../shapes/item-shapes.ts';
import type { ValidationLayer } from '../shapes/operation-layers.ts';
import type { AttributeMapInput } from '../shapes/plain-attribute-value.ts';
import { required } from '../shapes/shape.ts';
import { tableReference } from '../table-reference.ts';
import { itemAnswer } from './item-answer.ts';
import { itemCollectionMetrics } from './item-collection-metrics.ts';
import { checkItemSize, returnsOldOnly } from './request-checks.ts';
import { type WriteItemOutput, writeItemOutput } from './write-output.ts';
import {
  conditionError,
  lookingAt,
  readWriteRequest,
  showsItem,
  type WriteRequest,
} from './write-request.ts';

/**
 * The order of the enums (observed: conformance suite, probe `o_put_three_bad_enums`, September 2026). `returnValues`
 * comes before `tableName` (observed: public captures, older layer, October 2026).
 */
export const putItemShape = inputShape(
  'PutItem',
  {
    ...returnMembers,
    TableName: required(tableName),
    Item: required(attributeMap),
    ...conditionMembers,
  },
  { layer: 'newer' },
);
export interface PutItemInput extends InputOf<typeof putItemShape> {}

export interface PutItemOutput extends WriteItemOutput {}

/** A checked request, as its item was read, or was encoded by the check. */
interface CheckedPut {
  readonly input: PutItemInput;
  readonly plan: PutPlan;
}

export const putItem = operation<PutItemInput, PutItemOutput, CheckedPut>(
  putItemShape,
  writeItemOutput,
  ({ input, plan }, road) => [
    tableIntent(road, input.TableName, { items: plan.request && writtenItem(plan.request, input) }),
  ],
  (road, { input, plan }) => {
    const { engine, caller } = road;
    const reference = tableReference(input.TableName, caller);
    if (reference instanceof DynamoError) return reference;
    const written = engine.writeItem(road, reference, (table) => {
      const { schema } = table;
      const write = plan.write(table);
      return (
        checkItemKey(schema, write.key) ??
        checkIndexKeys(schema, write.key, 'put') ??
        checkWritePaths(schema, plan.condition) ??
        write
      );
    });
    return whenDone(written, (outcome) => answer(input, outcome));
  },
  checkPut,
);

/**
 * Checks the shape of a request. Most requests put an item without a condition. Such an item is encoded while it is
 * checked, and the shape checks only the rest of the request. An item that is invalid, or no ordinary JSON, is left to
 * the shape, which finds the error.
 */
function checkPut({ engine, caller }: RequestRoad, body: unknown): CheckedPut | DynamoError {
  const sent = encodedItem(engine, body, caller);
  // A copy, because the caller may change the body while the store is at work.
  const input = putItemShape.check(sent === undefined ? body : { ...(body as object), Item: noItem });
  if (input instanceof DynamoError) return input;
  const plan = sent === undefined ? readPut(engine, input) : sentPut(input, sent);
  return plan instanceof DynamoError ? plan : { input, plan };
}

const noItem: AttributeMapInput = {};

/**
 * Encodes the item of an unconditional put into a cached table. Undefined if this fast path does not apply. It keeps no
 * names of attributes, which an authorizer may ask for, and it looks for the table.
 */
function encodedItem(engine: Engine, body: unknown, caller: Caller): SentItem | undefined {
  if (caller.authorize !== undefined) return undefined;
  // An instance of a class may have properties that a loop does not list.
  if (!isOrdinary(body)) return undefined;
  for (const name in body) if (!unconditionalMembers.has(name)) return undefined;
  const { TableName, Item } = body as Partial<PutItemInput>;
  if (typeof TableName !== 'string') return undefined;
  const table = engine.catalogue.known({ account: caller.accountId, region: caller.region }, TableName);
  return table && engine.encoder.sent(Item, table.placingNames);
}

const unconditionalMembers: ReadonlySet<string> = new Set([
  'TableName',
  'Item',
  'ReturnValues',
  'ReturnConsumedCapacity',
  'ReturnItemCollectionMetrics',
  'ReturnValuesOnConditionCheckFailure',
]);

interface PutPlan {
  /** Undefined if the check encoded the item. */
  readonly request: WriteRequest | undefined;
  readonly condition: Condition | undefined;
  write(table: Table): ItemWrite;
}

function sentPut(input: PutItemInput, sent: SentItem): PutPlan | DynamoError {
  return (
    checkBetween(input, sent.bytes) ?? {
      request: undefined,
      condition: undefined,
      write: ({ placingNames }) => {
        const encoded = sent.withNames(placingNames);
        const { attributes: item, bytes } = encoded;
        return { key: item, looksAt: noNames, sent: encoded, putBytes: bytes, next: () => ({ item, bytes }) };
      },
    }
  );
}

function readPut(engine: Engine, input: PutItemInput): PutPlan | DynamoError {
  let bytes = 0;
  const request = readWriteRequest(engine, putItemShape, input, input.Item, (item, layer) => {
    bytes = itemSize(item);
    return checkBetween(input, bytes, layer);
  });
  if (request instanceof DynamoError) return request;
  const { item, condition } = request;
  return {
    request,
    condition,
    write: () => ({
      key: item,
      putBytes: bytes,
      ...lookingAt(showsItem(input), condition),
      next: (before, _, work) => conditionError(condition, before, showsItem(input), work) ?? { item, bytes },
    }),
  };
}

function checkBetween(
  { ReturnValues }: PutItemInput,
  bytes: number,
  layer: ValidationLayer = putItemShape.layer,
): DynamoError | undefined {
  return returnsOldOnly(ReturnValues, layer) ?? checkItemSize(bytes);
}

function answer(input: PutItemInput, outcome: WriteOutcome | DynamoError): Answer {
  if (outcome instanceof DynamoError) return outcome;
  const old = input.ReturnValues === 'ALL_OLD' ? outcome.storedBefore : undefined;
  return itemAnswer('Attributes', old && itemJson(old), {
    ConsumedCapacity: consumedCapacity(input.ReturnConsumedCapacity, input.TableName, outcome.consumed),
    ItemCollectionMetrics: itemCollectionMetrics(input.ReturnItemCollectionMetrics, outcome, outcome.after!),
  });
}
