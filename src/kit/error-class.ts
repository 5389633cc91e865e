/**
 * What an error of an endpoint means for the same request sent again. Every caller of an endpoint, against Stator and AWS
 * alike, classifies errors here; a retry policy names the classes that it repeats.
 *
 * Names follow the AWS SDK for JavaScript (@smithy/core 3.40, service-error-classification) and DynamoDB's page "Error
 * handling with DynamoDB". Cancellation reasons follow the page of TransactWriteItems.
 */
export type ErrorClass =
  | 'throttled'
  | 'conflict'
  | 'transient'
  | 'unreachable'
  | 'denied'
  | 'content'
  | 'final';

/** Whether a request may be repeated after an error of each class, and why. */
export const errorClasses: Readonly<
  Record<ErrorClass, { readonly repeatable: boolean; readonly why: string }>
> = {
  throttled: { repeatable: true, why: 'Capacity or a rate was short; the service did nothing.' },
  conflict: { repeatable: true, why: 'Another transaction held an item; the service did nothing.' },
  transient: {
    repeatable: true,
    why: 'The service failed. It may have done the request: a write needs a condition or a token to be safe.',
  },
  unreachable: {
    repeatable: true,
    why: 'No answer came. The service may have done the request: a write needs a condition or a token to be safe.',
  },
  denied: { repeatable: false, why: 'The credentials or the permissions are wrong, and stay so.' },
  content: { repeatable: false, why: 'The request itself is wrong; a smaller part of it may be taken.' },
  final: { repeatable: false, why: 'The same request gets the same answer.' },
};

const throttles = [
  'BandwidthLimitExceeded',
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
];
// The token of the first request is still at work.
const conflicts = ['TransactionConflictException', 'TransactionInProgressException'];
const transients = ['InternalServerError', 'InternalServerErrorException', 'ServiceUnavailable'];
const unreachables = [
  ...['Unreachable', 'TimeoutError', 'NetworkingError', 'RequestTimeout', 'RequestTimeoutException'],
  ...['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND'],
  'EAI_AGAIN',
];
const denials = [
  ...['AccessDenied', 'AccessDeniedException', 'ExpiredToken', 'ExpiredTokenException'],
  ...['IncompleteSignature', 'IncompleteSignatureException', 'InvalidSignatureException', 'NotAuthorized'],
  ...['MissingAuthenticationToken', 'MissingAuthenticationTokenException', 'SignatureDoesNotMatch'],
  ...['UnrecognizedClientException', 'InvalidClientTokenId'],
];
const contents = [
  'ValidationException',
  'SerializationException',
  'ItemCollectionSizeLimitExceededException',
  'RequestTooLarge',
];

const byName: ReadonlyMap<string, ErrorClass> = new Map([
  ...throttles.map((name) => [name, 'throttled'] as const),
  ...conflicts.map((name) => [name, 'conflict'] as const),
  ...transients.map((name) => [name, 'transient'] as const),
  ...unreachables.map((name) => [name, 'unreachable'] as const),
  ...denials.map((name) => [name, 'denied'] as const),
  ...contents.map((name) => [name, 'content'] as const),
]);

const byReason: ReadonlyMap<string, ErrorClass> = new Map([
  ['TransactionConflict', 'conflict'],
  ['ThrottlingError', 'throttled'],
  ['ProvisionedThroughputExceeded', 'throttled'],
  ['RequestLimitExceeded', 'throttled'],
  ['ValidationError', 'content'],
  ['ItemCollectionSizeLimitExceeded', 'content'],
]);

/** The fields by which the SDK, our own caller and Node's sockets describe an error. */
interface Described {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly status?: number;
  readonly cause?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
}

const causesMax = 10;

export function classOfError(error: unknown, depth = 0): ErrorClass {
  if (typeof error !== 'object' || error === null) return 'final';
  const { name = '', message = '', code = '', cause } = error as Described;
  if (name === 'AbortError') return 'final';
  if (name === 'TransactionCanceledException') return classOfCancellation(cancellationCodes(error));
  const known = byName.get(name) ?? byName.get(code);
  if (known !== undefined) return known;
  const status = statusOf(error);
  if (status === 429) return 'throttled';
  if (status === 413) return 'content';
  // 501: the endpoint does not know the operation.
  if (status >= 500 && status !== 501) return 'transient';
  if (error instanceof TypeError && /fetch|network|load failed|internet/i.test(message)) return 'unreachable';
  return cause === undefined || depth === causesMax ? 'final' : classOfError(cause, depth + 1);
}

/**
 * The class by which a program on an SDK decides. SDKs repeat no cancelled transaction, whatever its reasons, and take
 * one that is still under way for a throttle (documented: SDK sources, @smithy/core 3.40.0, service-error-classification).
 */
export function sdkClassOf(error: unknown): ErrorClass {
  const name = nameOfError(error);
  if (name === 'TransactionCanceledException') return 'final';
  return name === 'TransactionInProgressException' ? 'throttled' : classOfError(error);
}

/** The class of a reason for which an action of a transaction was refused; undefined if that action was fine. */
export function classOfReason(code: string | undefined): ErrorClass | undefined {
  if (code === undefined || code === 'None') return undefined;
  return byReason.get(code) ?? 'final';
}

/** A transaction may be repeated if every refused action may be; a failed condition would fail again. */
function classOfCancellation(codes: readonly string[]): ErrorClass {
  const classes = codes.flatMap((code) => classOfReason(code) ?? []);
  if (classes.length === 0) return 'final';
  const lasting = classes.find((each) => !errorClasses[each].repeatable);
  if (lasting !== undefined) return lasting;
  return classes.includes('throttled') ? 'throttled' : 'conflict';
}

/** The reasons of a cancelled transaction, one for each action; `None` for an action that was fine. */
export function cancellationCodes(error: unknown): readonly string[] {
  const { CancellationReasons: reasons, message = '' } = error as Described;
  if (reasons !== undefined) return reasons.map(({ Code }) => Code ?? 'None');
  // Some clients drop the reasons, but the text names them.
  const listed = /\[([^\]]*)\]/.exec(message);
  return listed === null ? [] : listed[1]!.split(',').map((one) => one.trim());
}

function statusOf(error: object): number {
  const { status, $metadata } = error as Described;
  return status ?? $metadata?.httpStatusCode ?? 0;
}

/** The name of an exception, without its namespace. */
export function nameOfError(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
