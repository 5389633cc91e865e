import type { ErrorClass } from './error-class.ts';
import { classOfError } from './error-class.ts';

type Body = Readonly<Record<string, unknown>>;

/** An error that an endpoint answered, in its own words. */
export class ServiceError extends Error {
  override readonly name: string;
  readonly status: number;
  /** The whole answer: cancellation reasons, the item that a condition met. */
  readonly body: Body;
  /** The pause that the endpoint asks for by `x-amz-retry-after`. */
  readonly retryAfterMs: number | undefined;

  constructor(name: string, message: string, status: number, body: Body = {}, retryAfterMs?: number) {
    super(message);
    this.name = name;
    this.status = status;
    this.body = body;
    this.retryAfterMs = retryAfterMs;
  }

  /** The reasons of a cancelled transaction, one for each action. */
  get CancellationReasons(): readonly { readonly Code?: string }[] | undefined {
    return this.body.CancellationReasons as readonly { readonly Code?: string }[] | undefined;
  }

  get kind(): ErrorClass {
    return classOfError(this);
  }
}

/** No answer came. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  readonly endpoint: string;

  constructor(message: string, endpoint: string, cause: unknown) {
    super(message, { cause });
    this.endpoint = endpoint;
  }
}

/** The error of an answer: `body` is its JSON, undefined if the answer is no JSON. */
export function serviceErrorOf(
  status: number,
  body: Body | undefined,
  text: string,
  header: (name: string) => string | undefined,
): ServiceError {
  const name = String(body?.__type ?? `HTTP ${status}`).replace(/^.*#/, '');
  const message = String(body?.message ?? body?.Message ?? text.slice(0, 200));
  return new ServiceError(name, message, status, body, retryAfterMsOf(header));
}

/** `x-amz-retry-after` has milliseconds, `Retry-After` seconds. */
function retryAfterMsOf(header: (name: string) => string | undefined): number | undefined {
  const own = Number(header('x-amz-retry-after') ?? Number.NaN);
  if (Number.isFinite(own)) return own;
  const seconds = Number(header('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : undefined;
}
