import { DynamoError, type ErrorName } from '../model/errors.ts';

/** What a request wants of a table or index. The values index arrays. */
const accessKinds = ['read', 'write'] as const;
export type AccessKind = (typeof accessKinds)[number];

/** What was exceeded (documented: Developer Guide, throttling-diagnosing-workflow, since August 2025). */
export type ThrottlingCause =
  | 'ProvisionedThroughputExceeded'
  | 'KeyRangeThroughputExceeded'
  | 'AccountLimitExceeded'
  | 'MaxOnDemandThroughputExceeded';

export type BillingModeName = 'PROVISIONED' | 'PAY_PER_REQUEST';

/** One of the 16 strings: `TableReadProvisionedThroughputExceeded` … `IndexWriteMaxOnDemandThroughputExceeded`. */
export type ThrottlingReasonName = `${'Table' | 'Index'}${'Read' | 'Write'}${ThrottlingCause}`;

export interface ThrottlingReason {
  readonly reason: ThrottlingReasonName;
  /** The ARN of the table or index. */
  readonly resource: string;
}

export type ThrottlingException =
  | 'ProvisionedThroughputExceededException'
  | 'ThrottlingException'
  | 'RequestLimitExceeded';

const messages = {
  table:
    'The level of configured provisioned throughput for the table was exceeded. ' +
    'Consider increasing your provisioning level with the UpdateTable API.',
  index:
    'The level of configured provisioned throughput for one or more global secondary indexes of the table was ' +
    'exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes with ' +
    'the UpdateTable API.',
  keyRange:
    'Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or ' +
    'index so please try again shortly. If exceptions persist, check if you have a hot key: ' +
    'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html',
  indexKeyRange:
    'Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB is automatically ' +
    'scaling your index so please try again shortly.',
  maximum: 'Throughput exceeds the maximum OnDemandThroughput configured on table or index',
  account:
    'Throughput exceeds the current throughput limit for your account. To request a limit increase, contact AWS ' +
    'Support at https://aws.amazon.com/support.',
} as const;

export interface ThrottlingForm {
  readonly exception: ThrottlingException;
  readonly message: string;
}

/**
 * Which exception answers what, with its text (documented: Developer Guide, Programming.Errors, throttling-diagnosing
 * and gsi-throttling; observed: user reports, the texts). Two points are open. The page on errors answers an account
 * limit with RequestLimitExceeded and the page on indexes with ThrottlingException: each is followed for its own
 * subject. The page on indexes does not tell the modes apart when the partition of an index is full: writes get the
 * ThrottlingException that it names, reads of a provisioned index the exception of provisioned tables.
 */
export function throttlingForm(
  cause: ThrottlingCause,
  kind: AccessKind,
  isIndex: boolean,
  mode: BillingModeName,
): ThrottlingForm {
  switch (cause) {
    case 'ProvisionedThroughputExceeded':
      return provisioned(isIndex);
    case 'MaxOnDemandThroughputExceeded':
      return { exception: 'ThrottlingException', message: messages.maximum };
    case 'AccountLimitExceeded':
      return {
        exception: isIndex ? 'ThrottlingException' : 'RequestLimitExceeded',
        message: messages.account,
      };
    case 'KeyRangeThroughputExceeded':
      if (isIndex && kind === 'write')
        return { exception: 'ThrottlingException', message: messages.indexKeyRange };
      if (mode === 'PROVISIONED') return provisioned(isIndex);
      return { exception: 'ThrottlingException', message: messages.keyRange };
  }
}

function provisioned(isIndex: boolean): ThrottlingForm {
  return {
    exception: 'ProvisionedThroughputExceededException',
    message: isIndex ? messages.index : messages.table,
  };
}

export function throttlingReasonName(
  cause: ThrottlingCause,
  kind: AccessKind,
  isIndex: boolean,
): ThrottlingReasonName {
  return `${isIndex ? 'Index' : 'Table'}${kind === 'read' ? 'Read' : 'Write'}${cause}`;
}

/** The member that lists the reasons: the model of the API spells it differently in ThrottlingException. */
const reasonsMember: Readonly<Record<ThrottlingException, string>> = {
  ProvisionedThroughputExceededException: 'ThrottlingReasons',
  RequestLimitExceeded: 'ThrottlingReasons',
  ThrottlingException: 'throttlingReasons',
};

/** The error that a throttled request is answered with. */
export function throttlingError(
  { exception, message }: ThrottlingForm,
  reasons: readonly ThrottlingReason[],
): DynamoError {
  const name: ErrorName = exception;
  return new DynamoError(name, message, { [reasonsMember[exception]]: reasons });
}

/** The CloudWatch metric that counts a throttled event beside `ReadThrottleEvents` or `WriteThrottleEvents`. */
export function throttleMetric(cause: ThrottlingCause, kind: AccessKind): string {
  const middle = cause.replace(/Exceeded$/, '');
  return `${kind === 'read' ? 'Read' : 'Write'}${middle}ThrottleEvents`;
}
