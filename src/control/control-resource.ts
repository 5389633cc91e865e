import type { MaybePromise } from '../model/maybe-promise.ts';
import type { Page, PageRequest } from '../wire/pages.ts';
import { ControlError } from './control-error.ts';

/** A request with what its caller may ask for. */
export interface ControlRequest extends PageRequest {
  /** The only account that the caller may look at; undefined for administrators and on open servers. */
  readonly boundTo?: string;
}

/** One path of the control API with its methods. */
export interface Resource {
  /** The segments after `/_stator/`; `<name>` matches any segment. */
  readonly path: readonly string[];
  /** Whether the resource answers unsigned requests even if the server verifies signatures. */
  readonly unsigned?: true;
  /** Whether the bearer token for metrics stands for a signature. */
  readonly takesToken?: true;
  /** Methods that look at one account's tables, so that every caller may use them for their own. */
  readonly ofAccount?: readonly string[];
  /** Whether the resource concerns this process only. It is then refused if the server has several processes. */
  readonly ofThisProcess?: true;
  readonly methods: Readonly<
    Record<string, (names: readonly string[], request: ControlRequest) => MaybePromise<Page>>
  >;
}

export function jsonPage(status: number, body: object): Page {
  return { status, headers: { 'Content-Type': 'application/json' }, body: `${JSON.stringify(body)}\n` };
}

/** The JSON object of a request; an empty object if the request has no body. */
export function jsonBody(request: PageRequest): Readonly<Record<string, unknown>> {
  if (request.body.length === 0) return {};
  const body = parsed(Buffer.from(request.body).toString());
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ControlError(400, 'The body is not a JSON object');
  }
  return body as Readonly<Record<string, unknown>>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
