import { decodeItem, encodeItem, type ItemHeader, readHeader } from '../../model/stored/stored-item.ts';
import {
  type AttributeValue,
  type Item,
  memberOrder,
  type SetType,
} from '../../model/values/attribute-value.ts';
import { isBase64 } from '../../model/values/base64.ts';
import { equalBytes } from '../../model/values/bytes.ts';
import { canonicalNumber } from '../../model/values/numbers.ts';

export interface StoredForm {
  readonly item: Item;
  readonly header: ItemHeader;
}

/** A stored value taken apart, or why it cannot be. */
export function readForm(stored: Uint8Array): StoredForm | Error {
  try {
    return { header: readHeader(stored), item: decodeItem(stored) };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Whether a value is, byte for byte, what the engine writes for this item. */
export function isCanonical(stored: Uint8Array, { item, header }: StoredForm): boolean {
  return isNormalItem(item) && equalBytes(encodeItem(item, header), stored);
}

/** The writer sorts names and members but trusts numbers, binaries and repeats: those are looked at here. */
function isNormalItem(item: Item): boolean {
  for (const value of item.values()) if (!isNormal(value)) return false;
  return true;
}

function isNormal(value: AttributeValue): boolean {
  if ('N' in value) return isNormalNumber(value.N);
  if ('B' in value) return isBase64(value.B);
  if ('M' in value) return isNormalItem(value.M);
  if ('L' in value) return value.L.every(isNormal);
  if ('SS' in value) return isNormalSet('SS', value.SS, () => true);
  if ('NS' in value) return isNormalSet('NS', value.NS, isNormalNumber);
  if ('BS' in value) return isNormalSet('BS', value.BS, isBase64);
  return true;
}

function isNormalNumber(text: string): boolean {
  return canonicalNumber(text, 'newer') === text;
}

function isNormalSet(
  type: SetType,
  members: readonly string[],
  isNormalMember: (member: string) => boolean,
): boolean {
  const order = memberOrder[type];
  if (members.length === 0 || !members.every(isNormalMember)) return false;
  for (let i = 1; i < members.length; i++) if (order(members[i - 1]!, members[i]!) >= 0) return false;
  return true;
}
