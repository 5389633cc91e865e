import { createHash, createHmac } from 'node:crypto';
import type { Digest } from '../kit/signature-v4.ts';

/** Node's SHA-256, for signatures. */
export const nodeDigest: Digest = {
  sha256: (data, encoding = 'utf8') =>
    (typeof data === 'string'
      ? createHash('sha256').update(data, encoding)
      : createHash('sha256').update(data)
    ).digest('hex'),
  hmac: (key, text) => createHmac('sha256', key).update(text).digest(),
};
