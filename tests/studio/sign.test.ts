import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signedHeaders } from '../../src/kit/signed-headers.ts';
import { Signer } from '../../src/kit/signer.ts';
import { nodeDigest } from '../../src/wire/node-digest.ts';
import { hmacSha256, sha256 } from '../../studio/data/sha256.ts';
import { pageDigest } from '../../studio/data/sign.ts';

describe('the signature that the page makes', () => {
  it('stands on the same digests as Node’s, at every length around a block', async () => {
    for (const length of [0, 1, 3, 55, 56, 63, 64, 65, 119, 120, 1000, 100_000]) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 31) & 255);
      expect(Buffer.from(sha256(bytes)).toString('hex')).toBe(
        createHash('sha256').update(bytes).digest('hex'),
      );
      const secret = Uint8Array.from({ length: 1 + (length % 100) }, (_, i) => i);
      expect(Buffer.from(hmacSha256(secret, bytes))).toEqual(await macOf(secret, bytes));
    }
  });

  it('is the one that the server itself would make', () => {
    const [method, path, query, host, body] = [
      'POST',
      '/_stator/physics/a%20b',
      'region=x&b=%C3%A4',
      'h:1',
      '{"ä":1}',
    ];
    const given = {
      accessKeyId: 'AKID',
      secretAccessKey: 'secret',
      region: 'eu-west-1',
      nowMs: 1_800_000_000_000,
    };
    const headers = { 'content-type': 'application/json' };
    const made = signedHeaders(pageDigest, given, {
      method,
      url: `${path}?${query}`,
      host,
      body,
      headers,
      region: given.region,
      nowMs: given.nowMs,
    });
    const signer = new Signer({ digest: nodeDigest, ...given, service: 'dynamodb' });
    const wanted = signer.authorization({
      ...{ method, url: `${path}?${query}`, bodyHash: nodeDigest.sha256(body) },
      headers: { host, ...headers, 'x-amz-date': signer.dateTime },
    });
    expect(made.authorization).toBe(wanted);
  });
});

async function macOf(secret: Uint8Array<ArrayBuffer>, message: Uint8Array<ArrayBuffer>): Promise<Buffer> {
  const kind = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', secret, kind, false, ['sign']);
  return Buffer.from(await crypto.subtle.sign('HMAC', key, message));
}
