import { type Bytes, type Mutation, storeLimits } from './store.ts';

/**
 * Asserts, before anything is written, that every engine could take these mutations. A failure is a bug of the
 * caller, not of the request: sizes that DynamoDB allows always fit.
 */
export function assertMutations(mutations: readonly Mutation[]): void {
  for (const mutation of mutations) {
    switch (mutation.kind) {
      case 'put':
        assertKey(mutation.key);
        assertSize('value', mutation.value, 0, storeLimits.valueBytesMax);
        break;
      case 'delete':
        assertKey(mutation.key);
        break;
      case 'append':
        assertSize('bucket', mutation.bucket, 1, storeLimits.bucketBytesMax);
        assertSize('record', mutation.record, 0, storeLimits.recordBytesMax);
        break;
      case 'add':
        assertKey(mutation.counter);
        if (!Number.isSafeInteger(mutation.delta))
          throw new RangeError(`A counter cannot add ${mutation.delta}`);
        break;
    }
  }
}

function assertKey(key: Bytes): void {
  assertSize('key', key, 1, storeLimits.keyBytesMax);
}

function assertSize(what: string, bytes: Bytes, min: number, max: number): void {
  if (bytes.length < min || bytes.length > max)
    throw new RangeError(`A ${what} of ${bytes.length} bytes; the store takes ${min} to ${max}`);
}
