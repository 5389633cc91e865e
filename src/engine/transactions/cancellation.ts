import { DynamoError, type ErrorName } from '../../model/errors.ts';

/** The reason why one action of a transaction failed. The code is `None` for an action that did not fail. */
export interface CancellationReason {
  readonly Code: string;
  readonly Item?: unknown;
  readonly Message?: string;
}

/** The reason codes of the errors that can cancel a transaction. */
const codes: Partial<Readonly<Record<ErrorName, string>>> = {
  AccessDeniedException: 'AccessDenied',
  ConditionalCheckFailedException: 'ConditionalCheckFailed',
  DuplicateItemException: 'DuplicateItem',
  ItemCollectionSizeLimitExceededException: 'ItemCollectionSizeLimitExceeded',
  ProvisionedThroughputExceededException: 'ProvisionedThroughputExceeded',
  ThrottlingException: 'ThrottlingError',
  TransactionConflictException: 'TransactionConflict',
  ValidationException: 'ValidationError',
};

/**
 * Whether an error of one action cancels the transaction with a reason. Otherwise it is the error of the whole request.
 */
export function canBeReason({ name }: DynamoError): boolean {
  return codes[name] !== undefined;
}

/**
 * The error of a transaction with at least one failed action. It has one reason for each action, in order.
 *
 * The service validates all actions before it evaluates any condition, and stops at the first invalid one. So beside a
 * `ValidationError` all other reasons are `None`, whatever is wrong with the actions. Without one, every failed action
 * has its reason (observed: public captures, 2026).
 */
export function transactionCancelled(failures: readonly (DynamoError | undefined)[]): DynamoError {
  const invalid = failures.find((failure) => failure?.name === 'ValidationException');
  const firstInvalid = failures.indexOf(invalid);
  const reasons = failures.map((failure, i): CancellationReason => {
    const isReported = failure !== undefined && (invalid === undefined || i === firstInvalid);
    return isReported ? reasonOf(failure) : { Code: 'None' };
  });
  return new DynamoError(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons.map(({ Code }) => Code).join(', ')}]`,
    { CancellationReasons: reasons },
  );
}

function reasonOf({ name, message, fields }: DynamoError): CancellationReason {
  const code = codes[name];
  if (code === undefined) throw new Error(`${name} is no reason for which a transaction is cancelled`);
  const item = fields?.Item;
  return {
    Code: code,
    ...(item !== undefined && { Item: item }),
    ...(message !== undefined && { Message: message }),
  };
}

export function transactionConflict(): DynamoError {
  return new DynamoError('TransactionConflictException', 'Transaction is ongoing for the item');
}

/** The text of the error (observed: user reports, aws-sdk-java-v2 issue 2518, 2021, and others since). */
export function transactionInProgress(): DynamoError {
  return new DynamoError(
    'TransactionInProgressException',
    'Transaction from previous request is still in progress',
  );
}
