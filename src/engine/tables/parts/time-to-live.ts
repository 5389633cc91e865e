import { flag, number, object, optional, text, whole } from '../../../model/json/fields.ts';
import { none, type TablePart } from './table-part.ts';

export interface TimeToLiveSettings {
  readonly ttl?: { readonly attributeName: string };
}

export interface TimeToLiveState {
  /** The slot of the expiry entries while Time to Live is enabled. */
  readonly expiry?: ExpirySlot;
  /** The time of the last change of the TTL setting, for its cool-down. */
  readonly ttlChangedAt?: number;
}

export interface ExpirySlot {
  /** The slot. Like the slot of an index, it is never reused. */
  readonly slot: number;
  /** Whether all items that existed before have their entries. */
  readonly filled: boolean;
}

/** DescribeTable does not show Time to Live; it has an operation of its own, and so has its change. */
export const timeToLive: TablePart<TimeToLiveSettings, TimeToLiveState> = {
  settings: { ttl: optional(object<NonNullable<TimeToLiveSettings['ttl']>>({ attributeName: text })) },
  state: {
    expiry: optional(object<ExpirySlot>({ slot: whole, filled: flag })),
    ttlChangedAt: optional(number),
  },
  created: none,
  begun: none,
  described: none,
};
