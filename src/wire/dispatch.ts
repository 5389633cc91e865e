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
 * `input` is the request's JSON object as parsed; its members are unchecked, and those that are `null` still
 * stand in it. Dropping them belongs to the layer that knows the shapes, which visits every member anyway.
 */
export type OperationHandler = (input: unknown, caller: Caller) => MaybePromise<Answer>;

/** One API among those that share the port. */
export interface Service {
  /** What stands before the dot in X-Amz-Target: `DynamoDB_20120810`. */
  readonly targetPrefixes: readonly string[];
  /** The service that the credential scope of a request has to name. */
  readonly signingName: string;
  /** Clients of JSON 1.0 and JSON 1.1 name it in Content-Type and find it in the answer's. */
  readonly contentType: 'application/x-amz-json-1.0' | 'application/x-amz-json-1.1';
  readonly operations: ReadonlyMap<string, OperationHandler>;
}

export interface Route {
  readonly service: Service;
  readonly operation: string;
  readonly handler: OperationHandler;
}

/** X-Amz-Target → service and operation. The table is built once; a request costs one look-up in it. */
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

  /** `undefined` where the service answers UnknownOperationException. */
  route(target: string | undefined): Route | undefined {
    return target === undefined ? undefined : this.#routes.get(target);
  }

  /**
   * The service whose manners apply although no operation was found: the one that owns the prefix, else the
   * first of the table.
   */
  serviceOf(target: string | undefined): Service {
    if (target === undefined) return this.#first;
    const dot = target.indexOf('.');
    return this.#services.get(dot === -1 ? target : target.slice(0, dot)) ?? this.#first;
  }
}
