import type { AttributeMapInput } from './operations/shapes/plain-attribute-value.ts';
import {
  type ChangesOptions,
  changesOfTable,
  type ItemVersion,
  itemVersions,
  type PastChange,
  type StoredChanges,
  storedChanges,
  storedVersions,
} from './past-changes.ts';
import { type PastTime, PastView, type Present, readPastTime } from './past-view.ts';
import type { CallOptions } from './plain/plain-call.ts';
import { PlainMethods } from './plain/plain-methods.ts';

/** The methods of a database that look into the past of its tables. */
export abstract class PastMethods extends PlainMethods implements Present {
  abstract readonly engine: Present['engine'];
  abstract readonly region: string;
  abstract readonly authorize: Present['authorize'];
  abstract readonly log: Present['log'];
  abstract readonly logFailure: Present['logFailure'];
  abstract newRequestId(): string;
  abstract nowMs(): number;

  /**
   * The database as it was at a time: `db.at('2026-11-18T09:00:00Z').getItem({ … })`. It shows tables with
   * point-in-time recovery, at any millisecond of their window, and can only be read.
   */
  at(time: PastTime): PastView {
    return new PastView(this, readPastTime(time, 'at takes'));
  }

  /**
   * The items of a table that differ between two times, in no particular order: `for await (const change of
   * db.changes('orders', { from, to }))`. `to` is now unless given.
   */
  changes(tableName: string, options: ChangesOptions): AsyncGenerator<PastChange, void> {
    return changesOfTable(this, tableName, options);
  }

  /** A page of changes as they are stored, for the control API. */
  storedChanges(tableName: string, options: ChangesOptions, after?: Uint8Array): Promise<StoredChanges> {
    return storedChanges(this, tableName, options, after);
  }

  /** The versions of an item as they are stored, for the control API. */
  storedVersions(tableName: string, key: object, options: CallOptions) {
    return storedVersions(this, tableName, key as AttributeMapInput, options);
  }

  /** The versions of an item that the table's point-in-time recovery has kept, newest first. */
  versions(tableName: string, key: AttributeMapInput, options: CallOptions = {}): Promise<ItemVersion[]> {
    return itemVersions(this, tableName, key, options);
  }
}
