/**
 * An error of any API on the port, as data. `Name` are the errors of the service; without it they are DynamoDB's, after
 * which the class is called. A check returns an error instead of throwing it, and the operation decides what to do
 * with it: TransactWriteItems turns several errors into cancellation reasons, a batch turns each into an entry. A
 * DynamoError is not an `Error` and captures no stack. A thrown `Error` therefore always means a bug or trouble.
 */
export class DynamoError<Name extends string = ErrorName> {
  readonly name: Name;
  readonly message: string | undefined;
  /** The members beside the message on the wire: `Item`, `CancellationReasons`, `ThrottlingReasons`, … */
  readonly fields: Readonly<Record<string, unknown>> | undefined;

  constructor(name: Name, message?: string, fields?: Readonly<Record<string, unknown>>) {
    this.name = name;
    this.message = message;
    this.fields = fields;
  }
}

export interface WireForm {
  /** The text before `#Name` in `__type`. */
  readonly prefix: string;
  readonly status: number;
  /** The member with the text. DynamoDB spells it in two ways. */
  readonly messageMember: 'message' | 'Message';
}

const modelled: WireForm = {
  prefix: 'com.amazonaws.dynamodb.v20120810',
  status: 400,
  messageMember: 'message',
};
const modelledUpper: WireForm = { ...modelled, messageMember: 'Message' };
const coralService: WireForm = {
  prefix: 'com.amazon.coral.service',
  status: 400,
  messageMember: 'message',
};
const coralServiceUpper: WireForm = { ...coralService, messageMember: 'Message' };

/**
 * Every error that Stator answers, with its form on the wire (documented: service model; observed: public captures, the
 * errors that the model does not have).
 */
export const wireForms = {
  BackupInUseException: modelled,
  BackupNotFoundException: modelled,
  ConditionalCheckFailedException: modelled,
  ContinuousBackupsUnavailableException: modelled,
  DuplicateItemException: modelled,
  ExpiredIteratorException: modelled,
  ExportConflictException: modelled,
  ExportNotFoundException: modelled,
  ImportConflictException: modelled,
  ImportNotFoundException: modelled,
  IdempotentParameterMismatchException: modelledUpper,
  IndexNotFoundException: modelled,
  InternalServerError: { ...modelled, status: 500 },
  InvalidExportTimeException: modelled,
  InvalidRestoreTimeException: modelled,
  ItemCollectionSizeLimitExceededException: modelled,
  LimitExceededException: modelled,
  PointInTimeRecoveryUnavailableException: modelled,
  ProvisionedThroughputExceededException: modelled,
  RequestLimitExceeded: modelled,
  ResourceInUseException: modelled,
  ResourceNotFoundException: modelled,
  TableAlreadyExistsException: modelled,
  TableInUseException: modelled,
  TableNotFoundException: modelled,
  TransactionCanceledException: modelledUpper,
  TransactionConflictException: modelled,
  TransactionInProgressException: modelledUpper,
  TrimmedDataAccessException: modelled,
  ValidationException: { prefix: 'com.amazon.coral.validate', status: 400, messageMember: 'message' },
  ThrottlingException: { prefix: 'com.amazon.coral.availability', status: 400, messageMember: 'message' },
  AccessDeniedException: coralServiceUpper,
  ExpiredTokenException: coralService,
  IncompleteSignatureException: coralService,
  InternalFailure: { ...coralService, status: 500 },
  InvalidSignatureException: coralService,
  MissingAuthenticationTokenException: coralService,
  SerializationException: coralServiceUpper,
  UnknownOperationException: coralService,
  UnrecognizedClientException: coralService,
} as const satisfies Record<string, WireForm>;

export type ErrorName = keyof typeof wireForms;

/** A failed condition that shows its item spells the member with the text in the other way. */
export function wireFormOf({ name, fields }: DynamoError): WireForm {
  return name === 'ConditionalCheckFailedException' && fields?.Item !== undefined
    ? modelledUpper
    : wireForms[name];
}

export function validationError(message: string): DynamoError {
  return new DynamoError('ValidationException', message);
}

/** Adds the prefix that the service puts before many of its texts. */
export function invalidParameter(detail: string): DynamoError {
  return validationError(`One or more parameter values were invalid: ${detail}`);
}

export function serializationError(message?: string): DynamoError {
  return new DynamoError('SerializationException', message);
}

export function conditionalCheckFailed(item?: unknown): DynamoError {
  return new DynamoError(
    'ConditionalCheckFailedException',
    'The conditional request failed',
    item === undefined ? undefined : { Item: item },
  );
}

/** The error for a missing table. The control plane names the table; the data plane does not. */
export function tableNotFound(tableName?: string): DynamoError {
  const detail = tableName === undefined ? '' : `: Table: ${tableName} not found`;
  return new DynamoError('ResourceNotFoundException', `Requested resource not found${detail}`);
}

export function resourceInUse(message: string): DynamoError {
  return new DynamoError('ResourceInUseException', message);
}

export function limitExceeded(message: string): DynamoError {
  return new DynamoError('LimitExceededException', message);
}

export function internalServerError(): DynamoError {
  return new DynamoError('InternalServerError', 'Internal server error');
}
