import type { Engine } from '../engine/engine.ts';
import {
  mustBeAccountId,
  mustBeRegion,
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

/** On whose behalf a plain method is called. */
export interface CallOptions {
  /** The Region whose tables are meant; the database's own unless said otherwise. */
  readonly region?: string;
  /** The account whose tables are meant, 12 digits. */
  readonly accountId?: string;
}

/** What the plain methods of a database share. */
export interface PlainDeps {
  readonly engine: Engine;
  readonly region: string;
  newRequestId(): string;
  /** Takes a call that failed by no fault of the program: which one, and why. */
  readonly logFailure: (what: string, error: unknown) => void;
}

/**
 * Calls an operation with objects, no text and no socket. What a Store in memory answers at once costs one resolved
 * promise. Anything thrown on the way is no fault of the program: logged and, as over HTTP, an
 * InternalServerError, which here has the true error for its cause.
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
    const answer = operation.handle(deps.engine, ownInput(deps.engine, input), caller);
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
 * The request as it is now, where an operation may have to wait and the caller go on with his object meanwhile. What it
 * holds is read before anything is waited for; its members are also looked at afterwards.
 */
function ownInput({ store, physics }: Engine, input: object): object {
  return (store.immediate && physics === 'shadow') || !isOrdinary(input) ? input : { ...input };
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

/** The account of callers who name none, as over HTTP. */
export const defaultAccountId = '000000000000';

/** Both become parts of ARNs and of storage keys. To get them right is the program's affair, and no request's. */
export const callChecks: OptionChecks<CallOptions> = { region: mustBeRegion, accountId: mustBeAccountId };

function isRequest(input: unknown): boolean {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

function requestError(operation: NamedHandler, input: unknown): TypeError {
  const { name } = operation;
  return new TypeError(
    `${methodName(operation)} takes an object with the parameters of ${name}, and not ${shown(input)}`,
  );
}

/** The plain method of an operation: `putItem`. */
function methodName({ name }: NamedHandler): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

class PlainCaller implements Caller {
  readonly accountId: string;
  readonly region: string;
  readonly accessKeyId = 'stator';
  readonly #deps: PlainDeps;
  #requestId: string | undefined;

  constructor(deps: PlainDeps, options: CallOptions | undefined) {
    this.#deps = deps;
    this.accountId = options?.accountId ?? defaultAccountId;
    this.region = options?.region ?? deps.region;
  }

  /** Made when somebody asks, which for most requests nobody does. */
  get requestId(): string {
    this.#requestId ??= this.#deps.newRequestId();
    return this.#requestId;
  }

  header(): undefined {
    return undefined;
  }
}
