import { Lease, type LeaseDeps } from '../background/lease.ts';
import { decodeReader, encodeReader } from '../change-log/reader-note.ts';
import { deliveryMsMax } from './deliverer.ts';

interface DeliveryLeaseDeps extends Omit<LeaseDeps, 'place' | 'holder' | 'termMs' | 'retryMs'> {
  /** Names this process among those that share the store. */
  readonly holder: string;
  /** The key of the reader's note. The lease is a part of that note. */
  readonly key: Uint8Array;
}

/**
 * Lets one process at a time deliver for a destination. The term is longer than a delivery can last: what a process
 * that lost its lease has sent has arrived, or never will, before another one sends, and so the records of an item stay
 * in order.
 */
export function deliveryLease({ holder, key, ...deps }: DeliveryLeaseDeps): Lease {
  return new Lease({
    ...deps,
    holder: () => holder,
    termMs: 3 * deliveryMsMax,
    retryMs: 500,
    place: {
      key,
      read: (stored) => (stored === undefined ? 'gone' : decodeReader(stored, key).lease),
      write: (stored, lease) => {
        const { lease: _, ...note } = decodeReader(stored!, key);
        return encodeReader(lease === undefined ? note : { ...note, lease });
      },
    },
  });
}
