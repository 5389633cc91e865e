import { DynamoError } from '../errors.ts';
import { type MaybePromise, whenAllDone, whenDone } from '../maybe-promise.ts';
import { partitionOf } from '../tables/table-arn.ts';
import type { Intent } from './intent.ts';

/** The sender of a request, as far as authorization goes by it. */
export interface Requester {
  readonly accountId: string;
  readonly region: string;
  readonly accessKeyId: string;
}

/**
 * Judges one intent of a request: undefined permits it, an error refuses it. It is asked before anything is looked up.
 * An exception fails the request, so that a broken authorizer lets nothing pass.
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
 * A refusal in the words of IAM ("Troubleshoot access denied error messages", 2026): for a resource of another account
 * the reason is the missing resource policy.
 */
export function accessDenied(
  { action, resource }: Intent,
  requester: Requester,
  reason: string,
): DynamoError {
  const user = principalArn(requester);
  return new DynamoError(
    'AccessDeniedException',
    `User: ${user} is not authorized to perform: ${action} on resource: ${resource} because ${reason} the ${action} action`,
  );
}

/** The ARN of a requester. An access key stands for a user of the same name, since the server knows no users. */
export function principalArn({ accountId, region, accessKeyId }: Requester): string {
  return `arn:${partitionOf(region)}:iam::${accountId}:user/${accessKeyId}`;
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
