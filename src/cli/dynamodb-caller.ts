import { setMaxListeners } from 'node:events';
import { parseJson } from '../model/json/parse-json.ts';
import { requestLimits } from '../model/limits.ts';
import { type RequestCredentials, signedHeaders } from './aws-request.ts';
import { KeptConnections } from './kept-connections.ts';

/** What a service refused a request with. */
export class Refusal extends Error {
  override readonly name: string;
  readonly status: number;
  /** Why a transaction was cancelled, by its parts. */
  readonly CancellationReasons: readonly { readonly Code?: string }[] | undefined;

  constructor(name: string, message: string, status: number, reasons?: Refusal['CancellationReasons']) {
    super(message);
    this.name = name;
    this.status = status;
    this.CancellationReasons = reasons;
  }

  /** Whether the same request may do better later. */
  get isPassing(): boolean {
    if (this.isOfContent) return false;
    return this.status >= 500 || /Throttling|ThroughputExceeded|LimitExceeded|RequestLimit/.test(this.name);
  }

  /** Whether it is the content of the request that is wrong, so that a part of it may be taken. */
  get isOfContent(): boolean {
    return this.status === 413 || contentRefusals.has(this.name);
  }
}

const contentRefusals: ReadonlySet<string> = new Set([
  'ValidationException',
  'SerializationException',
  'ItemCollectionSizeLimitExceededException',
]);

/** Nobody answered. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  readonly endpoint: string;

  constructor(message: string, endpoint: string, cause: unknown) {
    super(message, { cause });
    this.endpoint = endpoint;
  }
}

export interface CallerOptions {
  /** A URL, or `aws`. */
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: RequestCredentials;
  readonly signal: AbortSignal;
}

/** A service of AWS that speaks JSON. */
export interface JsonService {
  /** The first part of its host at AWS. */
  readonly host: string;
  readonly targetPrefix: string;
  readonly signingName: string;
  readonly contentType: string;
}

const json = 'application/x-amz-json-1.0';
const dynamoDb: JsonService = {
  ...{ host: 'dynamodb', targetPrefix: 'DynamoDB_20120810', signingName: 'dynamodb', contentType: json },
};
const streams: JsonService = {
  ...dynamoDb,
  ...{ host: 'streams.dynamodb', targetPrefix: 'DynamoDBStreams_20120810' },
};
export const cloudWatch: JsonService = {
  ...{ host: 'monitoring', targetPrefix: 'GraniteServiceVersion20100801' },
  ...{ signingName: 'monitoring', contentType: json },
};
export const autoScaling: JsonService = {
  ...{ host: 'application-autoscaling', targetPrefix: 'AnyScaleFrontendService' },
  ...{ signingName: 'application-autoscaling', contentType: 'application/x-amz-json-1.1' },
};

/** Calls DynamoDB, DynamoDB Streams and the services beside them, here or at AWS. */
export class DynamoDbCaller {
  readonly #options: CallerOptions;
  readonly #connections = new KeptConnections();

  constructor(options: CallerOptions) {
    this.#options = options;
    // Every call under way listens.
    setMaxListeners(0, options.signal);
  }

  call<Answer>(operation: string, input: object): Promise<Answer> {
    return this.callService(dynamoDb, operation, input);
  }

  /** A call in the name of an access pattern, for a Stator's metrics. Others ignore the header. */
  callAs<Answer>(pattern: string, operation: string, input: object): Promise<Answer> {
    const label = /^[\x20-\x7e]+$/.test(pattern) ? { 'x-stator-pattern': pattern } : {};
    return this.#post(dynamoDb, operation, input, label) as Promise<Answer>;
  }

  callStreams<Answer>(operation: string, input: object): Promise<Answer> {
    return this.callService(streams, operation, input);
  }

  callService<Answer>(service: JsonService, operation: string, input: object): Promise<Answer> {
    return this.#post(service, operation, input) as Promise<Answer>;
  }

  async #post(
    { host, targetPrefix, signingName: service, contentType }: JsonService,
    operation: string,
    input: object,
    unsigned: Readonly<Record<string, string>> = {},
  ): Promise<unknown> {
    const { endpoint, region, credentials, signal } = this.#options;
    const url = new URL(endpoint === 'aws' ? `https://${host}.${region}.${domainOf(region)}` : endpoint);
    const body = JSON.stringify(input);
    // The service refuses it too, but by a connection that breaks while the body is still being sent.
    if (Buffer.byteLength(body) > requestLimits.bodyBytesMax)
      throw new Refusal('RequestTooLarge', 'The request is larger than 16 MB', 413);
    const target = `${targetPrefix}.${operation}`;
    const headers = signedHeaders({
      ...{ url, target, body, region, service, contentType, credentials, now: new Date() },
    });
    const { status, text } = await this.#connections
      .post(url, { ...headers, ...unsigned }, body, signal)
      .catch((error: Error) => {
        if (signal.aborted) throw error;
        throw new Unreachable(troubleOf(error), endpoint, error);
      });
    // Operations without an answer have no body.
    const answer = status === 200 && text === '' ? {} : parsed(text);
    if (status === 200 && answer !== undefined) return answer;
    const name = String(answer?.__type ?? `HTTP ${status}`).replace(/^.*#/, '');
    const message = String(answer?.message ?? answer?.Message ?? text.slice(0, 200));
    const reasons = answer?.CancellationReasons as Refusal['CancellationReasons'];
    throw new Refusal(name, message, status, reasons);
  }
}

/** Where a name stands for several addresses, each of them has its own trouble. */
function troubleOf(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as readonly Error[]) : [];
  return first?.message || error.message;
}

function domainOf(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const answer = parseJson(text);
    return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
