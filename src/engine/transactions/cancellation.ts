import { DynamoError, type ErrorName } from '../../model/errors.ts';

/** Why one action of a transaction could not be done; `None` for those that could. */
export interface CancellationReason {
  readonly Code: string;
  readonly Item?: unknown;
  readonly Message?: string;
}

/** The errors that can stand among the reasons of a transaction, by their codes there. */
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

/** Whether an error of one action cancels the transaction, with a reason, rather than being the error of the whole. */
export function canBeReason({ name }: DynamoError): boolean {
  return codes[name] !== undefined;
}

/**
 * The error of a transaction of which at least one action failed: one entry for each action, in their order.
 *
 * The service validates all actions before it looks at any condition, and stops at the first that is not valid: beside
 * a `ValidationError` all others are `None`, whatever is wrong with them, and without one all that failed are told (both
 * observed in 2026).
 */
export function transactionCancelled(failures: readonly (DynamoError | undefined)[]): DynamoError {
  const invalid = failures.find((failure) => failure?.name === 'ValidationException');
  const firstInvalid = failures.indexOf(invalid);
  const reasons = failures.map((failure, i): CancellationReason => {
    const isTold = failure !== undefined && (invalid === undefined || i === firstInvalid);
    return isTold ? reasonOf(failure) : { Code: 'None' };
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

/** The text as users of the service quote it (aws-sdk-java-v2 issue 2518, 2021, and others since). */
export function transactionInProgress(): DynamoError {
  return new DynamoError(
    'TransactionInProgressException',
    'Transaction from previous request is still in progress',
  );
}
