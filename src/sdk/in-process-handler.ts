import { HeaderFields } from '../wire/header-fields.ts';
import type { Reply } from '../wire/reply.ts';
import { bodyBytes } from '../wire/reply-body.ts';
import type { RequestHandler } from '../wire/request-handler.ts';

/** What of the SDK's HttpRequest is read here. */
export interface SdkRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The SDK takes any object of this form for its HttpResponse. */
export interface SdkResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  /** Bytes are what the SDK collects of a stream in the end, so it takes them as they are. */
  readonly body: Uint8Array;
}

export interface SdkHandlerOptions {
  readonly abortSignal?: AbortSignal;
}

/**
 * A request handler for SDK clients that calls the database instead of a socket. `requests` is asked for with every
 * request, so that a client may outlive the database that it speaks to.
 */
export class InProcessHandler {
  readonly metadata = { handlerProtocol: 'http/1.1' };
  readonly #requests: () => RequestHandler;
  #latest = new HeaderFields([]);

  constructor(requests: () => RequestHandler) {
    this.#requests = requests;
  }

  async handle(request: SdkRequest, options?: SdkHandlerOptions): Promise<{ response: SdkResponse }> {
    const signal = options?.abortSignal;
    if (signal?.aborted) throw abortError(signal);
    const body = bodyOf(request.body);
    this.#latest = this.#latest.nextFromRecord(request.headers);
    const reply = this.#requests().handle({
      method: request.method,
      url: request.path,
      headers: this.#latest,
      sent: body,
      body,
    });
    if (!(reply instanceof Promise)) return { response: responseOf(reply) };
    return { response: responseOf(await (signal === undefined ? reply : unlessAborted(reply, signal))) };
  }

  /** The SDK asks for these three of every handler; there is nothing to configure and nothing to release. */
  updateHttpClientConfig(): void {}

  httpHandlerConfigs(): Record<string, never> {
    return {};
  }

  destroy(): void {}
}

function bodyOf(body: unknown): Uint8Array | string {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body === undefined || body === null) return '';
  throw new TypeError('Stator takes request bodies of text or bytes, and no streams');
}

function responseOf({ status, requestId, contentType, body }: Reply): SdkResponse {
  const headers: Record<string, string> = { 'x-amzn-requestid': requestId };
  if (contentType !== undefined) headers['content-type'] = contentType;
  return { statusCode: status, headers, body: bodyBytes(body) };
}

/** What has begun goes on, as it would on a server whose client hangs up; only nobody waits for it any more. */
function unlessAborted(reply: Promise<Reply>, signal: AbortSignal): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(abortError(signal));
    signal.addEventListener('abort', abort, { once: true });
    reply.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Under the name that the SDK's own handlers give it; by that name the SDK knows not to try again. */
function abortError(signal: AbortSignal): Error {
  const error = new Error('Request aborted', { cause: signal.reason });
  error.name = 'AbortError';
  return error;
}
