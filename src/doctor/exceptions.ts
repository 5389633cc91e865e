/** An exception of DynamoDB in a sentence each, as people look it up. */
export interface ExceptionAdvice {
  readonly meaning: string;
  /** Whether the same request may succeed later. */
  readonly retry: string;
  readonly cause: string;
  readonly firstFix: string;
}

/** The reference behind `refused-requests` and docs/runbooks/exceptions.md, whose table a test holds to this one. */
export const exceptions: Readonly<Record<string, ExceptionAdvice>> = {
  ProvisionedThroughputExceededException: {
    meaning: 'more units were asked for than are provisioned or left of the burst',
    retry: 'yes; the SDK waits and tries again',
    cause: 'a hot key, a table or an index with too few units',
    firstFix: 'shard the key if it is one key, else raise the units or switch to on-demand',
  },
  ThrottlingException: {
    meaning: 'on demand: more than the table is warmed for, or too many changes of tables at once',
    retry: 'yes, with jitter',
    cause: 'a peak beyond twice the highest load so far, or a hot key',
    firstFix: 'warm the table before the peak, ramp up over minutes, shard a hot key',
  },
  RequestLimitExceeded: {
    meaning: "the account's quota for throughput is used up",
    retry: 'yes, with jitter',
    cause: 'all tables of the Region together, or one beyond the quota of a table',
    firstFix: 'ask AWS for a higher quota',
  },
  ConditionalCheckFailedException: {
    meaning: 'the condition did not hold; nothing was written',
    retry: 'not the same request: read again first',
    cause: 'another writer moved the version, or the item exists already',
    firstFix: 'read, apply the change again, send the new version, with jitter',
  },
  TransactionCanceledException: {
    meaning: 'the whole transaction was dropped',
    retry: 'if CancellationReasons have TransactionConflict or a throttle; not after ConditionalCheckFailed',
    cause: 'a condition of one action, or another request on one of its items',
    firstFix: 'read CancellationReasons, put fewer items into a transaction',
  },
  TransactionConflictException: {
    meaning: 'a transaction was at work on the same item',
    retry: 'yes, with jitter',
    cause: 'an item that many transactions meet on',
    firstFix: 'split the item into shards, or write it outside of transactions',
  },
  TransactionInProgressException: {
    meaning: 'the transaction with this token is still at work',
    retry: 'yes, after a moment, with the same token',
    cause: 'a client that timed out and sent it again',
    firstFix: 'wait longer before the second try',
  },
  IdempotentParameterMismatchException: {
    meaning: 'a token was used before, with other actions',
    retry: 'no',
    cause: 'one token for two transactions',
    firstFix: 'make a token for each transaction, and keep it for its retries only',
  },
  ValidationException: {
    meaning: 'the request is wrong: an item over 400 KB, a key of the wrong type or none, an expression',
    retry: 'no',
    cause: 'an attribute that grew, a number sent as text, an empty index key',
    firstFix: 'read the message; it names the attribute or the expression',
  },
  ItemCollectionSizeLimitExceededException: {
    meaning: 'a table with local indexes holds at most 10 GB under one partition key',
    retry: 'no, until something is deleted',
    cause: 'too much under one key',
    firstFix: 'split the key, and use global indexes in place of local ones',
  },
  ResourceInUseException: {
    meaning: 'the table or index is being changed',
    retry: 'yes, once it is ACTIVE',
    cause: 'two changes at once, such as two new indexes',
    firstFix: 'make one change after the other',
  },
  ResourceNotFoundException: {
    meaning: 'there is no such table or index here, or it is not ACTIVE yet',
    retry: 'only if it was just created',
    cause: 'another Region, account or stage than meant; a name with a typo',
    firstFix: 'list the tables with the same credentials and Region',
  },
  LimitExceededException: {
    meaning: 'a limit of the account or table: 20 global indexes, 50 changes of tables at once',
    retry: 'only for changes at once',
    cause: 'too many indexes, or too many changes',
    firstFix: 'overload indexes; make changes one by one; ask for a higher quota',
  },
  AccessDeniedException: {
    meaning: 'the caller may not do this',
    retry: 'no',
    cause: 'a policy that lacks the action, or its LeadingKeys deny the key',
    firstFix: 'allow the action on the ARN of the table and of its indexes',
  },
  InternalServerError: {
    meaning: 'the service failed',
    retry: 'yes; a write may have happened',
    cause: 'a fault of the service',
    firstFix: 'retry with jitter, and make writes safe to repeat',
  },
};
