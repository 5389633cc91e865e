import { decodePercent, queryOf } from '../kit/request-url.ts';
import { algorithm, basicDateTimeOf, type SigningScope, terminator } from '../kit/signature-v4.ts';
import { DynamoError } from '../model/errors.ts';
import { timeLimits } from '../model/limits.ts';
import { signatureLimits } from './wire-limits.ts';
import type { WireHead } from './wire-request.ts';

/** The parsed signature of a request. Nothing in it is verified yet. */
export interface Authorization extends SigningScope {
  readonly accessKeyId: string;
  /** The names of the signed headers as sent, in any case, separated by `;`. */
  readonly signedHeaders: string;
  readonly signature: string;
  /** The time of signing according to the request, `YYYYMMDDTHHMMSSZ`. */
  readonly dateTime: string;
  readonly securityToken: string | undefined;
}

/**
 * Parses the signature of a request, or returns the error that the service answers to a malformed one. The order of the
 * checks and most texts are the service's (observed: dynalite's tests, comments of its index.js, 2013 to 2015). "Not
 * yet current" is the counterpart (observed: user reports, aws-sdk-js issue 2565, 2019).
 *
 * `now` is the time to check the signature's age against. Without it the age is not checked.
 */
export function readAuthorization(
  request: WireHead,
  signingName: string,
  now: number | undefined,
): Authorization | DynamoError {
  const header = request.headers.authorization;
  const query = request.url.includes('X-Amz-Algorithm') ? signingQuery(request.url) : undefined;
  if (query?.has('X-Amz-Algorithm')) {
    if (header !== undefined) {
      return invalid(
        "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
      );
    }
    return readQuery(query, signingName, now);
  }
  if (header === undefined || !header.trimStart().startsWith('AWS4-')) {
    return new DynamoError('MissingAuthenticationTokenException', 'Request is missing Authentication Token');
  }
  return readHeader(request, header, signingName, now);
}

function readHeader(
  request: WireHead,
  header: string,
  signingName: string,
  now: number | undefined,
): Authorization | DynamoError {
  const text = header.trim();
  const parts = splitHeader(text);
  if (typeof parts === 'string') {
    return incomplete(
      `'${parts}' not a valid key=value pair (missing equal-sign) in Authorization header: '${text}'.`,
    );
  }
  const date = request.headers.amzDate ?? request.headers.date;
  let missing = '';
  if (!parts.credential) missing += "Authorization header requires 'Credential' parameter. ";
  if (!parts.signature) missing += "Authorization header requires 'Signature' parameter. ";
  // An empty list of signed headers passes this check and fails a later one, because it lacks Host.
  if (parts.signedHeaders === undefined) {
    missing += "Authorization header requires 'SignedHeaders' parameter. ";
  }
  if (!date) {
    missing += "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ";
  }
  if (missing !== '') return incomplete(`${missing}Authorization=${header}`);
  return checkParts(
    parts.algorithm,
    parts.credential!,
    parts.signature!,
    parts.signedHeaders!,
    date!,
    request.headers.amzSecurityToken,
    undefined,
    signingName,
    now,
  );
}

function readQuery(
  query: ReadonlyMap<string, string>,
  signingName: string,
  now: number | undefined,
): Authorization | DynamoError {
  let missing = '';
  for (const name of ['Algorithm', 'Credential', 'Signature', 'SignedHeaders', 'Date']) {
    if (!query.get(`X-Amz-${name}`)) missing += `AWS query-string parameters must include 'X-Amz-${name}'. `;
  }
  if (missing !== '') return incomplete(`${missing}Re-examine the query-string parameters.`);
  const wrongLifetime = checkLifetime(query.get('X-Amz-Expires'));
  if (wrongLifetime !== undefined) return incomplete(wrongLifetime);
  return checkParts(
    query.get('X-Amz-Algorithm')!,
    query.get('X-Amz-Credential')!,
    query.get('X-Amz-Signature')!,
    query.get('X-Amz-SignedHeaders')!,
    query.get('X-Amz-Date')!,
    query.get('X-Amz-Security-Token'),
    query.get('X-Amz-Expires'),
    signingName,
    now,
  );
}

/** Makes the checks that header and query string have in common, in the service's order. */
function checkParts(
  givenAlgorithm: string,
  credential: string,
  signature: string,
  signedHeaders: string,
  date: string,
  securityToken: string | undefined,
  expires: string | undefined,
  signingName: string,
  now: number | undefined,
): Authorization | DynamoError {
  const dateTime = basicDateTime(date);
  if (dateTime === undefined) {
    return incomplete(
      `Date must be in ISO-8601 'basic format'. Got '${date}'. See http://en.wikipedia.org/wiki/ISO_8601`,
    );
  }
  if (now !== undefined) {
    const untimely = checkAge(dateTime, expires, now);
    if (untimely !== undefined) return untimely;
  }
  if (!signedHeaders.includes(';host;') && !hostSigned.test(signedHeaders)) {
    return invalid("'Host' must be a 'SignedHeader' in the AWS Authorization.");
  }
  if (givenAlgorithm !== algorithm) {
    return incomplete(`Unsupported AWS 'algorithm': '${givenAlgorithm}' (only ${algorithm} for now). `);
  }
  const elements = credential.split('/');
  // The service ignores trailing slashes.
  while (elements.at(-1) === '') elements.pop();
  if (elements.length !== 5) {
    return incomplete(
      `Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '${credential}'`,
    );
  }
  const [accessKeyId, scopeDate, region, service, term] = elements as [
    string,
    string,
    string,
    string,
    string,
  ];
  let wrong = '';
  if (!regionName.test(region)) wrong += `Credential should be scoped to a valid region, not '${region}'. `;
  if (service !== signingName) wrong += `Credential should be scoped to correct service: '${signingName}'. `;
  if (term !== terminator) {
    wrong += `Credential should be scoped with a valid terminator: '${terminator}', not '${term}'. `;
  }
  if (!dateTime.startsWith(scopeDate) || scopeDate.length !== 8) {
    wrong += `Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '${scopeDate}' != '${dateTime.slice(0, 8)}', from '${dateTime}'.`;
  }
  if (wrong !== '') return invalid(wrong);
  return {
    accessKeyId,
    scopeDate,
    region,
    service,
    signedHeaders,
    signature,
    dateTime,
    securityToken,
  };
}

const hostSigned = /(?:^|;)host(?:;|$)/i;
/**
 * The names that can be a Region. On AWS each endpoint serves one Region. Here every name is a Region, so only names
 * that cannot be part of an ARN or of a storage key are refused.
 */
const regionName = /^[A-Za-z0-9_-]{1,64}$/;

interface HeaderParts {
  algorithm: string;
  credential: string | undefined;
  signature: string | undefined;
  signedHeaders: string | undefined;
}

/**
 * Splits `AWS4-… Credential=…, SignedHeaders=…, Signature=…` at commas, blanks or both. Returns a string if a part
 * has no equal sign: that part.
 */
function splitHeader(text: string): HeaderParts | string {
  const end = text.search(separator);
  const parts: HeaderParts = {
    algorithm: end === -1 ? text : text.slice(0, end),
    credential: undefined,
    signature: undefined,
    signedHeaders: undefined,
  };
  let start = end === -1 ? text.length : end;
  while (start < text.length) {
    const comma = text.indexOf(',', start);
    const blank = text.indexOf(' ', start);
    const stop = Math.min(comma === -1 ? text.length : comma, blank === -1 ? text.length : blank);
    if (stop > start) {
      const equals = text.indexOf('=', start);
      if (equals === -1 || equals > stop) return text.slice(start, stop);
      const value = text.slice(equals + 1, stop);
      switch (text.slice(start, equals)) {
        case 'Credential':
          parts.credential = value;
          break;
        case 'Signature':
          parts.signature = value;
          break;
        case 'SignedHeaders':
          parts.signedHeaders = value;
          break;
      }
    }
    start = stop + 1;
  }
  return parts;
}

const separator = /[ ,]/;

function signingQuery(url: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of queryOf(url)) {
    if (!found.has(name)) found.set(name, decodePercent(value));
  }
  return found;
}

const basicFormat = /^\d{8}T\d{6}Z$/;

/**
 * Converts a date to the basic format, which X-Amz-Date uses. A `Date` header may have HTTP's own format instead: the
 * service's texts call it the "ISO-8601 version of date from HTTP".
 */
function basicDateTime(date: string): string | undefined {
  if (basicFormat.test(date)) return date;
  if (!date.endsWith(' GMT')) return undefined;
  const time = Date.parse(date);
  return Number.isNaN(time) ? undefined : basicDateTimeOf(time);
}

function parseBasic(dateTime: string): number {
  const at = (from: number, to: number) => Number(dateTime.slice(from, to));
  return Date.UTC(at(0, 4), at(4, 6) - 1, at(6, 8), at(9, 11), at(11, 13), at(13, 15));
}

const skewMinutes = timeLimits.signatureSkewMinutesMax;
const skewMs = skewMinutes * 60_000;

/**
 * Checks the lifetime that a query string claims. The texts are those of S3, the only service whose answers are
 * published; there the error is an AuthorizationQueryParametersError.
 */
function checkLifetime(expires: string | undefined): string | undefined {
  if (expires === undefined) return undefined;
  const { presignedSecondsMax } = signatureLimits;
  if (!/^-?[0-9]{1,15}$/.test(expires)) return 'X-Amz-Expires should be a number';
  if (Number(expires) <= 0) return 'X-Amz-Expires must be non-negative';
  if (Number(expires) <= presignedSecondsMax) return undefined;
  return `X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than ${presignedSecondsMax} seconds`;
}

/** Checks the age of a signature. `expires` is the lifetime in seconds that a query string may claim. */
function checkAge(dateTime: string, expires: string | undefined, now: number): DynamoError | undefined {
  const signedAt = parseBasic(dateTime);
  if (signedAt > now + skewMs) {
    return invalid(
      `Signature not yet current: ${dateTime} is still later than ${basicDateTimeOf(now + skewMs)} (${basicDateTimeOf(now)} + ${skewMinutes} min.)`,
    );
  }
  const lifetimeMs = expires ? Number(expires) * 1000 : skewMs;
  if (signedAt + lifetimeMs >= now) return undefined;
  if (expires) return invalid(`Signature expired: ${dateTime} is now earlier than ${basicDateTimeOf(now)}`);
  return invalid(
    `Signature expired: ${dateTime} is now earlier than ${basicDateTimeOf(now - skewMs)} (${basicDateTimeOf(now)} - ${skewMinutes} min.)`,
  );
}

function invalid(message: string): DynamoError {
  return new DynamoError('InvalidSignatureException', message);
}

function incomplete(message: string): DynamoError {
  return new DynamoError('IncompleteSignatureException', message);
}
