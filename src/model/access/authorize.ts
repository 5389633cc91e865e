import { DynamoError } from '../errors.ts';
import { type MaybePromise, whenAllDone, whenDone } from '../maybe-promise.ts';
import type { Intent } from './intent.ts';
import type { Principal } from './principal.ts';

/** The sender of a request, as far as authorization goes by it. */
export interface Requester {
  readonly accountId: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly principal: Principal;
}

/**
 * Judges one intent of a request: undefined permits it, an error refuses it. It is asked before anything is looked up,
 * unless it asks the intent for its table or its leading keys.
 */
export type Authorize = (intent: Intent, requester: Requester) => MaybePromise<DynamoError | undefined>;

/**
 * The rule "your own account only". Resources of other accounts are refused as AWS refuses them to callers whom no
 * resource policy lets in; the answer is the same whether the resource exists or not.
 */
export const ownAccountOnly: Authorize = (intent, requester) =>
  intent.account === undefined || intent.account === requester.accountId
    ? undefined
    : accessDenied(intent, requester, 'no resource-based policy allows');

/**
 * A refusal in the words of IAM (documented: IAM documentation, "Troubleshoot access denied error messages", 2026): for
 * a resource of another account the reason is the missing resource policy.
 */
export function accessDenied(
  { action, resource }: Intent,
  { principal }: Pick<Requester, 'principal'>,
  reason?: string,
): DynamoError {
  const because = reason === undefined ? '' : ` because ${reason} the ${action} action`;
  return new DynamoError(
    'AccessDeniedException',
    `User: ${principal.arn} is not authorized to perform: ${action} on resource: ${resource}${because}`,
  );
}

/**
 * An authorizer that lets nothing pass by its own failure: an exception, a rejection, and an answer that is neither
 * `undefined` nor an error refuse the intent and are logged. AWS leaves the reason out of some refusals, as these do.
 */
export function failClosed(
  authorize: Authorize,
  logFailure: (what: string, error: unknown) => void,
): Authorize {
  return (intent, requester) => {
    const failed = (error: unknown): DynamoError => {
      logFailure(`The authorizer failed, so ${intent.action} on ${intent.resource} is refused`, error);
      return accessDenied(intent, requester);
    };
    try {
      const verdict = authorize(intent, requester);
      return isThenable(verdict)
        ? Promise.resolve(verdict).then(checkedVerdict).catch(failed)
        : checkedVerdict(verdict);
    } catch (error) {
      return failed(error);
    }
  };
}

/** A program may answer with promises of another library. */
function isThenable(verdict: unknown): verdict is PromiseLike<unknown> {
  return typeof verdict === 'object' && verdict !== null && 'then' in verdict;
}

/** Judges the intents in their order, and answers the first refusal. */
export function firstRefusal(
  authorize: Authorize,
  intents: readonly Intent[],
  requester: Requester,
  from = 0,
): MaybePromise<DynamoError | undefined> {
  for (let i = from; i < intents.length; i++) {
    const verdict = authorize(intents[i]!, requester);
    if (verdict instanceof Promise)
      return verdict.then(
        (later) => checkedVerdict(later) ?? firstRefusal(authorize, intents, requester, i + 1),
      );
    if (verdict !== undefined) return checkedVerdict(verdict);
  }
  return undefined;
}

/** Each intent's refusal, for a request whose parts are refused one by one. */
export function eachRefusal(
  authorize: Authorize,
  intents: readonly Intent[],
  requester: Requester,
): MaybePromise<readonly (DynamoError | undefined)[]> {
  return whenDone(whenAllDone(intents.map((intent) => authorize(intent, requester))), (verdicts) =>
    verdicts.map(checkedVerdict),
  );
}

/** Programs bring authorizers of their own: one that answers `true` or `false` must not let anything pass. */
function checkedVerdict(verdict: unknown): DynamoError | undefined {
  if (verdict === undefined || verdict instanceof DynamoError) return verdict;
  throw new TypeError('An authorizer answered neither undefined nor an error of DynamoDB');
}

/** One authorizer of several, all of which must permit; undefined if there are none. */
export function allOf(authorizers: readonly (Authorize | undefined)[]): Authorize | undefined {
  const all = authorizers.filter((each) => each !== undefined);
  if (all.length < 2) return all[0];
  return (intent, requester) =>
    all.reduce<MaybePromise<DynamoError | undefined>>(
      (verdict, authorize) => whenDone(verdict, (error) => error ?? authorize(intent, requester)),
      undefined,
    );
}
