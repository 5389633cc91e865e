import { type DynamoDBClient, QueryCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { render } from './expression-trees.ts';
import {
  forSdk,
  fromSdk,
  type Input,
  type SdkAttributes,
  sortedJson,
  topText,
  withoutUndefined,
} from './sdk-values.ts';
import type { Found, Known, Page } from './search-found.ts';
import type { SearchStep } from './search-steps.ts';
import { attributes } from './values.ts';

/** The request for the first page, of the first segment if there are several. */
export function searchRequestOf(step: SearchStep, tableName: string): Input {
  const keyCondition =
    step.kind === 'query'
      ? step.clauses.length === 1
        ? step.clauses[0]
        : ({ kind: 'and', parts: step.clauses } as const)
      : undefined;
  const { ExpressionAttributeValues: values, ...expressions } = render(
    { keyCondition, filter: step.filter, projection: step.projection },
    step.spelling,
  );
  return withoutUndefined({
    TableName: tableName,
    IndexName: step.index,
    ...expressions,
    ExpressionAttributeValues: values && attributes(Object.entries(values)),
    Select: step.select,
    Limit: step.limit,
    ConsistentRead: step.consistent,
    ReturnConsumedCapacity: step.capacity,
    ...(step.kind === 'query'
      ? { ScanIndexForward: step.forward, ExclusiveStartKey: step.startKey }
      : step.segments !== undefined && { Segment: 0, TotalSegments: step.segments }),
  });
}

interface SdkPage {
  readonly Items?: readonly SdkAttributes[] | undefined;
  readonly Count?: number | undefined;
  readonly ScannedCount?: number | undefined;
  readonly LastEvaluatedKey?: SdkAttributes | undefined;
  readonly ConsumedCapacity?: unknown;
}

/** Far more than the model's tables need: a search that never ends is a bug. */
const pagesMax = 1_000;

/** Follows a search to its last page, one segment after the other. */
export async function searchThrough(
  client: DynamoDBClient,
  step: SearchStep,
  tableName: string,
): Promise<Page[]> {
  const pages: Page[] = [];
  const segments = step.kind === 'scan' ? (step.segments ?? 1) : 1;
  for (let segment = 0; segment < segments; segment++) {
    for await (const page of pagesThrough(client, step, tableName, segment)) pages.push(page);
  }
  return pages;
}

/** The pages of a search, of one segment if there are several, each asked for when it is wanted. */
export async function* pagesThrough(
  client: DynamoDBClient,
  step: SearchStep,
  tableName: string,
  segment = 0,
): AsyncGenerator<Page> {
  const request = forSdk(searchRequestOf(step, tableName));
  let input: Input = 'Segment' in request ? { ...request, Segment: segment } : request;
  for (let pages = 0; pages < pagesMax; pages++) {
    const page: SdkPage =
      step.kind === 'query'
        ? await client.send(new QueryCommand(input as never))
        : await client.send(new ScanCommand(input as never));
    yield pageOf(page);
    if (page.LastEvaluatedKey === undefined) return;
    input = { ...input, ExclusiveStartKey: page.LastEvaluatedKey };
  }
  throw new Error(`a search without end: ${JSON.stringify(request)}`);
}

function pageOf(page: SdkPage): Page {
  return {
    ...(page.Items && { Items: page.Items.map(fromSdk) }),
    Count: page.Count ?? -1,
    ScannedCount: page.ScannedCount ?? -1,
    ...(page.LastEvaluatedKey && { LastEvaluatedKey: fromSdk(page.LastEvaluatedKey) }),
    ...(page.ConsumedCapacity !== undefined && { ConsumedCapacity: page.ConsumedCapacity }),
  };
}

export function foundText(found: Found): string {
  return pagesText(found.pages, found);
}

/** What pages say, as far as it is known what they should. */
export function pagesText(pages: readonly Page[], { inOrder, pagesKnown, capacityKnown }: Known): string {
  if (inOrder) return pages.map(pageText).join('\n  ');
  const items = pages.flatMap(({ Items }) => Items ?? []).map(topText);
  const sum = (of: (page: Page) => number) => pages.reduce((total, page) => total + of(page), 0);
  return [
    `Items ${items.sort().join(', ')}`,
    `Count ${sum(({ Count }) => Count)} of ${sum(({ ScannedCount }) => ScannedCount)}`,
    ...(pagesKnown ? [`pages of ${pages.map(({ ScannedCount }) => ScannedCount).join(', ')}`] : []),
    ...(capacityKnown ? [sortedJson(pages.map(({ ConsumedCapacity }) => ConsumedCapacity ?? 'none'))] : []),
  ].join('\n  ');
}

function pageText(page: Page): string {
  return [
    page.Items === undefined ? 'no Items' : `Items ${page.Items.map(topText).join(', ')}`,
    `Count ${page.Count} of ${page.ScannedCount}`,
    ...(page.LastEvaluatedKey === undefined ? [] : [`until ${topText(page.LastEvaluatedKey)}`]),
    ...(page.ConsumedCapacity === undefined ? [] : [sortedJson(page.ConsumedCapacity)]),
  ].join(' ');
}
