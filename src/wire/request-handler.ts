import { DynamoError, internalServerError, serializationError } from '../model/errors.ts';
import { StoredList } from '../model/stored/stored-list.ts';
import type { Authenticate, Identity } from './authenticate.ts';
import {
  type Answer,
  type Caller,
  Dispatch,
  emptyBody,
  type JsonPiece,
  type MaybePromise,
  type Observer,
  RawJson,
  type Service,
} from './dispatch.ts';
import { errorBody } from './error-body.ts';
import type { HeaderFields } from './header-fields.ts';
import { JsonBodies, unparsable } from './json-body.ts';
import { newRequestId, type RandomSource } from './request-id.ts';
import { pathOf, type WireRequest } from './wire-request.ts';

/** An answer on its way to any client; HTTP adds checksum, length and perhaps compression. */
export interface Reply {
  readonly status: number;
  readonly requestId: string;
  readonly contentType: string | undefined;
  readonly body: ReplyBody;
  /** Further names and values, alternating. */
  readonly headers: readonly string[];
}

/** Text, bytes of UTF-8, or several pieces that make one body. */
export type ReplyBody = string | Uint8Array | readonly JsonPiece[];

/** `what` names the request that failed. */
export type LogFailure = (what: string, error: unknown) => void;

export interface RequestHandlerOptions {
  readonly services: readonly Service[];
  readonly authenticate: Authenticate;
  readonly random: RandomSource;
  /** Named in the text of the health check. */
  readonly region: string;
  /** Takes lines for the person who runs this. */
  readonly log: (line: string) => void;
  /** Listens to requests that are refused before an operation has them. */
  readonly observer?: Observer | undefined;
  /** Takes each request that failed by no fault of the client; by default it is logged with its stack. */
  readonly logFailure?: LogFailure;
}

const plainJson = 'application/json';
const noHeaders: readonly string[] = [];
/** The headers that pages may read are those that the service names (a page's record of March 2020). */
const anyOrigin: readonly string[] = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date',
];

const missingTarget = /^\w{1,80}\.\w{1,80}$/;
const missingToldMax = 100;

/**
 * From a request to its reply, for HTTP and embedded callers alike. What is checked before the operation runs,
 * and in which order, follows the service: CORS and health, method and content type, JSON, target, signature,
 * empty body. Anything thrown on the way is our own fault: logged with its stack and answered with a 500.
 */
export class RequestHandler {
  readonly #dispatch: Dispatch;
  readonly #options: RequestHandlerOptions;
  readonly #health: string;
  readonly #bodies = new JsonBodies();
  readonly #missingTold = new Set<string>();

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
    this.#dispatch = new Dispatch(options.services);
    // The blank at the end is the service's.
    this.#health = `healthy: dynamodb.${options.region}.amazonaws.com `;
  }

  newRequestId(): string {
    return newRequestId(this.#options.random);
  }

  logFailure(what: string, error: unknown): void {
    const { log, logFailure } = this.#options;
    if (logFailure === undefined) log(`${what}: ${stackOf(error)}`);
    else logFailure(what, error);
  }

  handle(request: WireRequest): MaybePromise<Reply> {
    const requestId = this.newRequestId();
    const headers = request.headers.origin === undefined ? noHeaders : anyOrigin;
    if (request.method === 'POST') return this.#post(request, requestId, headers);
    if (request.method === 'OPTIONS' && request.headers.origin !== undefined) {
      return preflight(request.headers, requestId);
    }
    if (request.method === 'GET' && pathOf(request.url) === '/') {
      return { status: 200, requestId, contentType: undefined, body: this.#health, headers };
    }
    return notFound(requestId, headers);
  }

  #post(request: WireRequest, requestId: string, headers: readonly string[]): MaybePromise<Reply> {
    const target = request.headers.amzTarget;
    const route = this.#dispatch.route(target);
    const service = route?.service ?? this.#dispatch.serviceOf(target);
    const contentType = mediaType(request.headers.contentType, service);
    const hasBody = request.body.length > 0;
    if (hasBody && contentType !== service.contentType && contentType !== plainJson) {
      return notFound(requestId, headers);
    }
    const replyType = contentType === service.contentType ? contentType : plainJson;
    const input = hasBody ? this.#bodies.parse(request.body) : undefined;
    const refuse = (error: DynamoError) => {
      this.#options.observer?.refused?.({ target, requestId, error });
      return errorReply(error, requestId, replyType, headers);
    };
    if (input === unparsable) return refuse(serializationError());
    if (route === undefined) {
      this.#tellMissing(target);
      return refuse(new DynamoError('UnknownOperationException'));
    }
    const identity = this.#options.authenticate(request, service.signingName);
    if (identity instanceof DynamoError) return refuse(identity);
    // An empty body is unparsable, but only now is that found. JSON that is no object is treated alike, for want
    // of an observation; operations may rely on being given an object.
    if (typeof input !== 'object' || input === null || Array.isArray(input)) {
      return refuse(serializationError());
    }
    try {
      const answer = route.handler(input, new SignedCaller(identity, requestId, request.headers));
      if (!(answer instanceof Promise)) return answerReply(answer, requestId, replyType, headers);
      return answer
        .then((later) => answerReply(later, requestId, replyType, headers))
        .catch((error: unknown) => this.#failed(route.operation, error, requestId, replyType, headers));
    } catch (error) {
      return this.#failed(route.operation, error, requestId, replyType, headers);
    }
  }

  /** Clients show no more than "UnknownError"; who runs this can be told more, once for each operation. */
  #tellMissing(target: string | undefined): void {
    if (target === undefined || !missingTarget.test(target) || this.#missingTold.has(target)) return;
    if (this.#missingTold.size >= missingToldMax) return;
    this.#missingTold.add(target);
    this.#options.log(`${target} was asked for, which this version of Stator does not have.`);
  }

  #failed(
    operation: string,
    error: unknown,
    requestId: string,
    contentType: string,
    headers: readonly string[],
  ): Reply {
    this.logFailure(`${operation} failed, request ${requestId}`, error);
    return errorReply(internalServerError(), requestId, contentType, headers);
  }
}

class SignedCaller implements Caller {
  readonly accountId: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly requestId: string;
  readonly #headers: HeaderFields;

  constructor(identity: Identity, requestId: string, headers: HeaderFields) {
    this.accountId = identity.accountId;
    this.region = identity.region;
    this.accessKeyId = identity.accessKeyId;
    this.requestId = requestId;
    this.#headers = headers;
  }

  header(name: string): string | undefined {
    return this.#headers.first(name);
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Parameters after a semicolon and blanks around the type do not count; most send neither. */
function mediaType(contentType: string | undefined, service: Service): string {
  if (contentType === undefined || contentType === service.contentType) return contentType ?? '';
  const semicolon = contentType.indexOf(';');
  return (semicolon === -1 ? contentType : contentType.slice(0, semicolon)).trim();
}

function answerReply(
  answer: Answer,
  requestId: string,
  contentType: string,
  headers: readonly string[],
): Reply {
  if (answer instanceof DynamoError) return errorReply(answer, requestId, contentType, headers);
  return { status: 200, requestId, contentType, body: bodyOf(answer), headers };
}

export function errorReply(
  error: DynamoError,
  requestId: string,
  contentType: string,
  headers: readonly string[],
): Reply {
  const { status, body } = errorBody(error);
  return { status, requestId, contentType, body, headers };
}

function bodyOf(answer: Exclude<Answer, DynamoError>): ReplyBody {
  if (answer === emptyBody) return '';
  if (!(answer instanceof RawJson)) return JSON.stringify(answer);
  const { chunks } = answer;
  const [first] = chunks;
  return chunks.length === 1 && !(first instanceof StoredList) ? first! : chunks;
}

/** For a request that is refused for where it comes from. SDKs show the message of an error in this form. */
export function refusalReply(why: string, requestId: string): Reply {
  const { body } = errorBody(new DynamoError('AccessDeniedException', why));
  return { status: 403, requestId, contentType: plainJson, body, headers: noHeaders };
}

/** Not POST, another path, or a body of a type we do not speak. The service sometimes has an HTML page instead. */
export function notFound(requestId: string, headers: readonly string[] = noHeaders): Reply {
  return { status: 404, requestId, contentType: undefined, body: '<UnknownOperationException/>\n', headers };
}

function preflight(request: HeaderFields, requestId: string): Reply {
  const headers = [...anyOrigin];
  const names = request.first('access-control-request-headers');
  if (names !== undefined) headers.push('Access-Control-Allow-Headers', names);
  const method = request.first('access-control-request-method');
  if (method !== undefined) headers.push('Access-Control-Allow-Methods', method);
  headers.push('Access-Control-Max-Age', '172800');
  return { status: 200, requestId, contentType: undefined, body: '', headers };
}
