import { projectItem } from '../../expressions/project.ts';
import type { Projection } from '../../expressions/tree.ts';
import { decodeItem, itemJson } from '../../model/stored/stored-item.ts';
import { jsonOf } from './item-answer.ts';

/** Without a projection the stored bytes are the answer; with one that finds nothing, the item is there and empty. */
export function projectedJson(stored: Uint8Array, projection: Projection | undefined): Uint8Array {
  return projection === undefined ? itemJson(stored) : jsonOf(projectItem(projection, decodeItem(stored)));
}
