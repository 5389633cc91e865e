import { partitionOf } from '../tables/table-arn.ts';

/** The identity that sends a request, in IAM's terms. */
export interface Principal {
  readonly kind: PrincipalKind;
  readonly account: string;
  /** The ARN in refusals. For an assumed role it is the ARN of the session. */
  readonly arn: string;
  /** The session of temporary credentials. */
  readonly session?: Session;
  /** The tags of the principal, with those of its session over them. */
  readonly tags: Readonly<Record<string, string>>;
}

/** Each has its text in `aws:PrincipalType`. */
export const principalKinds = [
  'root',
  'user',
  'assumed-role',
  'federated-user',
  'service',
  'anonymous',
] as const;
/** The kinds of callers, as `aws:PrincipalType` knows them. */
export type PrincipalKind = (typeof principalKinds)[number];

/** A session of a role or of a federated user. */
export interface Session {
  readonly name?: string;
  /** The ARN of the role, or of the user who asked for the session: the value of `aws:PrincipalArn`. */
  readonly issuer?: string;
}

/** The parts of a principal that a credential may state. The account and the partition come from the credential too. */
export type StatedPrincipal = Partial<Omit<Principal, 'account'>>;

/** What authentication knows of a sender. */
export interface KnownSender {
  readonly accountId: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly stated?: StatedPrincipal | undefined;
}

/** The principal of an access key. Without more knowledge, a key stands for a user of the same name. */
export function principalOf({ accountId, region, accessKeyId, stated = {} }: KnownSender): Principal {
  const { kind = 'user', session, tags = {} } = stated;
  const iam = `arn:${partitionOf(region)}:iam::${accountId}`;
  const arn = stated.arn ?? (kind === 'root' ? `${iam}:root` : `${iam}:user/${accessKeyId}`);
  return { kind, account: accountId, arn, tags, ...(session && { session }) };
}
