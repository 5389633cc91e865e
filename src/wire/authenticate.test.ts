import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DynamoError } from '../model/errors.ts';
import { openDoor, verifiedDoor } from './authenticate.ts';
import type { Authorization } from './authorization.ts';
import { type Credential, credentialLookup } from './credentials.ts';
import { HeaderFields } from './header-fields.ts';
import { isSignedWith, SigningKeys } from './signature.ts';
import type { WireRequest } from './wire-request.ts';
import { WireWork } from './wire-work.ts';

/**
 * Signs by the steps of AWS's documentation, from a canonical request that each test writes out in full, so that the
 * test uses nothing of the code under test.
 */
function signatureOf(
  canonicalRequest: string,
  secret: string,
  dateTime: string,
  region: string,
  service: string,
) {
  const day = dateTime.slice(0, 8);
  const hash = createHash('sha256').update(canonicalRequest).digest('hex');
  const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const key = mac(mac(mac(mac(`AWS4${secret}`, day), region), service), 'aws4_request');
  const scope = `${day}/${region}/${service}/aws4_request`;
  return createHmac('sha256', key).update(`AWS4-HMAC-SHA256\n${dateTime}\n${scope}\n${hash}`).digest('hex');
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const dateTime = '20150830T123600Z';
const now = () => Date.UTC(2015, 7, 30, 12, 36, 0);
const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const known: Credential[] = [
  { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: secret },
  { accessKeyId: 'ASIASESSION', secretAccessKey: secret, sessionToken: 'token', accountId: '111122223333' },
];
const body = '{"TableName":"T"}';

function request(raw: string[], sent = body, url = '/', method = 'POST'): WireRequest {
  const bytes = Buffer.from(sent);
  return { method, url, headers: new HeaderFields(raw), sent: bytes, body: bytes };
}

function authorization(signature: string, signedHeaders: string, accessKeyId = 'AKIDEXAMPLE') {
  return `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20150830/us-east-1/dynamodb/aws4_request, SignedHeaders=${signedHeaders}, Signature=${signature}`;
}

/** An ordinary request of an SDK, signed by `accessKeyId` with `key`. */
function ordinary(accessKeyId = 'AKIDEXAMPLE', key = secret, token?: string): WireRequest {
  const tokenLine = token === undefined ? '' : `x-amz-security-token:${token}\n`;
  const names = `host;x-amz-date${token === undefined ? '' : ';x-amz-security-token'};x-amz-target`;
  const canonical = `POST\n/\n\nhost:localhost:8000\nx-amz-date:${dateTime}\n${tokenLine}x-amz-target:DynamoDB_20120810.GetItem\n\n${names}\n${sha256(body)}`;
  const signature = signatureOf(canonical, key, dateTime, 'us-east-1', 'dynamodb');
  const raw = ['Host', 'localhost:8000', 'X-Amz-Date', dateTime, 'X-Amz-Target', 'DynamoDB_20120810.GetItem'];
  if (token !== undefined) raw.push('X-Amz-Security-Token', token);
  raw.push('Authorization', authorization(signature, names, accessKeyId));
  return request(raw);
}

function verify(candidate: WireRequest, clock = now) {
  const result = verifiedDoor(credentialLookup(known), clock)(candidate, 'dynamodb');
  return result instanceof DynamoError ? `${result.name}: ${result.message}` : result;
}

const mismatch =
  'InvalidSignatureException: The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.';

describe('verifiedDoor', () => {
  it('lets in whoever holds the secret', () => {
    expect(verify(ordinary())).toEqual({
      accessKeyId: 'AKIDEXAMPLE',
      accountId: '000000000000',
      region: 'us-east-1',
    });
  });

  it('knows the account of a credential, and wants its session token', () => {
    expect(verify(ordinary('ASIASESSION', secret, 'token'))).toMatchObject({ accountId: '111122223333' });
    const wrong = 'UnrecognizedClientException: The security token included in the request is invalid';
    expect(verify(ordinary('ASIASESSION', secret, 'other'))).toBe(wrong);
    expect(verify(ordinary('ASIASESSION', secret))).toBe(wrong);
    expect(verify(ordinary('AKIDEXAMPLE', secret, 'token'))).toBe(wrong);
  });

  it('does not know other access keys', () => {
    expect(verify(ordinary('AKIDOTHER'))).toBe(
      'UnrecognizedClientException: The security token included in the request is invalid.',
    );
  });

  it('refuses another secret, another body and a changed signature', () => {
    expect(verify(ordinary('AKIDEXAMPLE', 'guess'))).toBe(mismatch);
    const good = ordinary();
    expect(verify({ ...good, sent: Buffer.from('{}') })).toBe(mismatch);
    expect(verify({ ...good, url: '/?x' })).toBe(mismatch);
    for (const signature of ['0'.repeat(64), 'abc', `${'0'.repeat(63)}ö`]) {
      const raw = [...good.headers.raw];
      raw[raw.length - 1] = authorization(signature, 'host;x-amz-date;x-amz-target');
      expect(verify(request(raw))).toBe(mismatch);
    }
  });

  it('goes by the clock it was given', () => {
    expect(verify(ordinary(), () => now() + 16 * 60_000)).toMatch(
      'InvalidSignatureException: Signature expired',
    );
    expect(verify(ordinary(), () => now() - 16 * 60_000)).toMatch(
      'InvalidSignatureException: Signature not yet',
    );
  });

  it('collapses blanks, joins repeated headers and keeps bytes beyond ASCII', () => {
    const canonical = `POST\n/\n\nhost:h\nmy-header1:a b c,value2\nmy-header2:"a b" ö\nx-amz-date:${dateTime}\n\nhost;my-header1;my-header2;x-amz-date\n${sha256(body)}`;
    const signature = signatureOf(canonical, secret, dateTime, 'us-east-1', 'dynamodb');
    const raw = [
      ...['Host', 'h', 'My-Header1', '  a   b  c ', 'X-Amz-Date', dateTime, 'my-header1', 'value2'],
      // Node decodes the bytes of a UTF-8 value one by one.
      ...['My-Header2', ` "a  b" ${Buffer.from('ö').toString('latin1')}`],
      ...['Authorization', authorization(signature, 'host;my-header1;my-header2;x-amz-date')],
    ];
    expect(verify(request(raw))).toHaveProperty('accessKeyId');
  });

  it('verifies a query string, with its parameters in order and encoded', () => {
    const credential = 'AKIDEXAMPLE%2F20150830%2Fus-east-1%2Fdynamodb%2Faws4_request';
    const parameters = `A=b%20c&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${credential}&X-Amz-Date=${dateTime}&X-Amz-SignedHeaders=host&a%2Ab=%27x%27`;
    const canonical = `POST\n/\n${parameters}\nhost:h\n\nhost\n${sha256(body)}`;
    const signature = signatureOf(canonical, secret, dateTime, 'us-east-1', 'dynamodb');
    const sent = `/?X-Amz-Signature=${signature}&a*b='x'&${parameters.replace('&a%2Ab=%27x%27', '')}`;
    expect(verify(request(['Host', 'h'], body, sent))).toMatchObject({ region: 'us-east-1' });
    expect(verify(request(['Host', 'h'], '{}', sent))).toBe(mismatch);
  });

  it.each([
    ['/', '/'],
    ['//', '/'],
    ['/./x/../y//z/', '/y/z/'],
    ['/a%20b', '/a%2520b'],
    ['/../..', '/'],
  ])('normalizes the path %s to %s', (sent, path) => {
    const canonical = `POST\n${path}\n\nhost:h\nx-amz-date:${dateTime}\n\nhost;x-amz-date\n${sha256(body)}`;
    const signature = signatureOf(canonical, secret, dateTime, 'us-east-1', 'dynamodb');
    const raw = [
      'Host',
      'h',
      'X-Amz-Date',
      dateTime,
      'Authorization',
      authorization(signature, 'host;x-amz-date'),
    ];
    expect(verify(request(raw, body, sent))).toHaveProperty('accessKeyId');
  });
});

describe('the headers that a signature covers', () => {
  const signedBy = (names: string, raw: readonly string[], work?: WireWork) => {
    const fields = [...raw, 'Authorization', authorization('0'.repeat(64), names)];
    const door = verifiedDoor(credentialLookup(known), now, work);
    const result = door(request(fields), 'dynamodb');
    return result instanceof DynamoError ? `${result.name}: ${result.message}` : result;
  };
  const usual = ['Host', 'h', 'X-Amz-Date', dateTime];

  it.each([
    ['host;host;x-amz-date', "'host' must be a 'SignedHeader' only once in the AWS Authorization."],
    ['Host;host;x-amz-date', "'host' must be a 'SignedHeader' only once in the AWS Authorization."],
    ['x-amz-date;host', "'SignedHeaders' must be sorted in the AWS Authorization."],
    ['host', "'x-amz-date' must be a 'SignedHeader' in the AWS Authorization."],
  ])('are not %s', (names, message) => {
    expect(signedBy(names, usual)).toBe(`InvalidSignatureException: ${message}`);
  });

  it('are all that begin with x-amz-', () => {
    const names = 'host;x-amz-date';
    expect(signedBy(names, [...usual, 'X-Amz-Target', 'DynamoDB_20120810.GetItem'])).toBe(
      "InvalidSignatureException: 'x-amz-target' must be a 'SignedHeader' in the AWS Authorization.",
    );
    expect(signedBy(names, [...usual, 'x-amz-anything', ''])).toMatch("'x-amz-anything' must be");
    expect(signedBy(names, [...usual, 'X-Amzn-Trace-Id', 'Root=1'])).toBe(mismatch);
  });

  it.each(['Authorization', 'X-Amz-Date', 'x-amz-security-token', 'X-Amz-Target'])(
    'are not there twice: %s',
    (name) => {
      const twice = [...usual, name, 'AWS4-HMAC-SHA256 x', name, 'y'];
      const found = signedBy('host;x-amz-date;x-amz-security-token;x-amz-target', twice);
      expect(found).toMatch(/IncompleteSignature|must not have several/);
    },
  );

  it('take work in proportion to their number, however often one is repeated', () => {
    const work = new WireWork();
    const repeated = `host${';host'.repeat(2_800)};x-amz-date`;
    expect(signedBy(repeated, [...usual, ...Array<string>(1_800).fill('x')], work)).toMatch('only once');
    expect(work.headerSteps).toBeLessThan(3_000);
    expect(work.bytesHashed).toBe(0);
  });

  it('take one look at each field and at each name', () => {
    const work = new WireWork();
    const names = Array.from({ length: 900 }, (_, i) => `a${1_000 + i}`);
    const raw = [...names.flatMap((name) => [name, 'v']), ...usual];
    expect(signedBy([...names, 'host', 'x-amz-date'].join(';'), raw, work)).toBe(mismatch);
    expect(work.headerSteps).toBeLessThan(4 * 902);
  });
});

describe('a head alone', () => {
  const check = verifiedDoor(credentialLookup(known), now).checkHead!;

  it.each([
    ['an unknown key', ordinary('AKIDOTHER'), 'UnrecognizedClientException'],
    ['another service', ordinary(), 'InvalidSignatureException', 'monitoring'],
    ['no signature', request(['Host', 'h']), 'MissingAuthenticationTokenException'],
    [
      'an unsigned header',
      request([...ordinary().headers.raw, 'x-amz-more', '']),
      'InvalidSignatureException',
    ],
  ])('is refused for %s', (_, { method, url, headers }, name, service = 'dynamodb') => {
    expect(check({ method, url, headers }, service)?.name).toBe(name);
  });

  it('may be that of a signed request, whatever its signature', () => {
    const { method, url, headers } = ordinary('AKIDEXAMPLE', 'guess');
    expect(check({ method, url, headers }, 'dynamodb')).toBeUndefined();
    expect(openDoor().checkHead).toBeUndefined();
  });
});

describe('isSignedWith', () => {
  it("agrees with the published example 'get-vanilla' of AWS's test suite", () => {
    const vanilla: Authorization = {
      accessKeyId: 'AKIDEXAMPLE',
      scopeDate: '20150830',
      region: 'us-east-1',
      service: 'service',
      signedHeaders: 'host;x-amz-date',
      signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
      dateTime,
      securityToken: undefined,
    };
    const names = ['host', 'x-amz-date'];
    const sent = request(['Host', 'example.amazonaws.com', 'X-Amz-Date', dateTime], '', '/', 'GET');
    expect(isSignedWith(secret, sent, vanilla, names, new SigningKeys(), new WireWork())).toBe(true);
    expect(isSignedWith(`${secret}x`, sent, vanilla, names, new SigningKeys(), new WireWork())).toBe(false);
  });
});

describe('SigningKeys', () => {
  const scope = { scopeDate: '20150830', region: 'r', service: 's' } as Authorization;

  it('remembers no more keys than it may', () => {
    const keys = new SigningKeys(3);
    for (let index = 0; index < 10; index++) keys.derive(secret, { ...scope, accessKeyId: `K${index}` });
    expect(keys.size).toBe(3);
  });

  it('notices that a secret was replaced', () => {
    const keys = new SigningKeys();
    const first = keys.derive('one', { ...scope, accessKeyId: 'K' });
    expect(keys.derive('one', { ...scope, accessKeyId: 'K' })).toBe(first);
    expect(keys.derive('two', { ...scope, accessKeyId: 'K' })).not.toEqual(first);
    expect(keys.size).toBe(1);
  });
});

describe('openDoor', () => {
  it('lets anyone in, at any time, with any signature', () => {
    expect(openDoor()(ordinary('123456789012', 'guess'), 'dynamodb')).toEqual({
      accessKeyId: '123456789012',
      accountId: '123456789012',
      region: 'us-east-1',
    });
    expect(openDoor(credentialLookup(known))(ordinary('ASIASESSION'), 'dynamodb')).toMatchObject({
      accountId: '111122223333',
    });
  });

  it('tells requests apart although it remembers the latest', () => {
    const door = openDoor();
    const send = (header: string, date = dateTime, url = '/', service = 'dynamodb') => {
      const raw = ['Host', 'h', 'X-Amz-Date', date, 'Authorization', header];
      const result = door(request(raw, body, url), service);
      return result instanceof DynamoError ? result.name : result.accessKeyId;
    };
    const digits = (digit: string) => digit.repeat(64);
    const first = authorization(digits('a'), 'host', 'FIRST');
    expect(send(first)).toBe('FIRST');
    expect(send(authorization(digits('b'), 'host', 'FIRST'))).toBe('FIRST');
    expect(send(first, '20150831T123600Z')).toBe('InvalidSignatureException');
    expect(send(first, dateTime, '/?X-Amz-Algorithm=AWS4-HMAC-SHA256')).toBe('InvalidSignatureException');
    expect(send(first, dateTime, '/', 'monitoring')).toBe('InvalidSignatureException');
    expect(send(authorization(`${digits('b').slice(2)}, `, 'host', 'FIRST'))).toBe('FIRST');
    expect(send(authorization(`, x${digits('b').slice(3)}`, 'host', 'FIRST'))).toBe(
      'IncompleteSignatureException',
    );
    expect(send(authorization(digits('b'), 'host', 'OTHER'))).toBe('OTHER');
    expect(send(first)).toBe('FIRST');
    expect(send(digits('a'))).toBe('MissingAuthenticationTokenException');
    expect(door(request(['Host', 'h', 'Authorization', first]), 'dynamodb')).toBeInstanceOf(DynamoError);
  });

  it('but not without any', () => {
    expect(openDoor()(request(['Host', 'h']), 'dynamodb')).toBeInstanceOf(DynamoError);
  });
});
