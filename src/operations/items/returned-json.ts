import type { WriteOutcome } from '../../engine/writes/write-item.ts';
import type { Update } from '../../expressions/tree.ts';
import { updatedAttributes } from '../../expressions/update-answer.ts';
import { itemJson } from '../../model/stored/stored-item.ts';
import type { ReturnValues } from '../shapes/item-shapes.ts';
import { jsonOf } from './item-answer.ts';

/** The JSON for the ReturnValues of a write. Whole items are copied from their stored form. */
export function returnedJson(
  returnValues: ReturnValues | undefined,
  update: Update | undefined,
  { before, after, storedBefore, storedAfter }: WriteOutcome,
): Uint8Array | undefined {
  switch (returnValues) {
    case undefined:
    case 'NONE':
      return undefined;
    case 'ALL_OLD':
      return storedBefore && itemJson(storedBefore);
    case 'ALL_NEW':
      return storedAfter && itemJson(storedAfter);
    case 'UPDATED_OLD':
    case 'UPDATED_NEW': {
      const shown = update && updatedAttributes(update, returnValues === 'UPDATED_OLD' ? before : after);
      return shown && jsonOf(shown);
    }
  }
}
