import { parseJson } from '../model/json/parse-json.ts';
import { type RequestCredentials, signedHeaders } from './aws-request.ts';

/** What a service refused a request with. */
export class Refusal extends Error {
  override readonly name: string;
  readonly status: number;

  constructor(name: string, message: string, status: number) {
    super(message);
    this.name = name;
    this.status = status;
  }

  /** Whether the same request may do better later. */
  get isPassing(): boolean {
    return this.status >= 500 || /Throttling|ThroughputExceeded|LimitExceeded|RequestLimit/.test(this.name);
  }
}

/** Nobody answered. */
export class Unreachable extends Error {}

export interface CallerOptions {
  /** A URL, or `aws`. */
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: RequestCredentials;
  readonly signal: AbortSignal;
}

/** Calls DynamoDB and DynamoDB Streams, here or at AWS. */
export class DynamoDbCaller {
  readonly #options: CallerOptions;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  call<Answer>(operation: string, input: object): Promise<Answer> {
    return this.#post('dynamodb', `DynamoDB_20120810.${operation}`, input) as Promise<Answer>;
  }

  callStreams<Answer>(operation: string, input: object): Promise<Answer> {
    return this.#post('streams.dynamodb', `DynamoDBStreams_20120810.${operation}`, input) as Promise<Answer>;
  }

  async #post(host: string, target: string, input: object): Promise<unknown> {
    const { endpoint, region, credentials, signal } = this.#options;
    const url = new URL(endpoint === 'aws' ? `https://${host}.${region}.${domainOf(region)}` : endpoint);
    const body = JSON.stringify(input);
    const headers = signedHeaders({ url, target, body, region, credentials, now: new Date() });
    let status: number;
    let text: string;
    try {
      const response = await fetch(url, { method: 'POST', headers, body, signal });
      status = response.status;
      text = await response.text();
    } catch (error) {
      if (signal.aborted) throw error;
      const { cause } = error as { readonly cause?: { readonly message?: string } };
      throw new Unreachable(cause?.message || (error as Error).message, { cause: error });
    }
    const answer = parsed(text);
    if (status === 200 && answer !== undefined) return answer;
    const name = String(answer?.__type ?? `HTTP ${status}`).replace(/^.*#/, '');
    throw new Refusal(name, String(answer?.message ?? answer?.Message ?? text.slice(0, 200)), status);
  }
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
