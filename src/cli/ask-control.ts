import { EndpointCaller, type HttpAnswer } from '../kit/endpoint-caller.ts';
import { Unreachable } from '../kit/service-error.ts';
import { machine } from '../runtime/machine/machine.ts';
import { nodeDigest } from '../wire/node-digest.ts';
import { endpointPlace, singleTransport } from './endpoint-place.ts';
import { Failure } from './failure.ts';
import { environmentCredentials } from './open-caller.ts';

/** A running server whose control API a command asks. */
export interface ControlServer {
  readonly endpoint: string;
  /** The Region that requests are signed for. */
  readonly region: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/** The answer to a request under `/_stator/`, a GET without `input`. An answer that is no success becomes a failure. */
export async function askControl(server: ControlServer, path: string, input?: object): Promise<unknown> {
  const { text } = await controlAnswer(server, input === undefined ? 'GET' : 'POST', path, input);
  return JSON.parse(text);
}

/** The same with its text and its headers. */
export async function controlAnswer(
  { endpoint, region = 'us-east-1', environment, signal = new AbortController().signal }: ControlServer,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  input?: object,
): Promise<HttpAnswer> {
  // A server that verifies signatures wants them here too.
  const credentials = environmentCredentials(environment);
  const place = endpointPlace(endpoint);
  const caller = new EndpointCaller({
    ...{ endpoint: place.url, shownAs: endpoint, region, credentials, signal, digest: nodeDigest },
    ...{ transport: singleTransport(place), nowMs: machine.nowMs },
  });
  let answer: HttpAnswer;
  try {
    answer = await caller.control(method, path, input);
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    throw new Failure(
      `No Stator answers at ${endpoint}: ${error.message}.`,
      'Start one with stator start, or name another with --endpoint.',
      error,
    );
  }
  if (answer.status < 200 || answer.status > 299) throw controlFailure(endpoint, path, answer);
  return answer;
}

/** The failure for an answer of the control API that is no success. */
export function controlFailure(
  endpoint: string,
  path: string,
  { status, text }: Pick<HttpAnswer, 'status' | 'text'>,
): AnsweredFailure {
  let reason: unknown;
  try {
    reason = (JSON.parse(text) as { readonly error?: unknown } | null)?.error;
  } catch {
    // Another program answered: its text is no use here.
  }
  // The control API always says why. Without it, another program answered, or a Stator whose control API is elsewhere: 404,
  // or 400 where it looks for the signature of an operation first.
  if (reason === undefined && (status === 404 || status === 400))
    return new AnsweredFailure(
      `${endpoint} has no control API: ${path} is not there.`,
      status,
      'If the server was started with --control-port or --control-socket, name that place: --endpoint http://127.0.0.1:<port> or --endpoint unix:<file>.',
    );
  return new AnsweredFailure(
    typeof reason === 'string'
      ? /[.?]$|^\w+(?:Exception|Error): /.test(reason)
        ? reason
        : `${reason}.`
      : `${path} of ${endpoint} answered with status ${status}.`,
    status,
    status === 401 || status === 403
      ? 'The server checks signatures: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key of its --credentials file.'
      : undefined,
  );
}

/** A server answered with an error. */
export class AnsweredFailure extends Failure {
  readonly status: number;

  constructor(message: string, status: number, advice?: string) {
    super(message, advice);
    this.status = status;
  }
}
