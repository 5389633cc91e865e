import { describe, expect, it } from 'vitest';
import { DynamoError } from '../model/errors.ts';
import { readAuthorization } from './authorization.ts';
import { HeaderFields } from './header-fields.ts';
import type { WireRequest } from './wire-request.ts';

const now = Date.UTC(2026, 10, 15, 12, 0, 0);
const nothing = new Uint8Array(0);

function request(headers: Record<string, string>, url = '/'): WireRequest {
  return { method: 'POST', url, headers: HeaderFields.fromRecord(headers), sent: nothing, body: nothing };
}

const credential = 'AKID/20261115/eu-west-1/dynamodb/aws4_request';
const whole = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host;x-amz-date, Signature=abc`;
const date = '20261115T120000Z';

function problem(authorization: string | undefined, amzDate: string | undefined, url?: string, at?: number) {
  const headers: Record<string, string> = {};
  if (authorization !== undefined) headers.Authorization = authorization;
  if (amzDate !== undefined) headers['X-Amz-Date'] = amzDate;
  const read = readAuthorization(request(headers, url), 'dynamodb', at);
  return read instanceof DynamoError ? `${read.name}: ${read.message}` : read;
}

describe('readAuthorization', () => {
  it.each([
    whole,
    whole.replaceAll(', ', ','),
    whole.replaceAll(', ', ' '),
    whole.replaceAll(', ', ' , '),
    ` ${whole} `,
    `${whole},`,
    `AWS4-HMAC-SHA256   Signature=abc, Other=1,Credential=${credential}//, SignedHeaders=x-amz-date;Host`,
  ])('understands %j', (header) => {
    expect(problem(header, date)).toMatchObject({
      accessKeyId: 'AKID',
      scopeDate: '20261115',
      region: 'eu-west-1',
      service: 'dynamodb',
      signature: 'abc',
      dateTime: date,
    });
  });

  it('understands a Date header in the form of HTTP', () => {
    const read = readAuthorization(
      request({ authorization: whole, date: 'Sun, 15 Nov 2026 12:00:00 GMT' }),
      'dynamodb',
      now,
    );
    expect(read).toMatchObject({ dateTime: date });
  });

  const missing = 'MissingAuthenticationTokenException: Request is missing Authentication Token';

  it.each([[undefined], [''], ['AWS4'], ['Bearer x'], ['AWS3-HTTPS x']])(
    'misses the token in %j',
    (header) => {
      expect(problem(header, date)).toBe(missing);
    },
  );

  it.each([
    [
      'AWS4-',
      undefined,
      "IncompleteSignatureException: Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' parameter. Authorization header requires 'SignedHeaders' parameter. Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. Authorization=AWS4-",
    ],
    [
      'AWS4-HMAC-SHA256 Credential=a, SignedHeaders=',
      date,
      "IncompleteSignatureException: Authorization header requires 'Signature' parameter. Authorization=AWS4-HMAC-SHA256 Credential=a, SignedHeaders=",
    ],
    [
      'AWS4-HMAC-SHA256 Signature=b,    Credential,    SignedHeaders',
      date,
      "IncompleteSignatureException: 'Credential' not a valid key=value pair (missing equal-sign) in Authorization header: 'AWS4-HMAC-SHA256 Signature=b,    Credential,    SignedHeaders'.",
    ],
    [
      whole,
      '201',
      "IncompleteSignatureException: Date must be in ISO-8601 'basic format'. Got '201'. See http://en.wikipedia.org/wiki/ISO_8601",
    ],
    [
      whole.replace('host;', ''),
      date,
      "InvalidSignatureException: 'Host' must be a 'SignedHeader' in the AWS Authorization.",
    ],
    [
      whole.replace('SHA256', 'SHA25'),
      date,
      "IncompleteSignatureException: Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25' (only AWS4-HMAC-SHA256 for now). ",
    ],
    [
      whole.replace(credential, 'a/b/c/d'),
      date,
      "IncompleteSignatureException: Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got 'a/b/c/d'",
    ],
    [
      whole.replace(credential, 'a/b/c c/d/e').replaceAll(', ', ','),
      date,
      "IncompleteSignatureException: 'c/d/e' not a valid key=value pair (missing equal-sign) in Authorization header: 'AWS4-HMAC-SHA256 Credential=a/b/c c/d/e,SignedHeaders=host;x-amz-date,Signature=abc'.",
    ],
    [
      whole.replace(credential, 'a/b/c!/d/e'),
      date,
      "InvalidSignatureException: Credential should be scoped to a valid region, not 'c!'. Credential should be scoped to correct service: 'dynamodb'. Credential should be scoped with a valid terminator: 'aws4_request', not 'e'. Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: 'b' != '20261115', from '20261115T120000Z'.",
    ],
    [
      whole.replace('dynamodb', 's3'),
      date,
      "InvalidSignatureException: Credential should be scoped to correct service: 'dynamodb'. ",
    ],
  ])('answers %j with the text of the service', (header, amzDate, expected) => {
    expect(problem(header, amzDate)).toBe(expected);
  });

  it('checks the age only against a clock, to a quarter of an hour either way', () => {
    const minutes = (count: number) => now + count * 60_000;
    expect(problem(whole, date, '/', minutes(15))).toHaveProperty('accessKeyId');
    expect(problem(whole, date, '/', minutes(-15))).toHaveProperty('accessKeyId');
    expect(problem(whole, date, '/', minutes(15) + 1000)).toBe(
      'InvalidSignatureException: Signature expired: 20261115T120000Z is now earlier than 20261115T120001Z (20261115T121501Z - 15 min.)',
    );
    expect(problem(whole, date, '/', minutes(-15) - 1000)).toBe(
      'InvalidSignatureException: Signature not yet current: 20261115T120000Z is still later than 20261115T115959Z (20261115T114459Z + 15 min.)',
    );
    expect(problem(whole, date, '/', undefined)).toHaveProperty('accessKeyId');
  });

  describe('in a query string', () => {
    const query = `/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodeURIComponent(credential)}&X-Amz-Date=${date}&X-Amz-SignedHeaders=host&X-Amz-Signature=abc`;

    it('reads what a header would say', () => {
      expect(problem(undefined, undefined, query)).toMatchObject({
        accessKeyId: 'AKID',
        region: 'eu-west-1',
      });
    });

    it('refuses both at once', () => {
      expect(problem('anything', date, '/?X-Amz-Algorithm')).toBe(
        "InvalidSignatureException: Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
      );
    });

    it('lists what is missing', () => {
      expect(problem(undefined, date, '/?X-Amz-Algorithm&X-Amz-Signature=x')).toBe(
        "IncompleteSignatureException: AWS query-string parameters must include 'X-Amz-Algorithm'. AWS query-string parameters must include 'X-Amz-Credential'. AWS query-string parameters must include 'X-Amz-SignedHeaders'. AWS query-string parameters must include 'X-Amz-Date'. Re-examine the query-string parameters.",
      );
    });

    it('is not one for want of its algorithm', () => {
      expect(problem(undefined, date, '/?x=X-Amz-Algorithm')).toBe(missing);
      expect(problem(whole, date, '/?x=X-Amz-Algorithm')).toHaveProperty('accessKeyId');
    });

    it('expires when it says', () => {
      expect(problem(undefined, undefined, `${query}&X-Amz-Expires=3600`, now + 3_600_000)).toHaveProperty(
        'region',
      );
      expect(problem(undefined, undefined, `${query}&X-Amz-Expires=3600`, now + 3_601_000)).toBe(
        'InvalidSignatureException: Signature expired: 20261115T120000Z is now earlier than 20261115T130001Z',
      );
    });

    it.each([
      ['604800', undefined],
      ['1', undefined],
      ['%00', 'X-Amz-Expires should be a number'],
      ['', 'X-Amz-Expires should be a number'],
      ['1e3', 'X-Amz-Expires should be a number'],
      ['3600.5', 'X-Amz-Expires should be a number'],
      ['9'.repeat(400), 'X-Amz-Expires should be a number'],
      ['0', 'X-Amz-Expires must be non-negative'],
      ['-1', 'X-Amz-Expires must be non-negative'],
      [
        '604801',
        'X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds',
      ],
    ])('lives for one second to seven days: %s', (expires, wrong) => {
      const found = problem(undefined, undefined, `${query}&X-Amz-Expires=${expires}`, now);
      if (wrong === undefined) expect(found).toHaveProperty('region');
      else expect(found).toBe(`IncompleteSignatureException: ${wrong}`);
    });

    it('survives percent signs that encode nothing', () => {
      expect(problem(undefined, undefined, query.replace('Signature=abc', 'Signature=%zz'))).toMatchObject({
        signature: '%zz',
      });
    });
  });
});
