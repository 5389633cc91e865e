import type { ValidationLayer } from '../../model/validation-layer.ts';

export type { ValidationLayer };

/**
 * Which of the service's two request-validation layers answers for an operation.
 *
 * Since June 2026 AWS moves Region by Region and operation by operation from the layer it has had since 2012 to a
 * new one with other wording. We answer what most Regions answered when last looked at, and this table is the only
 * place that decides it.
 *
 * Evidence: the registry of answers by Region that the public dynamodb-conformance suite keeps (33 Regions, sweeps of
 * 2 September to 8 October 2026). PutItem, UpdateItem, DeleteItem: newer in all but eu-south-2 and me-central-1.
 * GetItem, Query: newer nearly everywhere. BatchGetItem: newer in all but me-central-1. BatchWriteItem: newer in a
 * handful (eu-central-1, ap-southeast-1, ap-east-2, …), so older. Scan: newer in 5, with 5 more wavering, so older.
 * Transactions: newer in a few, so older. PartiQL and the control plane: older in all.
 * Streams are not in the registry; their layer is taken to be the older.
 */

export const validationLayers = {
  PutItem: 'newer',
  GetItem: 'newer',
  UpdateItem: 'newer',
  DeleteItem: 'newer',
  Query: 'newer',
  BatchGetItem: 'newer',
  Scan: 'older',
  BatchWriteItem: 'older',
  TransactGetItems: 'older',
  TransactWriteItems: 'older',
  ExecuteStatement: 'older',
  BatchExecuteStatement: 'older',
  ExecuteTransaction: 'older',
  CreateTable: 'older',
  UpdateTable: 'older',
  DeleteTable: 'older',
  DescribeTable: 'older',
  ListTables: 'older',
  DescribeLimits: 'older',
  DescribeEndpoints: 'older',
  UpdateTimeToLive: 'older',
  DescribeTimeToLive: 'older',
  EnableKinesisStreamingDestination: 'older',
  DisableKinesisStreamingDestination: 'older',
  DescribeKinesisStreamingDestination: 'older',
  UpdateKinesisStreamingDestination: 'older',
  TagResource: 'older',
  UntagResource: 'older',
  ListTagsOfResource: 'older',
  ListStreams: 'older',
  DescribeStream: 'older',
  GetShardIterator: 'older',
  GetRecords: 'older',
} as const satisfies Record<string, ValidationLayer>;

export type OperationName = keyof typeof validationLayers;

/**
 * How the newer layer answers a wrong enum value. PutItem and DeleteItem list every one of them; UpdateItem stops at
 * the first that the layer itself converts (`ReturnValues`, `ConditionalOperator`); Query says it without the
 * envelope (captures of 20 September 2026, probes `o_put_three_bad_enums`, `o_del_two_bad_enums`,
 * `o_upd_two_bad_enums`).
 */
export type EnumManner = 'all' | 'first' | 'first-bare';

export function enumManner(operation: OperationName): EnumManner {
  if (operation === 'UpdateItem') return 'first';
  if (operation === 'Query') return 'first-bare';
  return 'all';
}

const envelope = '1 validation error detected: ';

/**
 * The text of an operation's own request check (an expression's syntax, an empty set, mixed parameters, …), which
 * the newer layer puts in an envelope for writes. What is checked against the table, item sizes, keys and empty or
 * multi-typed AttributeValues never is. Query's rules about `Select` are enveloped too, but its other checks are
 * not, so Query calls `inEnvelope` itself.
 */
export function requestCheckText(operation: OperationName, text: string): string {
  switch (operation) {
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
      return inEnvelope(text);
    default:
      return text;
  }
}

export function inEnvelope(text: string): string {
  return envelope + text;
}
