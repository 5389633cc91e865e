import { projectItem } from '../../expressions/project.ts';
import type { Projection } from '../../expressions/tree.ts';
import { decodeItem, itemJson } from '../../model/stored/stored-item.ts';
import { jsonOf } from './item-answer.ts';

/**
 * The JSON of a stored item. Without a projection it is the stored bytes. A projection that finds nothing gives an
 * empty item.
 */
export function projectedJson(stored: Uint8Array, projection: Projection | undefined): Uint8Array {
  return projection === undefined ? itemJson(stored) : jsonOf(projectItem(projection, decodeItem(stored)));
}
