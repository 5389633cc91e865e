import type { DynamoError, WireForm } from '../../model/errors.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import type { Answer, Caller } from '../operation.ts';
import type { StructureShape } from '../shapes/shape.ts';

/**
 * An API on the port: DynamoDB, DynamoDB Streams, CloudWatch, Application Auto Scaling. All are dispatched, authenticated
 * and answered alike; what differs is their protocols and the forms of their errors.
 */
export interface Service {
  /** The text before the dot in X-Amz-Target, such as `DynamoDB_20120810`, and the service in the path of RPC v2. */
  readonly targetPrefix: string;
  /** The service name that the credential scope of a request must contain. */
  readonly signingName: string;
  readonly apiVersion: string;
  readonly protocols: readonly ProtocolName[];
  readonly errors: ServiceErrors;
  readonly operations: ReadonlyMap<string, ServiceOperation>;
}

/** `dynamodb` is JSON 1.0 with DynamoDB's own order of checks. */
export type ProtocolName = 'dynamodb' | 'cbor' | 'json-1.0' | 'json-1.1' | 'query';

/** One operation of a service. Its handler has asked the caller's authorizer before it answers. */
export interface ServiceOperation {
  readonly name: string;
  /** The shapes, for protocols other than JSON. */
  readonly input?: StructureShape | undefined;
  /** The answer; undefined for operations that answer nothing. */
  readonly output?: StructureShape | undefined;
  /** The largest body that the operation takes, if it takes less than the service. */
  readonly bodyBytesMax?: number | undefined;
  /**
   * Handles a request. The members of `input` are unchecked, and members that are `null` are still in it: the layer that
   * knows the shapes drops them, because it visits every member anyway.
   */
  handle(input: unknown, caller: Caller): MaybePromise<Answer>;
}

/** How the errors of a service look on the wire. */
export interface ServiceErrors {
  formOf(error: DynamoError<string>): ErrorForm;
  unknownOperation(name: string | undefined): DynamoError<string>;
  /** A body that cannot be read. */
  readonly malformed: DynamoError<string>;
  /** A body that is longer than its operation takes. */
  tooLarge(bytes: number, bytesMax: number): DynamoError<string>;
  /** A request that failed through no fault of the client. */
  readonly internal: DynamoError<string>;
  readonly xmlNamespace: string;
}

export interface ErrorForm extends WireForm {
  /** What the query protocol calls the error. */
  readonly code: string;
  /** Whether the caller is to blame. */
  readonly isSender: boolean;
}

/** The errors of a service by name, as far as they differ from a plain error of the sender with status 400. */
export type ErrorForms = Readonly<Record<string, Partial<Pick<ErrorForm, 'code' | 'status' | 'isSender'>>>>;

/**
 * Errors that all services beside DynamoDB share. The query protocol has codes of its own for what is wrong with a
 * signature, and answers 403; so does its AccessDenied.
 */
export const sharedErrors: ErrorForms = {
  MissingAuthenticationTokenException: { code: 'MissingAuthenticationToken', status: 403 },
  IncompleteSignatureException: { code: 'IncompleteSignature', status: 400 },
  InvalidSignatureException: { code: 'SignatureDoesNotMatch', status: 403 },
  UnrecognizedClientException: { code: 'InvalidClientTokenId', status: 403 },
  AccessDeniedException: { code: 'AccessDenied', status: 403 },
  UnknownOperationException: { code: 'InvalidAction' },
  SerializationException: { code: 'MalformedInput' },
  RequestEntityTooLarge: { status: 413 },
  InternalServiceFault: { code: 'InternalServiceError', status: 500, isSender: false },
};
