import type { Item } from '../model/values/attribute-value.ts';
import { projectItem, projectionOf } from './project.ts';
import type { Update } from './tree.ts';

/**
 * What UPDATED_OLD and UPDATED_NEW show of an item before or after an update: the paths that the update names, and
 * nothing at all when the item has none of them.
 *
 * This is a plain projection, and so are the service's oddities (observed: Alternator's tests): an element that was put
 * beyond the end of a list does not stand at its index and is not shown; after `REMOVE a[1]` the element that moved to
 * index 1 is.
 */
export function updatedAttributes(update: Update, item: Item | undefined): Item | undefined {
  if (item === undefined) return undefined;
  const shown = projectItem(projectionOf(update.actions.map(({ path }) => path)), item);
  return shown.size === 0 ? undefined : shown;
}
