import type { MaybePromise } from '../model/maybe-promise.ts';
import type { Page, PageRequest } from '../wire/pages.ts';
import { ControlError } from './control-error.ts';

/** One path of the control API, and what each method does there. */
export interface Resource {
  /** The segments after `/_stator/`; `<name>` takes any. */
  readonly path: readonly string[];
  /** Answers callers that cannot sign, also where signatures are verified. */
  readonly unsigned?: true;
  /** What it tells or changes is in this process only: refused where a server has several. */
  readonly ofThisProcess?: true;
  readonly methods: Readonly<
    Record<string, (names: readonly string[], request: PageRequest) => MaybePromise<Page>>
  >;
}

export function jsonPage(status: number, body: object): Page {
  return { status, headers: { 'Content-Type': 'application/json' }, body: `${JSON.stringify(body)}\n` };
}

/** The request's JSON object; one without a body is taken for an empty object. */
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
