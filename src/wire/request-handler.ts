import { pathOf } from '../kit/request-url.ts';
import type { Authorize } from '../model/access/authorize.ts';
import { type Principal, principalOf } from '../model/access/principal.ts';
import { DynamoError } from '../model/errors.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';
import type { Service, ServiceOperation } from '../operations/api/service.ts';
import type { Answer, Caller, ControlEvent, Observer } from '../operations/operation.ts';
import type { RandomWords } from '../runtime/randomness.ts';
import type { Authenticate, Identity } from './authenticate.ts';
import { dynamoJson, mediaType, Protocols } from './aws/choose-protocol.ts';
import { formOf, type Protocol, unreadable } from './aws/protocols.ts';
import { notAForm } from './aws/query-input.ts';
import { Dispatch, type Route } from './dispatch.ts';
import type { HeaderFields } from './header-fields.ts';
import { JsonBodies } from './json-body.ts';
import { anyOrigin, noHeaders, notFound, plainJson, preflight, type Reply } from './reply.ts';
import { newRequestId } from './request-id.ts';
import type { SentRequest, WireHead, WireRequest } from './wire-request.ts';
import { WireWork } from './wire-work.ts';

/** Logs a failure. `what` names the request. */
export type LogFailure = (what: string, error: unknown) => void;

export interface RequestHandlerOptions {
  /** The first answers what is for none of them. */
  readonly services: readonly Service[];
  readonly authenticate: Authenticate;
  /** Judges what callers want. Undefined permits everything. */
  readonly authorize: Authorize | undefined;
  readonly random: RandomWords;
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
  readonly #protocols: Protocols;
  readonly #loggedTargets = new Set<string>();

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
    this.#work = options.work ?? new WireWork();
    const bodies = new JsonBodies(this.#work);
    this.#protocols = new Protocols(this.#work, (body) => bodies.parse(body));
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
    const route = this.#dispatch.find(head);
    const { service, operation, speech } = route;
    const added = headers.origin === undefined ? noHeaders : anyOrigin;
    const protocol = this.#protocols.of(route, headers.contentType);
    const refuse = (error: DynamoError<string>) =>
      this.#refuse(service, protocol, error, head, this.newRequestId(), added);
    if (operation === undefined && speech !== 'query') return refuse(this.#unknownOperation(route, head));
    const found = check(service.signingName);
    return found instanceof DynamoError ? refuse(found) : found;
  }

  #post(request: WireRequest, requestId: string, headers: readonly string[]): MaybePromise<Reply> {
    const route = this.#dispatch.find(request);
    const { service, speech } = route;
    const { body } = request;
    const { contentType } = request.headers;
    let protocol = this.#protocols.of(route, contentType);
    const refuse = (error: DynamoError<string>) =>
      this.#refuse(service, protocol, error, request, requestId, headers);
    if (speech === 'dynamodb' && body.length > 0 && contentType !== dynamoJson && !isJson(contentType)) {
      this.noteRefusal(request.headers.amzTarget, requestId, 404, 'UnknownOperationException', request);
      return notFound(requestId, headers);
    }
    // DynamoDB reads the JSON before it looks at anything else.
    const early = protocol.readsFirst ? protocol.read(undefined, body) : undefined;
    if (early === unreadable) return refuse(service.errors.malformed);
    let { operation } = route;
    if (operation === undefined && speech !== 'query') return refuse(this.#unknownOperation(route, request));
    const identity = request.sender ?? this.#options.authenticate(request, service.signingName);
    if (identity instanceof DynamoError) return refuse(identity);
    if (speech === 'query') {
      // A form is read only after the signature of its bytes.
      const form = formOf(body, this.#work);
      protocol = this.#protocols.of(route, contentType, form);
      const name = form === notAForm ? undefined : form.action;
      operation = service.operations.get(name ?? '');
      if (operation === undefined) return refuse(service.errors.unknownOperation(name));
    }
    const { bodyBytesMax = Number.POSITIVE_INFINITY } = operation!;
    if (body.length > bodyBytesMax) return refuse(service.errors.tooLarge(body.length, bodyBytesMax));
    const input = protocol.readsFirst ? early : protocol.read(operation, body);
    // Operations of DynamoDB may rely on getting an object.
    if (input === unreadable || (protocol.readsFirst && !isObject(input)))
      return refuse(service.errors.malformed);
    return this.#run(service, protocol, operation!, input, identity, request, requestId, headers);
  }

  #run(
    service: Service,
    protocol: Protocol,
    operation: ServiceOperation,
    input: unknown,
    identity: Identity,
    request: WireRequest,
    requestId: string,
    headers: readonly string[],
  ): MaybePromise<Reply> {
    try {
      const answer = operation.handle(input, this.#caller(identity, requestId, request));
      // Most answers are there at once, and need no functions for later.
      if (!(answer instanceof Promise))
        return replyIn(service, protocol, operation, answer, requestId, headers);
      return answer
        .then((later) => replyIn(service, protocol, operation, later, requestId, headers))
        .catch((error: unknown) => this.#failed(service, protocol, operation, error, requestId, headers));
    } catch (error) {
      return this.#failed(service, protocol, operation, error, requestId, headers);
    }
  }

  #failed(
    service: Service,
    protocol: Protocol,
    { name }: ServiceOperation,
    error: unknown,
    requestId: string,
    headers: readonly string[],
  ): Reply {
    this.logFailure(`${name} failed, request ${requestId}`, error);
    return errorReplyIn(service, protocol, service.errors.internal, requestId, headers);
  }

  #refuse(
    service: Service,
    protocol: Protocol,
    error: DynamoError<string>,
    head: WireHead,
    requestId: string,
    headers: readonly string[],
  ): Reply {
    const reply = errorReplyIn(service, protocol, error, requestId, headers);
    this.noteRefusal(head.headers.amzTarget, requestId, reply.status, error.name, head);
    return reply;
  }

  #unknownOperation({ service, speech, name }: Route, { headers }: WireHead): DynamoError<string> {
    if (speech === 'dynamodb') this.#logUnknownTarget(headers.amzTarget);
    return service.errors.unknownOperation(name);
  }

  #caller(identity: Identity, requestId: string, request: WireRequest): SignedCaller {
    const { isRemote = false, authorize } = this.#options;
    return new SignedCaller(identity, requestId, request, isRemote, authorize);
  }

  /** Logs an unknown target, once each: clients show only "UnknownError", and the operator should learn more. */
  #logUnknownTarget(target: string | undefined): void {
    if (target === undefined || !targetForm.test(target) || this.#loggedTargets.has(target)) return;
    if (this.#loggedTargets.size >= loggedTargetsMax) return;
    this.#loggedTargets.add(target);
    this.#options.log(`${target} was asked for, which this version of Stator does not have.`);
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

function isJson(contentType: string | undefined): boolean {
  const type = mediaType(contentType);
  return type === dynamoJson || type === plainJson;
}

function isObject(input: unknown): boolean {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

function replyIn(
  service: Service,
  protocol: Protocol,
  operation: ServiceOperation,
  answer: Answer,
  requestId: string,
  headers: readonly string[],
): Reply {
  if (answer instanceof DynamoError) return errorReplyIn(service, protocol, answer, requestId, headers);
  const body = protocol.answer(operation, answer, requestId);
  return {
    status: 200,
    requestId,
    contentType: protocol.contentType,
    body,
    headers: withOwn(headers, protocol),
  };
}

function errorReplyIn(
  { errors }: Service,
  protocol: Protocol,
  error: DynamoError<string>,
  requestId: string,
  headers: readonly string[],
): Reply {
  return {
    status: errors.formOf(error).status,
    requestId,
    contentType: protocol.contentType,
    body: protocol.error(error, requestId),
    headers: withOwn(headers, protocol, error),
  };
}

function withOwn(
  headers: readonly string[],
  protocol: Protocol,
  error?: DynamoError<string>,
): readonly string[] {
  const own = protocol.headers(error);
  return own.length === 0 ? headers : [...headers, ...own];
}
