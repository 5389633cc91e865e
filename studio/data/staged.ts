import { signal } from '@preact/signals';
import type { Item } from '../../src/model/values/attribute-value.ts';

/** A change that is waiting for its commit. Nothing of it has reached the server. */
export interface StagedChange {
  readonly table: string;
  readonly hash: string;
  readonly range: string | undefined;
  /** The key of the item, as the table names it. */
  readonly key: Item;
  /** The item as it was when the change began; undefined if there was none. The commit is refused if it is another by then. */
  readonly before: Item | undefined;
  /** The item as it shall be; undefined to delete it. */
  readonly after: Item | undefined;
}

/** By the text of table and key, in the order in which they were staged. */
export const stagedChanges = signal<ReadonlyMap<string, StagedChange>>(new Map());
