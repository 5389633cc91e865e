import { timingSafeEqual } from 'node:crypto';
import { deriveSigningKey, signatureOf } from '../kit/signature-v4.ts';
import type { Authorization } from './authorization.ts';
import { nodeDigest } from './node-digest.ts';
import type { SentRequest } from './wire-request.ts';
import type { WireWork } from './wire-work.ts';

/**
 * Tells whether `secret` made the signature of `request`, which covers the headers of these names. Takes the same time however close
 * the signature is.
 */
export function isSignedWith(
  secret: string,
  request: SentRequest,
  authorization: Authorization,
  names: readonly string[],
  keys: SigningKeys,
  work: WireWork,
): boolean {
  work.bytesHashed += request.sent.length;
  work.headerSteps += names.length;
  const key = keys.derive(secret, authorization);
  const signature = signatureOf(nodeDigest, key, authorization, authorization.dateTime, {
    method: request.method,
    url: request.url,
    names,
    valuesOf: (name) => request.headers.all(name),
    // The body is hashed here, so a wrong x-amz-content-sha256 makes the signature wrong.
    bodyHash: nodeDigest.sha256(request.sent),
  });
  const expected = Buffer.from(signature, 'latin1');
  const given = Buffer.from(authorization.signature, 'latin1');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

interface SigningKey {
  readonly secret: string;
  readonly key: Uint8Array;
}

/**
 * A cache of signing keys. A key is valid for one access key, day, Region and service; the cache saves four of five
 * HMACs.
 */
export class SigningKeys {
  readonly #keys = new Map<string, SigningKey>();
  readonly #sizeMax: number;

  constructor(sizeMax = 1000) {
    this.#sizeMax = sizeMax;
  }

  get size(): number {
    return this.#keys.size;
  }

  derive(secret: string, authorization: Authorization): Uint8Array {
    const { accessKeyId, scopeDate, region, service } = authorization;
    const id = `${accessKeyId}/${scopeDate}/${region}/${service}`;
    const found = this.#keys.get(id);
    // The secret of an access key may change at run time.
    if (found?.secret === secret) return found.key;
    const key = deriveSigningKey(nodeDigest, secret, authorization);
    this.#keys.delete(id);
    if (this.#keys.size >= this.#sizeMax) this.#keys.delete(this.#keys.keys().next().value!);
    this.#keys.set(id, { secret, key });
    return key;
  }
}
