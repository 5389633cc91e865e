import type { Engine } from '../engine/engine.ts';
import { type Authorize, firstRefusal } from '../model/access/authorize.ts';
import { TableIntent } from '../model/access/intent.ts';
import { type Principal, principalOf } from '../model/access/principal.ts';
import {
  mustBeAccountId,
  mustBeRegion,
  mustBeText,
  type OptionChecks,
  optionsProblem,
  shown,
} from '../model/check-options.ts';
import { DynamoError, internalServerError } from '../model/errors.ts';
import type { JsonReader } from '../model/json/json-reader.ts';
import { isOrdinary } from '../model/json/ordinary-json.ts';
import type { Answer, Caller, NamedHandler } from '../operations/operation.ts';
import { fromWire } from './from-wire.ts';
import { ServiceError } from './service-error.ts';

/** The account and the Region of a call. */
export interface CallOptions {
  /** The Region of the tables; by default the database's own. */
  readonly region?: string;
  /** The account of the tables, 12 digits. */
  readonly accountId?: string;
  /** The access pattern that the call belongs to, as the header `x-stator-pattern` names it over HTTP. */
  readonly pattern?: string;
}

/** The dependencies that the plain methods of a database share. */
export interface PlainDeps {
  readonly engine: Engine;
  readonly region: string;
  /** Judges what calls want. Undefined permits everything. */
  readonly authorize: Authorize | undefined;
  newRequestId(): string;
  /** Logs a call that failed through no fault of the program: its name and the error. */
  readonly logFailure: (what: string, error: unknown) => void;
}

/**
 * Calls an operation with objects, without text or a socket. If a Store in memory answers at once, the call costs one
 * resolved promise. An exception on the way is no fault of the program: it is logged and becomes an
 * InternalServerError, as over HTTP, with the true error as its cause.
 */
export function callPlain<Output>(
  deps: PlainDeps,
  operation: NamedHandler,
  input: object,
  options: CallOptions | undefined,
  answers: JsonReader,
): Promise<Output> {
  const wrong =
    options === undefined ? undefined : optionsProblem(options, callChecks, methodName(operation));
  if (wrong !== undefined) return Promise.reject(new TypeError(wrong));
  if (!isRequest(input)) return Promise.reject(requestError(operation, input));
  const caller = new PlainCaller(deps, options);
  try {
    const answer = operation.handle(deps.engine, ownInput(deps, input), caller);
    if (answer instanceof Promise) {
      return answer
        .then((later) => outputOf<Output>(later, caller, answers))
        .catch((error: unknown) => Promise.reject(asServiceError(deps, operation, error, caller)));
    }
    return Promise.resolve(outputOf<Output>(answer, caller, answers));
  } catch (error) {
    return Promise.reject(asServiceError(deps, operation, error, caller));
  }
}

/**
 * Copies the request if the operation may wait, because the caller may change its object meanwhile. The operation
 * reads nested values before it waits, but reads the top-level members afterwards too, so a shallow copy is enough. If an
 * authorizer judges the request, nothing of it may change behind the verdict.
 */
function ownInput({ engine: { store, capacity }, authorize }: PlainDeps, input: object): object {
  if (authorize !== undefined && isOrdinary(input)) return structuredClone(input);
  return (store.immediate && !capacity.modes.isAnyEnforced) || !isOrdinary(input) ? input : { ...input };
}

function outputOf<Output>(answer: Answer, caller: Caller, answers: JsonReader): Output {
  if (answer instanceof DynamoError) throw new ServiceError(answer, caller.requestId);
  return fromWire(answer, answers) as Output;
}

function asServiceError(
  deps: PlainDeps,
  { name }: NamedHandler,
  error: unknown,
  { requestId }: Caller,
): ServiceError {
  if (error instanceof ServiceError) return error;
  deps.logFailure(`${name} failed, request ${requestId}`, error);
  return new ServiceError(internalServerError(), requestId, { cause: error });
}

/**
 * Asks the authorizer about a method that is no operation of DynamoDB, for the table that it reads. Rejects with a
 * `ServiceError` if the authorizer refuses.
 */
export async function permit(
  deps: PlainDeps,
  action: `stator:${string}`,
  tableName: string,
  options: CallOptions,
): Promise<void> {
  if (deps.authorize === undefined) return;
  const caller = new PlainCaller(deps, options);
  const scope = { account: caller.accountId, region: caller.region };
  const refusal = await firstRefusal(deps.authorize, [new TableIntent(action, tableName, scope)], caller);
  if (refusal !== undefined) throw new ServiceError(refusal, caller.requestId);
}

/** The account of callers that name none, as over HTTP. */
export const defaultAccountId = '000000000000';

/**
 * The checks of call options. Region and account become parts of ARNs and of storage keys. A wrong one is a mistake in
 * the program, not in a request.
 */
export const callChecks: OptionChecks<CallOptions> = {
  region: mustBeRegion,
  accountId: mustBeAccountId,
  pattern: mustBeText,
};

function isRequest(input: unknown): boolean {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

function requestError(operation: NamedHandler, input: unknown): TypeError {
  const { name } = operation;
  return new TypeError(
    `${methodName(operation)} takes an object with the parameters of ${name}, and not ${shown(input)}`,
  );
}

/** The name of an operation's plain method, such as `putItem`. */
function methodName({ name }: NamedHandler): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

class PlainCaller implements Caller {
  readonly accountId: string;
  readonly region: string;
  readonly accessKeyId = 'stator';
  readonly authorize: Authorize | undefined;
  readonly #deps: PlainDeps;
  readonly #pattern: string | undefined;
  #requestId: string | undefined;

  constructor(deps: PlainDeps, options: CallOptions | undefined) {
    this.#deps = deps;
    this.authorize = deps.authorize;
    this.accountId = options?.accountId ?? defaultAccountId;
    this.region = options?.region ?? deps.region;
    this.#pattern = options?.pattern;
  }

  get principal(): Principal {
    return principalOf(this);
  }

  /** The request id, made on demand; most requests never need it. */
  get requestId(): string {
    this.#requestId ??= this.#deps.newRequestId();
    return this.#requestId;
  }

  header(name: string): string | undefined {
    return name === 'x-stator-pattern' ? this.#pattern : undefined;
  }
}
