import { decodeUtf8, encodeUtf8 } from '../../model/values/utf8.ts';
import type { LeasePlace, LeaseTerm } from '../background/lease.ts';
import { sweepKey } from '../store-keys.ts';

interface SweepLease extends LeaseTerm {
  readonly format: 1;
}

/**
 * The lease of the process that deletes expired items. It only saves work: two processes at once delete no item twice,
 * but one of them works in vain.
 */
export const sweepLease: LeasePlace = {
  key: sweepKey,
  read: (stored) => stored && decodeLease(stored),
  write: (_, lease) => lease && encodeUtf8(JSON.stringify({ format: 1, ...lease } satisfies SweepLease)),
};

export function decodeLease(bytes: Uint8Array): SweepLease {
  const lease = JSON.parse(decodeUtf8(bytes)) as SweepLease;
  if (lease.format !== 1) throw new Error(`a lease of the unknown format ${lease.format}`);
  return lease;
}
