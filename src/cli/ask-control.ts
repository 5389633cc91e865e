import { environmentCredentials, signedHeaders } from './aws-request.ts';
import { Failure, messageOf } from './failure.ts';

/** A running server whose control API a command asks. */
export interface ControlServer {
  readonly endpoint: string;
  /** The Region that requests are signed for. */
  readonly region: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/** The answer to a GET under `/_stator/`. An answer that is no success becomes a failure with the server's words. */
export async function askControl(
  { endpoint, region = 'us-east-1', environment, signal }: ControlServer,
  path: string,
): Promise<unknown> {
  const url = new URL(path, endpoint);
  const credentials = environmentCredentials(environment);
  // A server that verifies signatures wants them here too.
  const headers =
    credentials === undefined
      ? {}
      : signedHeaders({
          ...{ method: 'GET', url, target: 'Stator.Control', body: '' },
          ...{ region, credentials, now: new Date() },
        });
  let status: number;
  let answer: unknown;
  try {
    const response = await fetch(url, { headers, ...(signal !== undefined && { signal }) });
    status = response.status;
    answer = await response.json();
  } catch (error) {
    throw new Failure(
      `No Stator answers at ${endpoint}: ${reasonOf(error)}.`,
      'Start one with stator start, or name another with --endpoint.',
      error,
    );
  }
  if (status === 200) return answer;
  const told = (answer as { readonly error?: unknown } | null)?.error;
  throw new AnsweredFailure(
    typeof told === 'string'
      ? /[.?]$/.test(told)
        ? told
        : `${told}.`
      : `${url.href} answered with status ${status}.`,
    status,
    status === 401 || status === 403
      ? 'The server checks signatures: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key of its --credentials file.'
      : undefined,
  );
}

/** What the system says of it is more than "fetch failed". */
function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly message?: string } };
  return cause?.message || messageOf(error);
}

/** A server answered, but not with what it was asked for. */
export class AnsweredFailure extends Failure {
  readonly status: number;

  constructor(message: string, status: number, advice?: string) {
    super(message, advice);
    this.status = status;
  }
}
