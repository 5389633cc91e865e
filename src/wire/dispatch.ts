import type { MaybePromise } from '../model/maybe-promise.ts';
import type { Answer, Caller } from '../operations/operation.ts';

export {
  type Answer,
  type Caller,
  emptyBody,
  type JsonPiece,
  type Observer,
  RawJson,
} from '../operations/operation.ts';
export type { MaybePromise };

/**
 * Handles one operation. `input` is the parsed JSON object of the request. Its members are unchecked, and members
 * that are `null` are still in it: the layer that knows the shapes drops them, because it visits every member anyway.
 */
export type OperationHandler = (input: unknown, caller: Caller) => MaybePromise<Answer>;

/** One of the APIs that share the port. */
export interface Service {
  /** The texts before the dot in X-Amz-Target, such as `DynamoDB_20120810`. */
  readonly targetPrefixes: readonly string[];
  /** The service name that the credential scope of a request must contain. */
  readonly signingName: string;
  /** The content type of requests and answers, for JSON 1.0 or JSON 1.1. */
  readonly contentType: 'application/x-amz-json-1.0' | 'application/x-amz-json-1.1';
  readonly operations: ReadonlyMap<string, OperationHandler>;
}

export interface Route {
  readonly service: Service;
  readonly operation: string;
  readonly handler: OperationHandler;
}

/** Maps X-Amz-Target to a service and an operation. The map is built once; a request costs one look-up. */
export class Dispatch {
  readonly #routes = new Map<string, Route>();
  readonly #services = new Map<string, Service>();
  readonly #first: Service;

  constructor(services: readonly Service[]) {
    const first = services[0];
    if (first === undefined) throw new Error('Dispatch needs at least one service.');
    this.#first = first;
    for (const service of services) {
      for (const prefix of service.targetPrefixes) {
        if (this.#services.has(prefix)) throw new Error(`Two services claim the target prefix ${prefix}.`);
        this.#services.set(prefix, service);
        for (const [operation, handler] of service.operations) {
          this.#routes.set(`${prefix}.${operation}`, { service, operation, handler });
        }
      }
    }
  }

  /** Finds the route of a target. Returns undefined if the service answers UnknownOperationException. */
  route(target: string | undefined): Route | undefined {
    return target === undefined ? undefined : this.#routes.get(target);
  }

  /**
   * The service whose content type and errors apply when there is no such operation: the owner of the prefix, else
   * the first service.
   */
  serviceOf(target: string | undefined): Service {
    if (target === undefined) return this.#first;
    const dot = target.indexOf('.');
    return this.#services.get(dot === -1 ? target : target.slice(0, dot)) ?? this.#first;
  }
}
