import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { indexName, Orders, tableName, versionText, type WireItem } from './items.ts';

export const caseNames = [
  'get',
  'query',
  'index',
  'filter',
  'batch-get',
  'put',
  'update',
  'transact',
  'select',
] as const;
export type CaseName = (typeof caseNames)[number];

/** A request that is measured, made for an item by its number, and what has to come back. */
export interface Case {
  readonly title: string;
  readonly operation: string;
  /** Writes alternate between two versions, so that none of them leaves things as they were. */
  readonly versions?: readonly [number, number];
  /** The same bytes must not be sent twice. */
  readonly once?: true;
  /** For how many of the items there are requests; all of them unless said otherwise. */
  readonly span?: (items: number) => number;
  input(orders: Orders, index: number, version: number): object;
  /** What is answered, whatever the order of its members, with items in whichever version. */
  answer(orders: Orders, index: number): object;
}

/** The answer of a write that was not asked for anything. */
const done = () => ({});
/** Requests of which each reads many items are fewer, because their answers have to be known beforehand. */
const fewer = (items: number) => Math.min(items, 4_000);

export const cases: Readonly<Record<CaseName, Case>> = {
  get: {
    title: 'GetItem',
    operation: 'GetItem',
    input: (orders, index) => ({ TableName: tableName, Key: orders.key(index) }),
    answer: (orders, index) => ({ Item: orders.item(index, 0) }),
  },
  query: {
    title: 'Query of 10',
    operation: 'Query',
    span: fewer,
    input: (orders, index) => ({
      TableName: tableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: orders.partitionKey(index) } },
    }),
    answer: (orders, index) => page(orders, orders.ofCustomer(index)),
  },
  index: {
    title: 'Query of 10, index',
    operation: 'Query',
    span: fewer,
    input: (orders, index) => ({
      TableName: tableName,
      IndexName: indexName,
      KeyConditionExpression: 'warehouse = :warehouse',
      ExpressionAttributeValues: { ':warehouse': { S: orders.warehouse(index) } },
    }),
    answer: (orders, index) => page(orders, orders.ofWarehouse(index)),
  },
  filter: {
    title: 'Query of 10, filter',
    operation: 'Query',
    span: fewer,
    input: (orders, index) => ({
      TableName: tableName,
      KeyConditionExpression: 'pk = :pk',
      FilterExpression: 'paid = :paid AND #total > :total',
      ExpressionAttributeNames: { '#total': 'total' },
      ExpressionAttributeValues: {
        ':pk': { S: orders.partitionKey(index) },
        ':paid': { BOOL: true },
        ':total': { N: '0' },
      },
    }),
    answer: (orders, index) => {
      const all = orders.ofCustomer(index);
      return page(
        orders,
        all.filter((each) => orders.isPaid(each)),
        all.length,
      );
    },
  },
  'batch-get': {
    title: 'BatchGetItem of 25',
    operation: 'BatchGetItem',
    span: fewer,
    input: (orders, index) => ({
      RequestItems: { [tableName]: { Keys: orders.spread(index, 25).map((each) => orders.key(each)) } },
    }),
    answer: (orders, index) => ({
      Responses: { [tableName]: orders.spread(index, 25).map((each) => orders.item(each, 0)) },
      UnprocessedKeys: {},
    }),
  },
  put: {
    title: 'PutItem',
    operation: 'PutItem',
    versions: [1, 2],
    input: (orders, index, version) => ({ TableName: tableName, Item: orders.item(index, version) }),
    answer: done,
  },
  update: {
    title: 'UpdateItem, conditional',
    operation: 'UpdateItem',
    versions: [3, 4],
    input: conditionalUpdate,
    answer: done,
  },
  transact: {
    title: 'TransactWriteItems of 2',
    operation: 'TransactWriteItems',
    versions: [5, 6],
    // The token makes a request the only one of its kind: sent again, it would be answered and do nothing.
    once: true,
    // The two items come from two halves, so that no two transactions under way have one in common.
    span: (items) => Math.floor(items / 2),
    input: (orders, index, version) => ({
      TransactItems: [
        { Update: conditionalUpdate(orders, index, version) },
        {
          Put: {
            TableName: tableName,
            Item: orders.item(index + Math.floor(orders.count / 2), version),
            ConditionExpression: 'attribute_exists(pk)',
          },
        },
      ],
      ClientRequestToken: randomUUID(),
    }),
    answer: done,
  },
  select: {
    title: 'ExecuteStatement, SELECT of 1',
    operation: 'ExecuteStatement',
    input: (orders, index) => ({
      Statement: `SELECT * FROM "${tableName}" WHERE pk = ? AND sk = ?`,
      Parameters: [{ S: orders.partitionKey(index) }, { S: orders.sortKey(index) }],
    }),
    answer: (orders, index) => ({ Items: [orders.item(index, 0)] }),
  },
};

/** An update of one attribute, as an application that checks what it changes sends it. */
function conditionalUpdate(orders: Orders, index: number, version: number): object {
  return {
    TableName: tableName,
    Key: orders.key(index),
    UpdateExpression: 'SET #version = :version',
    ConditionExpression: 'attribute_exists(pk) AND #status = :status',
    ExpressionAttributeNames: { '#version': 'version', '#status': 'status' },
    ExpressionAttributeValues: { ':version': { N: versionText(version) }, ':status': { S: 'SHIPPED' } },
  };
}

function page(orders: Orders, indexes: readonly number[], scanned = indexes.length): object {
  return {
    Items: indexes.map((index) => orders.item(index, 0)),
    Count: indexes.length,
    ScannedCount: scanned,
  };
}

/** Compares an answer in full. Items may be in any version, and those of a batch in any order. */
export function expectAnswer(name: CaseName, orders: Orders, index: number, text: string): void {
  const wanted = cases[name].answer(orders, index);
  const found = JSON.parse(text) as object;
  if (!isDeepStrictEqual(settled(name, orders, found), settled(name, orders, wanted)))
    throw new Error(`${cases[name].title} of item ${index} was answered with ${text.slice(0, 600)}`);
}

/** The answer with every item that is right in any version put into version 0, and batches in order. */
function settled(name: CaseName, orders: Orders, answer: object): object {
  const given = answer as {
    readonly Item?: WireItem;
    readonly Items?: readonly WireItem[];
    readonly Responses?: Readonly<Record<string, readonly WireItem[]>>;
  };
  const still = (item: WireItem) => stillItem(orders, item);
  return {
    ...given,
    ...(given.Item && { Item: still(given.Item) }),
    ...(given.Items && { Items: given.Items.map(still) }),
    ...(name === 'batch-get' && {
      Responses: (given.Responses?.[tableName] ?? [])
        .toSorted((a, b) => Orders.indexOf(a) - Orders.indexOf(b))
        .map(still),
      // Some servers leave it out when there are none.
      UnprocessedKeys: (given as { readonly UnprocessedKeys?: object }).UnprocessedKeys ?? {},
    }),
  };
}

function stillItem(orders: Orders, item: WireItem): WireItem {
  const index = Orders.indexOf(item);
  return isDeepStrictEqual(item, orders.item(index, Orders.versionOf(item))) ? orders.item(index, 0) : item;
}
