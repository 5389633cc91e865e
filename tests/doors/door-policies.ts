import { type Authorize, accessDenied, type Intent } from '../../src/index.ts';

/** What the test authorizer refuses. It is written into the access key, so that it reaches other processes too. */
export interface Policy {
  readonly all?: true;
  readonly action?: string;
  readonly arn?: string;
  readonly key?: string;
  readonly attribute?: string;
}

export function accessKeyOf(policy: Policy): string {
  return Buffer.from(JSON.stringify(policy)).toString('base64url');
}

export function policyOf(accessKeyId: string): Policy {
  try {
    return JSON.parse(Buffer.from(accessKeyId, 'base64url').toString()) as Policy;
  } catch {
    return {};
  }
}

/** Judges by the policy in the access key; `own` is that of doors whose callers have no keys. */
export function policyJudge(
  own: () => Policy = () => ({}),
  asked: (intent: Intent) => void = () => {},
): Authorize {
  return async (intent, requester) => {
    asked(intent);
    const policy = requester.accessKeyId === 'stator' ? own() : policyOf(requester.accessKeyId);
    const keys = policy.key === undefined ? undefined : await intent.items?.leadingKeys();
    const isDenied =
      policy.all === true ||
      policy.action === intent.action ||
      policy.arn === intent.resource ||
      (Array.isArray(keys) && keys.includes(policy.key)) ||
      (policy.attribute !== undefined && intent.items?.attributes.includes(policy.attribute) === true);
    return isDenied ? accessDenied(intent, requester, 'no identity-based policy allows') : undefined;
  };
}
