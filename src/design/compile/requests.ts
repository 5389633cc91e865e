import type { WhyRefused } from './invariants.ts';

/** Requests and answers in DynamoDB's own JSON, as the SDK's client and the plain methods of a database take them. */

export type AttributeJson =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly BOOL: boolean }
  | { readonly B: Uint8Array }
  | { readonly NULL: true }
  | { readonly L: readonly AttributeJson[] }
  | { readonly M: ItemJson }
  | { readonly SS: readonly string[] }
  | { readonly NS: readonly string[] }
  | { readonly BS: readonly Uint8Array[] };

/** An item in DynamoDB JSON. */
export type ItemJson = { readonly [name: string]: AttributeJson };

/** The operations that patterns use. */
export type OperationName =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'TransactWriteItems';

/** One call: `new commands[operation + 'Command'](input)` with the SDK, `db[operation](input)` with the plain methods. */
export interface Request {
  readonly operation: OperationName;
  readonly input: Readonly<Record<string, unknown>>;
  /** For each action of a write that has a condition, what its refusal means. */
  readonly whyRefused?: readonly (WhyRefused | undefined)[];
  /** Gives an item today's shape and changes nothing of it, so that the whole call may be repeated behind it. */
  readonly isUpgrade?: true;
}

/** What is read of answers. */
export interface Answer {
  readonly Item?: ItemJson | undefined;
  readonly Items?: readonly ItemJson[] | undefined;
  readonly LastEvaluatedKey?: ItemJson | undefined;
  readonly Responses?: Readonly<Record<string, readonly ItemJson[]>> | undefined;
  readonly UnprocessedKeys?: Readonly<Record<string, { readonly Keys?: readonly ItemJson[] }>> | undefined;
}

/** Requests that may be sent at the same time, and what to do with their answers, given in the same order. */
export interface Round<Result> {
  readonly requests: readonly Request[];
  next(answers: readonly Answer[]): Round<Result> | Done<Result>;
}

/** The end of a pattern: its result, when no request is left. */
export interface Done<Result> {
  readonly result: Result;
}

/** Tells a result from another round of requests. */
export function isDone<Result>(one: Round<Result> | Done<Result>): one is Done<Result> {
  return 'result' in one;
}

/** Sends one request and resolves with its answer. */
export type Send = (request: Request) => Promise<unknown>;

/** Sends all rounds of a pattern and resolves with its result. Parallel requests are sent together. */
export async function run<Result>(first: Round<Result> | Done<Result>, send: Send): Promise<Result> {
  let at = first;
  while (!isDone(at)) {
    const { requests } = at;
    const answers =
      requests.length === 1
        ? [await send(requests[0]!)]
        : await Promise.all(requests.map((one) => send(one)));
    at = at.next(answers as Answer[]);
  }
  return at.result;
}

/** The caller's values do not fit the pattern: never a bug of ours, the text is meant for the caller. */
export class PatternError extends Error {
  constructor(pattern: string, message: string) {
    super(`${pattern}: ${message}`);
    this.name = 'PatternError';
  }
}
