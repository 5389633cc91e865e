import type { WriteOutcome } from '../../engine/writes/write-item.ts';
import type { Update } from '../../expressions/tree.ts';
import { updatedAttributes } from '../../expressions/update-answer.ts';
import { itemJson } from '../../model/stored/stored-item.ts';
import type { ReturnValues } from '../shapes/item-shapes.ts';
import { jsonOf } from './item-answer.ts';

/** What a write shows of the item, before or after it, as was asked; whole items as they are stored. */
export function returnedJson(
  asked: ReturnValues | undefined,
  update: Update | undefined,
  { before, after, storedBefore, storedAfter }: WriteOutcome,
): Uint8Array | undefined {
  switch (asked) {
    case undefined:
    case 'NONE':
      return undefined;
    case 'ALL_OLD':
      return storedBefore && itemJson(storedBefore);
    case 'ALL_NEW':
      return storedAfter && itemJson(storedAfter);
    case 'UPDATED_OLD':
    case 'UPDATED_NEW': {
      const shown = update && updatedAttributes(update, asked === 'UPDATED_OLD' ? before : after);
      return shown && jsonOf(shown);
    }
  }
}
