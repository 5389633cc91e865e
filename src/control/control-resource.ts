import {
  accountIntent,
  type Intent,
  type IntentScope,
  serverIntent,
  TableIntent,
} from '../model/access/intent.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';
import type { Page, PageRequest } from '../wire/pages.ts';
import { ControlError } from './control-error.ts';

/** A request from whose path, query and body the intents are read. */
export interface Wanted {
  /** The segments of the path in the positions of `<name>`. */
  readonly names: readonly string[];
  readonly request: PageRequest;
  /** The account and Region that the request means: those of its query, else of its caller. */
  readonly scope: IntentScope;
}

/** What a request wants, before anything is looked up. */
export type ControlIntents = (wanted: Wanted) => readonly Intent[];

/** What concerns every account, so that only an administrator of the server may do it. */
export function ofServer(action: string): ControlIntents {
  return () => [serverIntent(action)];
}

/** What concerns one account. */
export function ofAccount(action: string): ControlIntents {
  return ({ scope }) => [accountIntent(action, scope)];
}

/** What concerns the table in the path, by its name or an ARN. */
export function ofTable(action: string): ControlIntents {
  return ({ names, scope }) => [new TableIntent(action, names[0]!, scope)];
}

/** What concerns one account, and the tables in the query. */
export function ofTablesAsked(action: string): ControlIntents {
  return ({ request, scope }) => [
    accountIntent(action, scope),
    ...new URLSearchParams(request.query)
      .getAll('table')
      .map((table) => new TableIntent(action, table, scope)),
  ];
}

/** One path of the control API with its methods. */
export interface Resource {
  /** The segments after `/_stator/`; `<name>` matches any segment. */
  readonly path: readonly string[];
  /** Whether the resource answers unsigned requests even if the server verifies signatures. */
  readonly unsigned?: true;
  /** Whether the bearer token for metrics stands for a signature. */
  readonly takesToken?: true;
  /** The intents of each method. A resource without them for one of its methods is not served at all. */
  readonly intents: Readonly<Record<string, ControlIntents>>;
  /** Whether the resource concerns this process only. It is then refused if the server has several processes. */
  readonly ofThisProcess?: true;
  readonly methods: Readonly<
    Record<string, (names: readonly string[], request: PageRequest) => MaybePromise<Page>>
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
