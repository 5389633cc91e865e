import { describe, expect, it } from 'vitest';
import { Signer } from '../kit/signer.ts';
import { DynamoError } from '../model/errors.ts';
import { verifiedDoor } from './authenticate.ts';
import { HeaderFields } from './header-fields.ts';
import { nodeDigest } from './node-digest.ts';

const nowMs = Date.UTC(2015, 7, 30, 12, 36);
const keys = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  nowMs,
};

describe('Signer', () => {
  it("signs the examples 'get-vanilla' and 'post-vanilla' of AWS's test suite as published", () => {
    const signer = new Signer({ digest: nodeDigest, ...keys, service: 'service' });
    const headers = { 'x-amz-date': signer.dateTime, host: 'example.amazonaws.com' };
    const start =
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, ';
    const signed = (method: string) =>
      signer.authorization({ method, url: '/', headers, bodyHash: nodeDigest.sha256('') });
    expect(signed('GET')).toBe(
      `${start}Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31`,
    );
    expect(signed('POST')).toBe(
      `${start}Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b`,
    );
  });

  it.each(['/', '/_stator/tables?b=2&a=%2F&a=1', "/a b/../c%20d?x='y'"])(
    'signs %s so that a verified door lets it in, and no other body',
    (url) => {
      const door = verifiedDoor(
        () => ({ accessKeyId: keys.accessKeyId, secretAccessKey: keys.secretAccessKey }),
        () => nowMs,
      );
      const signer = new Signer({ digest: nodeDigest, ...keys, service: 'dynamodb' });
      const headers = { host: 'localhost:8000', 'x-amz-date': signer.dateTime, 'x-amz-target': 'T.Op' };
      const authorization = signer.authorization({
        method: 'POST',
        url,
        headers,
        bodyHash: nodeDigest.sha256('{"A":1}'),
      });
      const fields = new HeaderFields(Object.entries({ ...headers, authorization }).flat());
      const send = (body: string) => {
        const bytes = Buffer.from(body);
        return door({ method: 'POST', url, headers: fields, sent: bytes }, 'dynamodb');
      };
      expect(send('{"A":1}')).toMatchObject({ accessKeyId: 'AKIDEXAMPLE' });
      expect(send('{"A":2}')).toBeInstanceOf(DynamoError);
    },
  );
});
