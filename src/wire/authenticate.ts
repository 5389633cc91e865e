import { createHash, timingSafeEqual } from 'node:crypto';
import type { StatedPrincipal } from '../model/access/principal.ts';
import { DynamoError } from '../model/errors.ts';
import { type Authorization, readAuthorization } from './authorization.ts';
import { accountOf, type Credential, type CredentialLookup } from './credentials.ts';
import { isSignedWith, SigningKeys } from './signature.ts';
import { checkSignedHeaders } from './signed-headers.ts';
import type { SentRequest, WireHead } from './wire-request.ts';
import { WireWork } from './wire-work.ts';

export interface Identity {
  readonly accessKeyId: string;
  readonly accountId: string;
  readonly region: string;
  /** What the credential says of its principal. */
  readonly stated?: StatedPrincipal | undefined;
}

/** Finds the sender of a request to the service with this signing name, or the error to answer with. */
export interface Authenticate {
  (request: SentRequest, signingName: string): Identity | DynamoError;
  /**
   * Finds what is wrong with a request before its body has arrived: an unknown key, a wrong date or scope, headers that
   * are not signed. Present where signatures are verified: a request may then cost nothing before it has passed.
   */
  readonly checkHead?: (head: WireHead, signingName: string) => DynamoError | undefined;
}

/**
 * Lets every caller in. A request must carry a well-formed signature, because the Region and the account are read
 * from it, but neither its digits nor its age are checked. `lookup` only maps access keys to accounts.
 */
export function openDoor(lookup: CredentialLookup = () => undefined): Authenticate {
  let latest: CachedIdentity | undefined;
  return (request, signingName) => {
    if (latest !== undefined && matchesCached(request, signingName, latest)) return latest.identity;
    const authorization = readAuthorization(request, signingName, undefined);
    if (authorization instanceof DynamoError) return authorization;
    const identity = identityOf(authorization, lookup(authorization.accessKeyId));
    latest = cachedIdentityOf(request, signingName, authorization, identity);
    return identity;
  };
}

/**
 * The parts of a signed request that stay the same for a second. The requests that a client signs within one second
 * differ only in the signature digits at the end of the header. The open door ignores these digits, so it parses the
 * rest of the header once and caches the identity.
 */
interface CachedIdentity {
  readonly header: string;
  /** The header up to the signature digits. */
  readonly start: string;
  readonly amzDate: string;
  readonly signingName: string;
  readonly identity: Identity;
}

const signatureDigits = 64;

function cachedIdentityOf(
  { headers: { amzDate, authorization: header }, url }: SentRequest,
  signingName: string,
  { signature }: Authorization,
  identity: Identity,
): CachedIdentity | undefined {
  if (url !== '/' || amzDate === undefined || header === undefined) return undefined;
  if (signature.length !== signatureDigits || !header.endsWith(`Signature=${signature}`)) return undefined;
  return { header, start: header.slice(0, -signatureDigits), amzDate, signingName, identity };
}

function matchesCached({ headers, url }: SentRequest, signingName: string, latest: CachedIdentity): boolean {
  const { amzDate, authorization: header } = headers;
  return (
    url === '/' &&
    amzDate === latest.amzDate &&
    signingName === latest.signingName &&
    header !== undefined &&
    (header === latest.header || differsInSignatureOnly(header, latest.start))
  );
}

function differsInSignatureOnly(header: string, start: string): boolean {
  return (
    header.length === start.length + signatureDigits &&
    // Three times as fast as `startsWith`, which V8 does not compare word by word.
    header.slice(0, start.length) === start &&
    hexadecimal.test(header.slice(start.length))
  );
}

const hexadecimal = /^[0-9a-f]+$/;

/**
 * Lets in only requests that a known credential signed, within a quarter of an hour of `now`. That is the machine's own
 * clock, whatever the time of the database: clients sign by theirs.
 */
export function verifiedDoor(
  lookup: CredentialLookup,
  now: () => number,
  work = new WireWork(),
): Authenticate {
  const keys = new SigningKeys();
  const readHead = (head: WireHead, signingName: string): SignedHead | DynamoError => {
    const authorization = readAuthorization(head, signingName, now());
    if (authorization instanceof DynamoError) return authorization;
    const names = checkSignedHeaders(authorization.signedHeaders, head.headers, work);
    if (names instanceof DynamoError) return names;
    const credential = lookup(authorization.accessKeyId);
    if (credential === undefined) {
      return unrecognized('The security token included in the request is invalid.');
    }
    return { authorization, names, credential };
  };
  const authenticate = (request: SentRequest, signingName: string): Identity | DynamoError => {
    const head = readHead(request, signingName);
    if (head instanceof DynamoError) return head;
    const { authorization, names, credential } = head;
    if (!isSignedWith(credential.secretAccessKey, request, authorization, names, keys, work)) {
      // Until about 2017 the canonical request and the string to sign followed this text; in later reports it ends
      // here (observed: user reports).
      return new DynamoError(
        'InvalidSignatureException',
        'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
      );
    }
    // Without the full stop, unlike the text for an unknown key (observed: dynalite's tests, 2013).
    if (!isTokenOf(credential, authorization.securityToken)) {
      return unrecognized('The security token included in the request is invalid');
    }
    return identityOf(authorization, credential);
  };
  return Object.assign(authenticate, {
    checkHead: (head: WireHead, signingName: string) => {
      const found = readHead(head, signingName);
      return found instanceof DynamoError ? found : undefined;
    },
  });
}

/** A head that may belong to a signed request. Only its body can show. */
interface SignedHead {
  readonly authorization: Authorization;
  /** The names of the signed headers. */
  readonly names: readonly string[];
  readonly credential: Credential;
}

export type PinnedScope = Pick<Identity, 'accountId' | 'region'>;

/** Gives every caller that `door` lets in the same account and Region. */
export function pinnedDoor(door: Authenticate, { accountId, region }: PinnedScope): Authenticate {
  const authenticate = (request: SentRequest, signingName: string) => {
    const identity = door(request, signingName);
    return identity instanceof DynamoError
      ? identity
      : { accessKeyId: identity.accessKeyId, accountId, region, stated: identity.stated };
  };
  return Object.assign(authenticate, door.checkHead && { checkHead: door.checkHead });
}

function identityOf({ accessKeyId, region }: Authorization, credential: Credential | undefined): Identity {
  const accountId = accountOf(accessKeyId, credential);
  return { accessKeyId, accountId, region, stated: credential?.principal };
}

/**
 * Compares session tokens. A long-term key has no token, so its requests must carry none. Hashing gives both sides
 * the same length, which `timingSafeEqual` needs.
 */
function isTokenOf(credential: Credential, given: string | undefined): boolean {
  if (credential.sessionToken === undefined || given === undefined) return credential.sessionToken === given;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(credential.sessionToken), digest(given));
}

function unrecognized(message: string): DynamoError {
  return new DynamoError('UnrecognizedClientException', message);
}
