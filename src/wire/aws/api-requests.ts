import { pathOf } from '../../kit/request-url.ts';
import { DynamoError } from '../../model/errors.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import { ApiError } from '../../operations/api/api-error.ts';
import type { ApiService, BoundOperation } from '../../operations/api/api-operation.ts';
import type { Caller } from '../../operations/operation.ts';
import type { Authenticate, Identity } from '../authenticate.ts';
import type { Reply } from '../request-handler.ts';
import type { WireHead, WireRequest } from '../wire-request.ts';
import type { WireWork } from '../wire-work.ts';
import {
  cborProtocol,
  formOf,
  jsonProtocol,
  type Protocol,
  queryProtocol,
  unreadable,
} from './api-protocols.ts';
import { notAForm, type QueryForm } from './query-input.ts';

export interface ApiRequestDeps {
  readonly services: readonly ApiService[];
  readonly authenticate: Authenticate;
  readonly parseJson: (body: Uint8Array | string) => unknown;
  readonly callerOf: (identity: Identity, requestId: string, request: WireRequest) => Caller;
  readonly refused: (request: WireHead, requestId: string, status: number, name: string) => void;
  readonly failed: (operation: string, requestId: string, error: unknown) => void;
  readonly work: WireWork;
}

/** A request that was found to be for one of the services, from its head alone. */
interface Found {
  readonly service: ApiService;
  readonly speech: 'cbor' | 'json' | 'query';
  /** The operation; the query protocol names it in the body. */
  readonly operation: string | undefined;
}

const rpcPath = /^\/service\/(\w{1,100})\/operation\/(\w{1,100})$/;

/**
 * Answers requests to the services beside DynamoDB. They are told apart by the path (RPC v2), the target (JSON), or the
 * form in the body and the service for which it is signed (query).
 */
export class ApiRequests {
  readonly #deps: ApiRequestDeps;
  readonly #services: ReadonlyMap<string, ApiService>;

  constructor(deps: ApiRequestDeps) {
    this.#deps = deps;
    this.#services = new Map(deps.services.map((service) => [service.targetPrefix, service]));
  }

  /** The reply; undefined if the request is for none of the services. */
  answer(
    request: WireRequest,
    requestId: string,
    headers: readonly string[],
  ): MaybePromise<Reply> | undefined {
    const found = this.#find(request);
    if (found === undefined) return undefined;
    const { service, speech } = found;
    let protocol = this.#protocol(found, notAForm);
    const refuse = (error: ApiError): Reply => {
      this.#deps.refused(request, requestId, error.status, error.name);
      return errorReply(protocol, error, requestId, headers);
    };
    const isKnown = speech === 'query' || service.operations.has(found.operation ?? '');
    if (!isKnown) return refuse(unknownOperation(found.operation, service));
    const identity = request.sender ?? this.#deps.authenticate(request, service.signingName);
    if (identity instanceof DynamoError) return refuse(authenticationError(identity));
    // A form is read only after the signature of its bytes.
    const form = speech === 'query' ? formOf(request.body, this.#deps.work) : notAForm;
    protocol = this.#protocol(found, form);
    const name = form === notAForm ? found.operation : form.action;
    const operation = service.operations.get(name ?? '');
    if (operation === undefined) return refuse(unknownOperation(name, service));
    const input = protocol.read(operation, request.body);
    if (input === unreadable) return refuse(malformed);
    const caller = this.#deps.callerOf(identity, requestId, request);
    const failed = (error: unknown): Reply => {
      this.#deps.failed(operation.name, requestId, error);
      return errorReply(protocol, internalError, requestId, headers);
    };
    try {
      const answered = whenDone(operation.handle(input, caller), (answer) =>
        reply(operation, protocol, answer, requestId, headers),
      );
      return answered instanceof Promise ? answered.catch(failed) : answered;
    } catch (error) {
      return failed(error);
    }
  }

  /**
   * Lets `check` see to the signature of a request before its body is read. Returns undefined if the request is for none
   * of the services.
   */
  gate<Checked>(
    head: WireHead,
    requestId: string,
    headers: readonly string[],
    check: (signingName: string) => Checked | DynamoError,
  ): { readonly result: Checked | Reply } | undefined {
    const found = this.#find(head);
    if (found === undefined) return undefined;
    const { service, speech, operation } = found;
    const refuse = (error: ApiError) => {
      this.#deps.refused(head, requestId, error.status, error.name);
      return { result: errorReply(this.#protocol(found, notAForm), error, requestId, headers) };
    };
    if (speech !== 'query' && !service.operations.has(operation ?? ''))
      return refuse(unknownOperation(operation, service));
    const result = check(service.signingName);
    return result instanceof DynamoError ? refuse(authenticationError(result)) : { result };
  }

  #find(request: WireHead): Found | undefined {
    const { amzTarget, contentType = '', authorization } = request.headers;
    const path = pathOf(request.url);
    const rpc = path === '/' ? null : rpcPath.exec(path);
    if (rpc !== null) {
      const service = this.#services.get(rpc[1]!);
      if (service === undefined || !service.protocols.includes('cbor')) return undefined;
      return { service, speech: 'cbor', operation: rpc[2] };
    }
    if (amzTarget !== undefined) {
      const dot = amzTarget.indexOf('.');
      const service = this.#services.get(dot === -1 ? amzTarget : amzTarget.slice(0, dot));
      if (service === undefined) return undefined;
      return { service, speech: 'json', operation: dot === -1 ? undefined : amzTarget.slice(dot + 1) };
    }
    if (!contentType.trim().toLowerCase().startsWith('application/x-www-form-urlencoded')) return undefined;
    const signedFor = signedServiceOf(authorization ?? '');
    const service = this.#deps.services.find(
      ({ signingName, protocols }) => signingName === signedFor && protocols.includes('query'),
    );
    return service && { service, speech: 'query', operation: undefined };
  }

  #protocol({ service, speech }: Found, form: QueryForm | typeof notAForm): Protocol {
    switch (speech) {
      case 'cbor':
        return cborProtocol(service, this.#deps.work);
      case 'query':
        return queryProtocol(service, form);
      case 'json': {
        const isNew = service.protocols.includes('json-1.0');
        const ownType = isNew ? 'application/x-amz-json-1.0' : 'application/x-amz-json-1.1';
        return jsonProtocol(service, ownType, this.#deps.parseJson);
      }
    }
  }
}

/** The service in the credential scope `keyid/date/region/service/aws4_request` of an Authorization header. */
function signedServiceOf(authorization: string): string | undefined {
  const [, after = ''] = authorization.split('Credential=', 2);
  const [credential = ''] = after.split(/[,\s]/, 1);
  const scope = credential.split('/', 6);
  return scope[4] === 'aws4_request' ? scope[3] : undefined;
}

function reply(
  operation: BoundOperation,
  protocol: Protocol,
  answer: object | ApiError,
  requestId: string,
  headers: readonly string[],
): Reply {
  if (answer instanceof ApiError) return errorReply(protocol, answer, requestId, headers);
  const body = protocol.answer(operation, answer, requestId);
  return {
    status: 200,
    requestId,
    contentType: protocol.contentType,
    body,
    headers: [...headers, ...protocol.headers(undefined)],
  };
}

function errorReply(
  protocol: Protocol,
  error: ApiError,
  requestId: string,
  headers: readonly string[],
): Reply {
  return {
    status: error.status,
    requestId,
    contentType: protocol.contentType,
    body: protocol.error(error, requestId),
    headers: [...headers, ...protocol.headers(error)],
  };
}

function unknownOperation(name: string | undefined, { apiVersion }: ApiService): ApiError {
  const shown = name === undefined ? 'null' : /^\w{1,80}$/.test(name) ? name : 'that';
  return new ApiError(
    'UnknownOperationException',
    `Could not find operation ${shown} for version ${apiVersion}`,
    { code: 'InvalidAction' },
  );
}

const malformed = new ApiError('SerializationException', 'The body of the request cannot be read', {
  code: 'MalformedInput',
});

const internalError = new ApiError('InternalServiceFault', 'Internal service error', {
  code: 'InternalServiceError',
  status: 500,
  isSender: false,
});

/** The query protocol has names of its own for what is wrong with a signature, and answers 403. */
const signatureCodes: Readonly<Record<string, { readonly code: string; readonly status: number }>> = {
  MissingAuthenticationTokenException: { code: 'MissingAuthenticationToken', status: 403 },
  IncompleteSignatureException: { code: 'IncompleteSignature', status: 400 },
  InvalidSignatureException: { code: 'SignatureDoesNotMatch', status: 403 },
  UnrecognizedClientException: { code: 'InvalidClientTokenId', status: 403 },
  AccessDeniedException: { code: 'AccessDenied', status: 403 },
};

function authenticationError({ name, message }: DynamoError): ApiError {
  return new ApiError(name, message ?? name, signatureCodes[name] ?? {});
}
