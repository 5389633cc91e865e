import {
  accountIntent,
  arnIntent,
  type Intent,
  type IntentScope,
  mention,
  TableIntent,
} from '../model/access/intent.ts';
import { whenDone } from '../model/maybe-promise.ts';
import type { Caller, Intents } from './operation.ts';
import type { RequestRoad } from './request-road.ts';
import { type ItemDescription, RequestedItems } from './requested-items.ts';

/** Names in requests without an ARN are those of the caller's own tables. */
export function scopeOf({ accountId, region }: Caller): IntentScope {
  return { account: accountId, region };
}

/** The action that has the name of the operation. */
function ownAction({ operation }: RequestRoad): string {
  return `dynamodb:${operation}`;
}

/** An action on a table that the request names, by its name or an ARN. */
export function tableIntent(
  road: RequestRoad,
  named: string,
  { action = road.operation, index, enclosing, items }: TableIntentDetails = {},
): Intent {
  const lookUp = () => road.tableNamed(named);
  return new TableIntent(`dynamodb:${action}`, named, scopeOf(road.caller), {
    index,
    enclosingOperation: enclosing,
    items: items && new RequestedItems(items, index, lookUp),
    lookUp: () =>
      whenDone(
        lookUp(),
        (table) => table && { id: table.record.description.tableId, tags: table.record.tags },
      ),
  });
}

interface TableIntentDetails {
  /** Without the service's prefix; the operation's own name by default. */
  readonly action?: string;
  /** The index that is read. IAM is then asked about the index alone. */
  readonly index?: string | undefined;
  readonly enclosing?: string;
  /** The items that the action reads or writes. */
  readonly items?: ItemDescription | undefined;
}

/** The operation's own action on the table in `TableName`, the intent of most operations. */
export const onTable: Intents<{ readonly TableName: string }> = ({ TableName }, road) => [
  tableIntent(road, TableName),
];

/** The operation's own action on the table, or on the index that is named. */
export const onTableOrIndex: Intents<{
  readonly TableName: string;
  readonly IndexName?: string | undefined;
}> = ({ TableName, IndexName }, road) => [tableIntent(road, TableName, { index: IndexName })];

/** The operation's own action on the whole account. */
export const onAccount: Intents<object> = (_, road) => [accountIntent(ownAction(road), scopeOf(road.caller))];

/** A listing of the whole account, or of one table if the request names one. */
export function listing(road: RequestRoad, named: string | undefined, ...mentioned: (string | undefined)[]) {
  const list =
    named === undefined ? accountIntent(ownAction(road), scopeOf(road.caller)) : tableIntent(road, named);
  return [list, ...mentioned.flatMap((arn) => (arn === undefined ? [] : [mention(ownAction(road), arn)]))];
}

/** The operation's own action on the resource of an ARN. */
export function onArn(road: RequestRoad, arn: string): readonly Intent[] {
  return [arnIntent(ownAction(road), arn)];
}

/** The destination operations name a Kinesis stream, for which AWS asks the caller no permission. */
export const onDestination: Intents<{ readonly TableName: string; readonly StreamArn: string }> = (
  { TableName, StreamArn },
  road,
) => [tableIntent(road, TableName), mention(ownAction(road), StreamArn)];

/** What a restore does to its new table (documented: IAM documentation, Service Authorization Reference, 2026). */
export function onRestored(road: RequestRoad, targetName: string): readonly Intent[] {
  return restoreActions.map((action) => tableIntent(road, targetName, { action }));
}

const restoreActions = ['BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'];

/**
 * Actions on the objects of a bucket, or on the bucket itself. The ARN of a bucket says nothing of its owner, which
 * the bucket checks when the work begins, as on AWS.
 */
export function onBucket(
  bucket: string,
  actions: readonly string[],
  objects: readonly string[],
): readonly Intent[] {
  const arn = `arn:aws:s3:::${bucket}`;
  return [
    ...objects.map((action) => arnIntent(`s3:${action}`, `${arn}/*`)),
    ...actions.map((action) => arnIntent(`s3:${action}`, arn)),
  ];
}
