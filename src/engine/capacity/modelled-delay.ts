import { toHex } from '../../model/values/hex.ts';
import { type ExpiryDelay, noDelay } from '../expiry/expiry-delay.ts';
import { storageIdBytes } from '../store-keys.ts';
import type { Capacity } from './capacity.ts';

/** The delay of Time to Live, where it is acted out; otherwise items go when they expire. Asked anew with every look. */
export class ModelledDelay implements ExpiryDelay {
  readonly #capacity: Capacity;
  readonly #service: ExpiryDelay;

  constructor(capacity: Capacity, service: ExpiryDelay) {
    this.#capacity = capacity;
    this.#service = service;
  }

  dueMs(expiresMs: number, entry: Uint8Array, hasIndexes: boolean): number {
    const storageId = toHex(entry.subarray(1, 1 + storageIdBytes));
    const delay = this.#capacity.actsForStorage('timeToLiveDelay', storageId) ? this.#service : noDelay;
    return delay.dueMs(expiresMs, entry, hasIndexes);
  }

  get betweenLooksMs(): number {
    return this.#capacity.modes.actsForServer('timeToLiveDelay') ? this.#service.betweenLooksMs : 0;
  }
}
