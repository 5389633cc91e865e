import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  DynamoDBServiceException,
  GetItemCommand,
  PutItemCommand,
  TransactGetItemsCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { foundText, pagesText, searchRequestOf, searchThrough } from './client-searches.ts';
import { reasonsText, transactRequestOf } from './client-transactions.ts';
import { render } from './expression-trees.ts';
import { itemRequestOf } from './item-request.ts';
import type { Outcome } from './outcome.ts';
import {
  forSdk,
  fromSdk,
  type Input,
  type SdkAttributes,
  sortedJson,
  topText,
  withoutUndefined,
} from './sdk-values.ts';
import type { Known } from './search-found.ts';
import type { SearchStep } from './search-steps.ts';
import type { BatchGetStep, BatchWriteStep, IndexStep, Step } from './steps.ts';
import { createIndexInput, deleteIndexInput } from './table-definition.ts';
import type { Attributes } from './values.ts';

/** The request that a step is, as the SDK takes it but with binary in base64. */
export function requestOf(step: Step, tableName: string): Input {
  if (step.kind === 'query' || step.kind === 'scan') return searchRequestOf(step, tableName);
  if (step.kind === 'batchGet' || step.kind === 'batchWrite') return batchRequestOf(step, tableName);
  if (step.kind === 'transactGet' || step.kind === 'transactWrite') return transactRequestOf(step, tableName);
  if (step.kind === 'createIndex') return createIndexInput(step.index, tableName) as unknown as Input;
  if (step.kind === 'deleteIndex') return deleteIndexInput(step.name, tableName) as unknown as Input;
  return itemRequestOf(step, tableName);
}

function batchRequestOf(step: BatchGetStep | BatchWriteStep, tableName: string): Input {
  const ofTable =
    step.kind === 'batchGet'
      ? withoutUndefined({
          Keys: step.keys,
          ...render({ projection: step.projection }, step.spelling),
          ConsistentRead: step.consistent,
        })
      : step.writes.map((write) =>
          'put' in write ? { PutRequest: { Item: write.put } } : { DeleteRequest: { Key: write.delete } },
        );
  return withoutUndefined({
    RequestItems: { [tableName]: ofTable },
    ReturnConsumedCapacity: step.capacity,
  });
}

/** Does a step through the client. What came of it is a text that is the same for outcomes that are the same. */
export async function runThrough(
  client: DynamoDBClient,
  step: Step,
  tableName: string,
  known: Known = { inOrder: true, pagesKnown: true, capacityKnown: true },
): Promise<string> {
  try {
    if (step.kind === 'query' || step.kind === 'scan')
      return pagesText(await searchThrough(client, step, tableName), known);
    if (step.kind === 'createIndex' || step.kind === 'deleteIndex') {
      await changeIndexes(client, step, tableName);
      return answerText(undefined, undefined, undefined, undefined);
    }
    const {
      Item,
      Attributes: changed,
      Responses,
      UnprocessedKeys,
      UnprocessedItems,
      ConsumedCapacity,
    } = await send(client, step, requestOf(step, tableName));
    const unprocessed = Object.keys({ ...UnprocessedKeys, ...UnprocessedItems });
    if (unprocessed.length > 0) return `left something unprocessed: ${unprocessed.join()}`;
    if (Array.isArray(Responses))
      return responsesText(
        Responses.map(({ Item }) => Item && fromSdk(Item)),
        ConsumedCapacity,
      );
    const items = (Responses as SdkBatch)?.[tableName]?.map(fromSdk);
    return answerText(Item && fromSdk(Item), changed && fromSdk(changed), items, ConsumedCapacity);
  } catch (error) {
    if (!(error instanceof DynamoDBServiceException)) throw error;
    if (error instanceof TransactionCanceledException)
      return refusalText(error.name, reasonsText(error), undefined);
    const item = 'Item' in error ? (error.Item as SdkAttributes | undefined) : undefined;
    return refusalText(error.name, error.message, item && fromSdk(item));
  }
}

/** Adds or deletes an index and waits until that is done. */
export async function changeIndexes(
  client: DynamoDBClient,
  step: IndexStep,
  tableName: string,
): Promise<void> {
  await client.send(new UpdateTableCommand(requestOf(step, tableName) as never));
  for (;;) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
    const statuses = (Table!.GlobalSecondaryIndexes ?? []).map(({ IndexStatus }) => IndexStatus);
    if ([Table!.TableStatus, ...statuses].every((status) => status === 'ACTIVE')) return;
  }
}

/** The texts of which an outcome allows any. */
export function allowedTexts(outcome: Outcome): readonly string[] {
  if ('answer' in outcome) {
    const { Item, Attributes: changed, Items, Responses, ConsumedCapacity, found } = outcome.answer;
    if (found !== undefined) return [foundText(found)];
    if (Responses !== undefined) return [responsesText(Responses, ConsumedCapacity)];
    return [answerText(Item, changed, Items, ConsumedCapacity)];
  }
  const { error, messages, item } = outcome.refusal;
  return messages.map((message) => refusalText(error, message, item));
}

function refusalText(name: string, message: string, item: Attributes | undefined): string {
  return `${name}: ${message}${item === undefined ? '' : `\n  Item ${topText(item)}`}`;
}

function answerText(
  item: Attributes | undefined,
  changed: Attributes | undefined,
  items: readonly Attributes[] | undefined,
  capacity: unknown,
): string {
  const parts = [
    ...(item === undefined ? [] : [`Item ${topText(item)}`]),
    ...(changed === undefined ? [] : [`Attributes ${topText(changed)}`]),
    ...(items === undefined ? [] : [`Items ${items.map(topText).sort().join(', ')}`]),
    ...(capacity === undefined ? [] : [`ConsumedCapacity ${sortedJson(capacity)}`]),
  ];
  return parts.length === 0 ? 'nothing' : parts.join('\n  ');
}

function responsesText(items: readonly (Attributes | undefined)[], capacity: unknown): string {
  const shown = items.map((item) => (item === undefined ? 'nothing' : topText(item))).join('\n  ');
  return `${shown}\n  ${sortedJson(capacity ?? 'no capacity')}`;
}

type SdkBatch = Readonly<Record<string, readonly SdkAttributes[]>> | undefined;

interface SdkAnswer {
  readonly Item?: SdkAttributes | undefined;
  readonly Attributes?: SdkAttributes | undefined;
  readonly Responses?: SdkBatch | readonly { readonly Item?: SdkAttributes | undefined }[] | undefined;
  readonly UnprocessedKeys?: object | undefined;
  readonly UnprocessedItems?: object | undefined;
  readonly ConsumedCapacity?: unknown;
}

async function send(
  client: DynamoDBClient,
  step: Exclude<Step, SearchStep | IndexStep>,
  input: Input,
): Promise<SdkAnswer> {
  const sent = forSdk(input);
  switch (step.kind) {
    case 'put':
      return client.send(new PutItemCommand(sent as never));
    case 'get':
      return client.send(new GetItemCommand(sent as never));
    case 'update':
      return client.send(new UpdateItemCommand(sent as never));
    case 'delete':
      return client.send(new DeleteItemCommand(sent as never));
    case 'batchGet':
      return client.send(new BatchGetItemCommand(sent as never));
    case 'batchWrite':
      return client.send(new BatchWriteItemCommand(sent as never));
    case 'transactGet':
      return client.send(new TransactGetItemsCommand(sent as never));
    case 'transactWrite':
      return client.send(new TransactWriteItemsCommand(sent as never));
  }
}

/**
 * Whether the SDK can read an outcome: it throws a TypeError where an error comes with an item that has `__proto__` in
 * a map (same version).
 */
export function isReadable(outcome: Outcome): boolean {
  if ('answer' in outcome || outcome.refusal.item === undefined) return true;
  const { item } = outcome.refusal;
  return !Object.values(item).some((value) => JSON.stringify(value).includes('"__proto__":'));
}
