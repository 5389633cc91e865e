import { createHash, timingSafeEqual } from 'node:crypto';
import { DynamoError } from '../model/errors.ts';
import { type Authorization, readAuthorization } from './authorization.ts';
import { accountOf, type Credential, type CredentialLookup } from './credentials.ts';
import { isSignedWith, SigningKeys } from './signature.ts';
import type { WireRequest } from './wire-request.ts';

export interface Identity {
  readonly accessKeyId: string;
  readonly accountId: string;
  readonly region: string;
}

/** Tells who sent a request to the service of this signing name, or the error that it is answered with. */
export type Authenticate = (request: WireRequest, signingName: string) => Identity | DynamoError;

/**
 * Anyone may be anyone: a signature has to be there and well formed, because Region and account are read from it,
 * but neither its digits nor its age matter. `lookup` only maps access keys to accounts.
 */
export function openDoor(lookup: CredentialLookup = () => undefined): Authenticate {
  return (request, signingName) => {
    const authorization = readAuthorization(request, signingName, undefined);
    if (authorization instanceof DynamoError) return authorization;
    return identityOf(authorization, lookup(authorization.accessKeyId));
  };
}

/** Only requests that one of the known credentials has signed within a quarter of an hour of `now`. */
export function verifiedDoor(lookup: CredentialLookup, now: () => number): Authenticate {
  const keys = new SigningKeys();
  return (request, signingName) => {
    const authorization = readAuthorization(request, signingName, now());
    if (authorization instanceof DynamoError) return authorization;
    const credential = lookup(authorization.accessKeyId);
    if (credential === undefined) {
      return unrecognized('The security token included in the request is invalid.');
    }
    if (!isSignedWith(credential.secretAccessKey, request, authorization, keys)) {
      // Until about 2017 the canonical request and the string to sign followed this text; later reports of the
      // error end here.
      return new DynamoError(
        'InvalidSignatureException',
        'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
      );
    }
    // Without the full stop, as dynalite's author saw it (2013), unlike the text for an unknown key.
    if (!isTokenOf(credential, authorization.securityToken)) {
      return unrecognized('The security token included in the request is invalid');
    }
    return identityOf(authorization, credential);
  };
}

function identityOf({ accessKeyId, region }: Authorization, credential: Credential | undefined): Identity {
  return { accessKeyId, accountId: accountOf(accessKeyId, credential), region };
}

/** Long-term keys have no token and must come without one; hashing makes both sides of equal length. */
function isTokenOf(credential: Credential, given: string | undefined): boolean {
  if (credential.sessionToken === undefined || given === undefined) return credential.sessionToken === given;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(credential.sessionToken), digest(given));
}

function unrecognized(message: string): DynamoError {
  return new DynamoError('UnrecognizedClientException', message);
}
