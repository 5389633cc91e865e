import { pathOf } from '../kit/request-url.ts';
import { terminator } from '../kit/signature-v4.ts';
import type { Service, ServiceOperation } from '../operations/api/service.ts';
import type { WireHead } from './wire-request.ts';

/** A request that was found to be for a service, from its head alone. */
export interface Route {
  readonly service: Service;
  readonly speech: 'dynamodb' | 'json' | 'cbor' | 'query';
  /** The operation that the head names, known or not. The query protocol names it in the body. */
  readonly name: string | undefined;
  readonly operation: ServiceOperation | undefined;
}

const rpcPath = /^\/service\/(\w{1,100})\/operation\/(\w{1,100})$/;

/**
 * Finds the service and the operation of a request. DynamoDB's are found by the target, with one look-up in a map that is
 * built once. Others are told apart by the path (RPC v2), the target (JSON), or the type of the body and the service for
 * which it is signed (query). Whatever is for none of them is DynamoDB's, which answers UnknownOperationException.
 */
export class Dispatch {
  readonly #routes = new Map<string, Route>();
  readonly #services = new Map<string, Service>();
  readonly #first: Service;

  constructor(services: readonly Service[]) {
    const first = services[0];
    if (first === undefined) throw new Error('Dispatch needs at least one service.');
    this.#first = first;
    for (const service of services) {
      const { targetPrefix: prefix, operations } = service;
      if (this.#services.has(prefix)) throw new Error(`Two services claim the target prefix ${prefix}.`);
      this.#services.set(prefix, service);
      if (!service.protocols.includes('dynamodb')) continue;
      for (const [name, operation] of operations)
        this.#routes.set(`${prefix}.${name}`, { service, speech: 'dynamodb', name, operation });
    }
  }

  find(head: WireHead): Route {
    const target = head.headers.amzTarget;
    const route = target === undefined ? undefined : this.#routes.get(target);
    return (
      route ?? this.#byPath(head) ?? this.#byTarget(target) ?? this.#byForm(head) ?? this.#unknown(target)
    );
  }

  #byPath({ url }: WireHead): Route | undefined {
    const path = pathOf(url);
    const rpc = path === '/' ? null : rpcPath.exec(path);
    const service = rpc === null ? undefined : this.#services.get(rpc[1]!);
    if (service === undefined || !service.protocols.includes('cbor')) return undefined;
    return routeTo(service, 'cbor', rpc![2]);
  }

  #byTarget(target: string | undefined): Route | undefined {
    if (target === undefined) return undefined;
    const dot = target.indexOf('.');
    const service = this.#services.get(dot === -1 ? target : target.slice(0, dot));
    if (service === undefined) return undefined;
    const name = dot === -1 ? undefined : target.slice(dot + 1);
    return service.protocols.includes('dynamodb')
      ? { service, speech: 'dynamodb', name, operation: undefined }
      : routeTo(service, 'json', name);
  }

  #byForm({ headers: { amzTarget, contentType = '', authorization = '' } }: WireHead): Route | undefined {
    if (amzTarget !== undefined) return undefined;
    if (!contentType.trim().toLowerCase().startsWith('application/x-www-form-urlencoded')) return undefined;
    const signedFor = signedServiceOf(authorization);
    for (const service of this.#services.values())
      if (service.signingName === signedFor && service.protocols.includes('query'))
        return { service, speech: 'query', name: undefined, operation: undefined };
    return undefined;
  }

  #unknown(target: string | undefined): Route {
    return { service: this.#first, speech: 'dynamodb', name: target, operation: undefined };
  }
}

function routeTo(service: Service, speech: Route['speech'], name: string | undefined): Route {
  return { service, speech, name, operation: service.operations.get(name ?? '') };
}

/** The service in the credential scope `keyid/date/region/service/terminator` of an Authorization header. */
function signedServiceOf(authorization: string): string | undefined {
  const [, after = ''] = authorization.split('Credential=', 2);
  const [credential = ''] = after.split(/[,\s]/, 1);
  const scope = credential.split('/', 6);
  return scope[4] === terminator ? scope[3] : undefined;
}
