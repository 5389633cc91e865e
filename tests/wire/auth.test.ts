import { describe, expect, it } from 'vitest';
import { Signer } from '../../src/kit/signer.ts';
import { openDoor, verifiedDoor } from '../../src/wire/authenticate.ts';
import { credentialLookup, parseCredentials } from '../../src/wire/credentials.ts';
import { nodeDigest } from '../../src/wire/node-digest.ts';
import { checkedJson } from './raw-connection.ts';
import { authorization, closeAfterEach, post, startStub } from './stub-server.ts';

closeAfterEach();

const prefix = 'com.amazon.coral.service#';
const date = '20261115T120000Z';

describe('an open door', () => {
  it.each([
    [
      { Authorization: undefined },
      'MissingAuthenticationTokenException',
      'Request is missing Authentication Token',
    ],
    [
      { Authorization: 'AWS4' },
      'MissingAuthenticationTokenException',
      'Request is missing Authentication Token',
    ],
    [
      { Authorization: 'AWS4-', 'X-Amz-Date': undefined },
      'IncompleteSignatureException',
      "Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' parameter. Authorization header requires 'SignedHeaders' parameter. Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. Authorization=AWS4-",
    ],
    [
      { 'X-Amz-Date': 'yesterday' },
      'IncompleteSignatureException',
      "Date must be in ISO-8601 'basic format'. Got 'yesterday'. See http://en.wikipedia.org/wiki/ISO_8601",
    ],
    [
      { Authorization: authorization.replace('=host', '=date') },
      'InvalidSignatureException',
      "'Host' must be a 'SignedHeader' in the AWS Authorization.",
    ],
    [
      { Authorization: authorization.replace('SHA256', 'SHA1') },
      'IncompleteSignatureException',
      "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA1' (only AWS4-HMAC-SHA256 for now). ",
    ],
    [
      { Authorization: authorization.replace('AKID/', '') },
      'IncompleteSignatureException',
      "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '20261115/us-east-1/dynamodb/aws4_request'",
    ],
    [
      { Authorization: authorization.replace('dynamodb', 'sqs') },
      'InvalidSignatureException',
      "Credential should be scoped to correct service: 'dynamodb'. ",
    ],
  ])('reports %o', async (headers, name, message) => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write(post('Echo', '{}', headers));
    const response = await connection.response();
    expect(response?.status).toBe(400);
    expect(checkedJson(response)).toEqual({ __type: prefix + name, message });
  });

  it('tells both kinds of signature apart, and that there are both', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    const at = (url: string, headers: Record<string, string | undefined> = {}) =>
      post('Echo', '{}', headers).toString('latin1').replace('POST /', `POST ${url}`);
    connection.write(at('/?X-Amz-Algorithm=x'));
    expect(checkedJson(await connection.response())).toEqual({
      __type: `${prefix}InvalidSignatureException`,
      message: "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
    });
    connection.write(at('/?X-Amz-Algorithm=x', { Authorization: undefined }));
    expect(checkedJson(await connection.response())).toEqual({
      __type: `${prefix}IncompleteSignatureException`,
      message:
        "AWS query-string parameters must include 'X-Amz-Credential'. AWS query-string parameters must include 'X-Amz-Signature'. AWS query-string parameters must include 'X-Amz-SignedHeaders'. AWS query-string parameters must include 'X-Amz-Date'. Re-examine the query-string parameters.",
    });
    const query = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKID%2F20261115%2Fus-east-1%2Fdynamodb%2Faws4_request&X-Amz-Date=${date}&X-Amz-SignedHeaders=host&X-Amz-Signature=0`;
    connection.write(at(`/?${query}`, { Authorization: undefined, 'X-Amz-Date': undefined }));
    expect(checkedJson(await connection.response())).toEqual({ Input: {} });
  });

  it('takes account and Region from the signature', async () => {
    const credentials = parseCredentials(
      '[a]\naws_access_key_id=MAPPED\naws_secret_access_key=s\naws_account_id=999988887777',
    );
    const stub = await startStub(
      { WhoAmI: (_, { accountId, region, accessKeyId }) => ({ accountId, region, accessKeyId }) },
      { authenticate: openDoor(credentialLookup(credentials)) },
    );
    const connection = await stub.open();
    for (const [accessKeyId, accountId] of [
      ['AKID', '000000000000'],
      ['123456789012', '123456789012'],
      ['MAPPED', '999988887777'],
    ] as const) {
      const Authorization = authorization.replace('AKID', accessKeyId).replace('us-east-1', 'ap-south-2');
      connection.write(post('WhoAmI', '{}', { Authorization }));
      expect(checkedJson(await connection.response())).toEqual({
        accountId,
        region: 'ap-south-2',
        accessKeyId,
      });
    }
  });
});

describe('a verified door', () => {
  const secret = 'shh';
  function signed(
    body: string,
    secretAccessKey = secret,
    accessKeyId = 'AKID',
    url = '/',
    token?: string,
  ): Record<string, string> {
    const nowMs = Date.UTC(2026, 10, 15, 12);
    const signer = new Signer({
      digest: nodeDigest,
      accessKeyId,
      secretAccessKey,
      region: 'us-east-1',
      service: 'dynamodb',
      nowMs,
    });
    const headers = {
      host: 'localhost',
      'x-amz-date': signer.dateTime,
      'x-amz-target': 'DynamoDB_20120810.Echo',
      ...(token !== undefined && { 'x-amz-security-token': token }),
    };
    return {
      ...(token !== undefined && { 'X-Amz-Security-Token': token }),
      Authorization: signer.authorization({
        method: 'POST',
        url,
        headers,
        bodyHash: nodeDigest.sha256(body),
      }),
    };
  }

  it('lets in whoever can sign, in time', async () => {
    let now = Date.UTC(2026, 10, 15, 12, 14, 59);
    const lookup = credentialLookup([{ accessKeyId: 'AKID', secretAccessKey: secret }]);
    const stub = await startStub({}, { authenticate: verifiedDoor(lookup, () => now) });
    const connection = await stub.open();
    connection.write(post('Echo', '{"A":1}', signed('{"A":1}')));
    expect(checkedJson(await connection.response())).toEqual({ Input: { A: 1 } });

    const refusals: [Record<string, string>, string, string][] = [
      [
        signed('{"A":2}'),
        'InvalidSignatureException',
        'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
      ],
      [
        signed('{"A":1}', secret, 'OTHER'),
        'UnrecognizedClientException',
        'The security token included in the request is invalid.',
      ],
      [
        signed('{"A":1}', secret, 'AKID', '/', 'unasked'),
        'UnrecognizedClientException',
        'The security token included in the request is invalid',
      ],
    ];
    for (const [headers, name, message] of refusals) {
      connection.write(post('Echo', '{"A":1}', headers));
      expect(checkedJson(await connection.response())).toEqual({ __type: prefix + name, message });
    }
    now += 2000;
    connection.write(post('Echo', '{"A":1}', signed('{"A":1}')));
    expect(checkedJson(await connection.response())).toEqual({
      __type: `${prefix}InvalidSignatureException`,
      message:
        'Signature expired: 20261115T120000Z is now earlier than 20261115T120001Z (20261115T121501Z - 15 min.)',
    });
    now -= 40 * 60_000;
    connection.write(post('Echo', '{"A":1}', signed('{"A":1}')));
    expect(checkedJson(await connection.response())).toEqual({
      __type: `${prefix}InvalidSignatureException`,
      message:
        'Signature not yet current: 20261115T120000Z is still later than 20261115T115001Z (20261115T113501Z + 15 min.)',
    });
  });

  it('counts the path behind the host to what is signed', async () => {
    const now = Date.UTC(2026, 10, 15, 12);
    const lookup = credentialLookup([{ accessKeyId: 'AKID', secretAccessKey: secret }]);
    const stub = await startStub({}, { authenticate: verifiedDoor(lookup, () => now) });
    const connection = await stub.open();
    const send = async (url: string, signedPath: string) => {
      const request = post('Echo', '{}', signed('{}', secret, 'AKID', signedPath)).toString('latin1');
      connection.write(request.replace('POST /', `POST ${url}`));
      const response = await connection.response();
      return response?.status;
    };
    for (const [url, path] of [
      ['/', '/'],
      ['/base', '/base'],
      ['/base/', '/base/'],
      ['/a//b/../c', '/a/c'],
      ['/a%20b', '/a%20b'],
      ['http://localhost/base/', '/base/'],
    ] as const) {
      expect([url, await send(url, path)]).toEqual([url, 200]);
      expect([url, await send(url, path === '/' ? '/base' : '/')]).toEqual([url, 400]);
    }
  });
});
