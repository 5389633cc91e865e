import type { Item } from '../model/attribute-value.ts';
import { attributeSize, itemSize } from '../model/item-size.ts';
import { touchedAttributes } from './apply-update.ts';
import type { Update, UpdateAction } from './tree.ts';

/**
 * The size by which UpdateItem alone judges an item against 400 KB. Besides the item itself it weighs what the update
 * writes, at a fixed cost for each action; all other writes measure the item only.
 *
 * Found by bisecting the live service (eu-west-2, August 2026, dynamodb-conformance): attributes that the update
 * leaves alone, its key among them, are not in that figure. For updates of nested paths the figure was not measured;
 * the whole attribute is taken to count.
 */
export function updateGateSize(update: Update, after: Item): number {
  let written = updateGateCost(update);
  for (const name of touchedAttributes(update)) {
    const value = after.get(name);
    if (value !== undefined) written += attributeSize(name, value);
  }
  return Math.max(itemSize(after), written);
}

/** 3 bytes for an update, 19 for an action that writes a value and 2 for one that clears, with two surcharges. */
export function updateGateCost(update: Update): number {
  return update.actions.reduce((cost, action) => cost + actionCost(action), 3);
}

function actionCost(action: UpdateAction): number {
  if (action.kind === 'remove' || action.kind === 'delete') return 2;
  const atIndex = typeof action.path[action.path.length - 1] === 'number' ? 1 : 0;
  const arithmetic = action.kind === 'set' && action.value.kind === 'arithmetic' ? 50 : 0;
  return 19 + atIndex + arithmetic;
}
