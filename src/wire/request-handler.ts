import { pathOf } from '../kit/request-url.ts';
import type { Authorize } from '../model/access/authorize.ts';
import { type Principal, principalOf } from '../model/access/principal.ts';
import { DynamoError, internalServerError, serializationError } from '../model/errors.ts';
import { StoredList } from '../model/stored/stored-list.ts';
import type { ApiService } from '../operations/api/api-operation.ts';
import type { ControlEvent } from '../operations/operation.ts';
import type { Authenticate, Identity } from './authenticate.ts';
import { ApiRequests } from './aws/api-requests.ts';
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
import type { SentRequest, WireHead, WireRequest } from './wire-request.ts';
import { WireWork } from './wire-work.ts';

/** An answer for any client. HTTP adds checksum, length and perhaps compression. */
export interface Reply {
  readonly status: number;
  readonly requestId: string;
  readonly contentType: string | undefined;
  readonly body: ReplyBody;
  /** Further headers: names and values, alternating. */
  readonly headers: readonly string[];
}

/** The body: text, UTF-8 bytes, or several pieces. */
export type ReplyBody = string | Uint8Array | readonly JsonPiece[];

/** Logs a failure. `what` names the request. */
export type LogFailure = (what: string, error: unknown) => void;

export interface RequestHandlerOptions {
  readonly services: readonly Service[];
  /** The services beside DynamoDB, such as CloudWatch. */
  readonly apis?: readonly ApiService[];
  readonly authenticate: Authenticate;
  /** Judges what callers want. Undefined permits everything. */
  readonly authorize: Authorize | undefined;
  readonly random: RandomSource;
  /** True if requests come through a socket, and not from this process. */
  readonly isRemote?: boolean;
  /** The Region in the text of the health check. */
  readonly region: string;
  /** Takes log lines for the operator. */
  readonly log: (line: string) => void;
  /** Gets the requests that are refused before an operation sees them. */
  readonly observer?: Observer | undefined;
  /**
   * Takes each request that failed through no fault of the client. By default the failure is logged with its stack.
   */
  readonly logFailure?: LogFailure;
  /** Counts the work that requests cause. */
  readonly work?: WireWork;
}

const plainJson = 'application/json';
const noHeaders: readonly string[] = [];
/** Pages may read the headers that the service names (as a page recorded them in March 2020). */
const anyOrigin: readonly string[] = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date',
];

const targetForm = /^\w{1,80}\.\w{1,80}$/;
const loggedTargetsMax = 100;

/**
 * Turns a request into its reply, for HTTP and for embedded callers. The checks before the operation follow the
 * service's order: CORS and health, method and content type, JSON, target, signature, empty body. An exception on the
 * way is our own fault: it is logged with its stack and answered with a 500.
 */
export class RequestHandler {
  readonly #dispatch: Dispatch;
  readonly #options: RequestHandlerOptions;
  readonly #health: string;
  readonly #work: WireWork;
  readonly #bodies: JsonBodies;
  readonly #loggedTargets = new Set<string>();
  readonly #apis: ApiRequests | undefined;

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
    this.#work = options.work ?? new WireWork();
    this.#bodies = new JsonBodies(this.#work);
    this.#apis = options.apis && this.#newApis(options.apis);
    this.#dispatch = new Dispatch(options.services);
    // The trailing blank is the service's.
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

  /** Tells the observer of a request that no operation gets to see. */
  noteRefusal(
    target: string | undefined,
    requestId: string | undefined,
    status: number,
    reason: string,
    request?: Pick<WireRequest, 'headers' | 'peer'>,
  ): void {
    const { observer } = this.#options;
    if (observer?.refused === undefined) return;
    const claimedKeyId = /Credential=([^/,\s]{1,128})\//.exec(request?.headers.authorization ?? '')?.[1];
    observer.refused({
      target,
      requestId,
      status,
      reason,
      claimedKeyId,
      address: request?.peer?.remoteAddress,
    });
  }

  /** Tells the observer of a request to the control API. */
  noteControl(event: ControlEvent): void {
    this.#options.observer?.control?.(event);
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

  /** Whether signatures are verified, which then comes before anything is made of a body. */
  get verifies(): boolean {
    return this.#options.authenticate.checkHead !== undefined;
  }

  /** Refuses a request before its body has arrived, if its head cannot be that of a signed request. */
  refuseHead(head: WireHead): Reply | undefined {
    const { checkHead } = this.#options.authenticate;
    if (checkHead === undefined || head.method !== 'POST') return undefined;
    return this.#gate(head, (signingName) => checkHead(head, signingName));
  }

  /** Verifies the signature over a body as it was sent. Returns the sender, or the refusal. */
  verify(request: SentRequest): Identity | Reply {
    return this.#gate(request, (signingName) => this.#options.authenticate(request, signingName));
  }

  /** Finds the service that a head is for, lets `check` see to the signature, and answers its errors. */
  #gate<Found>(
    { method, url, headers, peer }: WireHead,
    check: (signingName: string) => Found | DynamoError,
  ): Found | Reply {
    const head = { method, url, headers, peer };
    const added = headers.origin === undefined ? noHeaders : anyOrigin;
    const target = headers.amzTarget;
    const route = this.#dispatch.route(target);
    if (route === undefined) {
      const other = this.#apis?.gate(head, this.newRequestId(), added, check);
      if (other !== undefined) return other.result;
    }
    const service = route?.service ?? this.#dispatch.serviceOf(target);
    const isOwnType = mediaType(headers.contentType, service) === service.contentType;
    const replyType = isOwnType ? service.contentType : plainJson;
    const refuse = (error: DynamoError) => {
      const requestId = this.newRequestId();
      const reply = errorReply(error, requestId, replyType, added);
      this.noteRefusal(target, requestId, reply.status, error.name, head);
      return reply;
    };
    if (route === undefined) {
      this.#logUnknownTarget(target);
      return refuse(new DynamoError('UnknownOperationException'));
    }
    const found = check(service.signingName);
    return found instanceof DynamoError ? refuse(found) : found;
  }

  #post(request: WireRequest, requestId: string, headers: readonly string[]): MaybePromise<Reply> {
    const target = request.headers.amzTarget;
    const route = this.#dispatch.route(target);
    const other = route === undefined ? this.#apis?.answer(request, requestId, headers) : undefined;
    if (other !== undefined) return other;
    const service = route?.service ?? this.#dispatch.serviceOf(target);
    const contentType = mediaType(request.headers.contentType, service);
    const hasBody = request.body.length > 0;
    if (hasBody && contentType !== service.contentType && contentType !== plainJson) {
      this.noteRefusal(target, requestId, 404, 'UnknownOperationException', request);
      return notFound(requestId, headers);
    }
    const replyType = contentType === service.contentType ? contentType : plainJson;
    const input = hasBody ? this.#bodies.parse(request.body) : undefined;
    const refuse = (error: DynamoError) => {
      const reply = errorReply(error, requestId, replyType, headers);
      this.noteRefusal(target, requestId, reply.status, error.name, request);
      return reply;
    };
    if (input === unparsable) return refuse(serializationError());
    if (route === undefined) {
      this.#logUnknownTarget(target);
      return refuse(new DynamoError('UnknownOperationException'));
    }
    const identity = request.sender ?? this.#options.authenticate(request, service.signingName);
    if (identity instanceof DynamoError) return refuse(identity);
    // An empty body is unparsable, but the service finds that out only now. JSON that is not an object is treated the
    // same way, for lack of an observation. Operations may rely on getting an object.
    if (typeof input !== 'object' || input === null || Array.isArray(input)) {
      return refuse(serializationError());
    }
    try {
      const answer = route.handler(input, this.#caller(identity, requestId, request));
      if (!(answer instanceof Promise)) return answerReply(answer, requestId, replyType, headers);
      return answer
        .then((later) => answerReply(later, requestId, replyType, headers))
        .catch((error: unknown) => this.#failed(route.operation, error, requestId, replyType, headers));
    } catch (error) {
      return this.#failed(route.operation, error, requestId, replyType, headers);
    }
  }

  #caller(identity: Identity, requestId: string, request: WireRequest): SignedCaller {
    const { isRemote = false, authorize } = this.#options;
    return new SignedCaller(identity, requestId, request, isRemote, authorize);
  }

  #newApis(services: readonly ApiService[]): ApiRequests {
    const { authenticate } = this.#options;
    return new ApiRequests({
      services,
      authenticate,
      work: this.#work,
      parseJson: (body) => this.#bodies.parse(body),
      callerOf: (identity, requestId, request) => this.#caller(identity, requestId, request),
      refused: (request, requestId, status, name) =>
        this.noteRefusal(request.headers.amzTarget, requestId, status, name, request),
      failed: (operation, requestId, error) =>
        this.logFailure(`${operation} failed, request ${requestId}`, error),
    });
  }

  /** Logs an unknown target, once each: clients show only "UnknownError", and the operator should learn more. */
  #logUnknownTarget(target: string | undefined): void {
    if (target === undefined || !targetForm.test(target) || this.#loggedTargets.has(target)) return;
    if (this.#loggedTargets.size >= loggedTargetsMax) return;
    this.#loggedTargets.add(target);
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
  readonly isRemote: boolean;
  readonly authorize: Authorize | undefined;
  readonly #identity: Identity;
  readonly #headers: HeaderFields;
  readonly #peer: WireRequest['peer'];
  #principal: Principal | undefined;

  constructor(
    identity: Identity,
    requestId: string,
    { headers, peer }: WireRequest,
    isRemote: boolean,
    authorize: Authorize | undefined,
  ) {
    this.accountId = identity.accountId;
    this.region = identity.region;
    this.accessKeyId = identity.accessKeyId;
    this.requestId = requestId;
    this.isRemote = isRemote;
    this.authorize = authorize;
    this.#identity = identity;
    this.#headers = headers;
    this.#peer = peer;
  }

  /** Only authorizers ask for it. */
  get principal(): Principal {
    this.#principal ??= principalOf(this.#identity);
    return this.#principal;
  }

  get address(): string | undefined {
    return this.#peer?.remoteAddress;
  }

  header(name: string): string | undefined {
    return this.#headers.first(name);
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The media type of a request, without parameters and blanks. Most clients send neither. */
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

/** Refuses a request because of its origin. SDKs show the message of an error in this form. */
export function refusalReply(why: string, requestId: string): Reply {
  const { body } = errorBody(new DynamoError('AccessDeniedException', why));
  return { status: 403, requestId, contentType: plainJson, body, headers: noHeaders };
}

/**
 * Answers another method than POST, another path, or a content type we do not support. The service sometimes sends an
 * HTML page instead.
 */
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
