import { parseJson } from '../model/json/parse-json.ts';
import { requestLimits } from '../model/limits.ts';
import { utf8Length } from '../model/values/utf8.ts';
import { addressAtAws, dynamoDb, dynamoDbStreams, type JsonService } from './json-service.ts';
import { ServiceError, serviceErrorOf, Unreachable } from './service-error.ts';
import type { Digest } from './signature-v4.ts';
import { type Credentials, signedHeaders } from './signed-headers.ts';

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  readonly header: (name: string) => string | undefined;
}

/** Sends a request and collects its answer. Rejects if none comes. */
export type Transport = (request: HttpRequest, signal: AbortSignal) => Promise<HttpAnswer>;

export interface CallerOptions {
  /** A URL, or `aws`. */
  readonly endpoint: string;
  /** The endpoint as messages name it; by default its URL. */
  readonly shownAs?: string;
  readonly region: string;
  /** Undefined: calls carry a signature that only a server with an open door takes. */
  readonly credentials: Credentials | undefined;
  readonly signal: AbortSignal;
  readonly transport: Transport;
  readonly digest: Digest;
  readonly nowMs: () => number;
}

const openCredentials: Credentials = { accessKeyId: 'stator', secretAccessKey: 'stator' };

/** Calls DynamoDB, DynamoDB Streams, the services beside them and the control API, here or at AWS. */
export class EndpointCaller {
  readonly #options: CallerOptions;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  call<Answer>(operation: string, input: object): Promise<Answer> {
    return this.callService(dynamoDb, operation, input);
  }

  /** A call in the name of an access pattern, for a Stator's metrics. Other servers ignore the header. */
  callAs<Answer>(pattern: string, operation: string, input: object): Promise<Answer> {
    const label = /^[\x20-\x7e]+$/.test(pattern) ? { 'x-stator-pattern': pattern } : {};
    return this.#post(dynamoDb, operation, input, label) as Promise<Answer>;
  }

  callStreams<Answer>(operation: string, input: object): Promise<Answer> {
    return this.callService(dynamoDbStreams, operation, input);
  }

  callService<Answer>(service: JsonService, operation: string, input: object): Promise<Answer> {
    return this.#post(service, operation, input) as Promise<Answer>;
  }

  /** Asks the control API of a Stator, which takes unsigned requests unless the server verifies signatures. */
  control(method: 'GET' | 'POST' | 'DELETE', path: string, input?: object): Promise<HttpAnswer> {
    const { endpoint, region, credentials } = this.#options;
    const url = new URL(path, endpoint);
    const body = input === undefined ? '' : JSON.stringify(input);
    const headers: Record<string, string> = input === undefined ? {} : { 'content-type': 'application/json' };
    return this.#send({
      ...{ method, url, body },
      headers:
        credentials === undefined
          ? headers
          : this.#signed(credentials, { method, url, body, headers }, region),
    });
  }

  async #post(
    service: JsonService,
    operation: string,
    input: object,
    unsigned: Readonly<Record<string, string>> = {},
  ): Promise<unknown> {
    const { endpoint, region, credentials = openCredentials } = this.#options;
    const url = new URL(endpoint === 'aws' ? addressAtAws(service, region) : endpoint);
    const body = JSON.stringify(input);
    // The service refuses it too, but by a connection that breaks while the body is still being sent.
    if (utf8Length(body) > requestLimits.bodyBytesMax)
      throw new ServiceError('RequestTooLarge', 'The request is larger than 16 MB', 413);
    const request = {
      ...{ method: 'POST', url, body },
      headers: {
        'content-type': service.contentType,
        'x-amz-target': `${service.targetPrefix}.${operation}`,
      },
    };
    const headers = { ...this.#signed(credentials, request, region, service.signingName), ...unsigned };
    const { status, text, header } = await this.#send({ ...request, headers });
    // Operations without an answer have no body.
    const answer = status === 200 && text === '' ? {} : parsed(text);
    if (status === 200 && answer !== undefined) return answer;
    throw serviceErrorOf(status, answer, text, header);
  }

  #signed(
    credentials: Credentials,
    { method, url, headers, body }: HttpRequest,
    region: string,
    service?: string,
  ): Record<string, string> {
    const { digest, nowMs } = this.#options;
    return signedHeaders(digest, credentials, {
      ...{ method, url: `${url.pathname}${url.search}`, host: url.host, headers, body },
      ...{ region, service, nowMs: nowMs() },
    });
  }

  async #send(request: HttpRequest): Promise<HttpAnswer> {
    const { transport, signal, endpoint, shownAs = endpoint } = this.#options;
    try {
      return await transport(request, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      throw new Unreachable(troubleOf(error as Error), shownAs, error);
    }
  }
}

/** Where a name stands for several addresses, each of them has its own trouble. */
function troubleOf(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as readonly Error[]) : [];
  // `fetch` says only that it failed; its cause says why.
  const { message } = (first ?? error.cause ?? error) as { readonly message?: string };
  return message || error.message;
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const answer = parseJson(text);
    return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
