import { decimalOf, unitsAt } from './exact-number.ts';
import type { Attribute, Entity, Piece } from './ir.ts';
import { md5 } from './md5.ts';

/** A value as the model speaks of it: numbers as numbers, times and dates as ISO-8601 text. */
export type PlainValue = string | number | boolean;

/** The text of a template for an item; undefined if the item lacks an attribute and so is not in the slot. */
export function keyText(
  entity: Entity,
  pieces: readonly Piece[],
  item: Readonly<Record<string, PlainValue | undefined>>,
): string | undefined {
  let text = '';
  for (const piece of pieces) {
    if (piece.kind === 'constant') {
      text += piece.text;
      continue;
    }
    if (piece.kind === 'shard') {
      const values = piece.of.map((name) => item[name]);
      if (values.includes(undefined)) return undefined;
      text += String(shardOf(values as PlainValue[], piece.count));
      continue;
    }
    const value = item[piece.attribute];
    if (value === undefined) return undefined;
    const attribute = entity.attributes.find(({ name }) => name === piece.attribute)!;
    if (piece.kind === 'bucket') text += String(value).slice(0, bucketLength[piece.unit]);
    else text += attributeText(attribute, value, piece.inverted ?? false);
  }
  return text;
}

/** How many characters of a time name its year, month, day or hour. */
export const bucketLength = { year: 4, month: 7, day: 10, hour: 13 } as const;

/** Thirteen digits of milliseconds reach the year 2286. */
export const lastMillisecond = 9_999_999_999_999;
const lastDate = 99_999_999;
const lastSecond = 9_999_999_999;

/** The text of one value, which sorts as the values do, or the other way round if inverted. */
export function attributeText({ type }: Attribute, value: PlainValue, inverted: boolean): string {
  switch (type.kind) {
    case 'number': {
      const width = type.digits + type.decimals;
      const decimal = decimalOf(value) ?? { units: 0n, decimals: 0 };
      const whole = unitsAt(decimal, type.decimals);
      const digits = String(inverted ? 10n ** BigInt(width) - 1n - whole : whole).padStart(width, '0');
      return type.decimals === 0
        ? digits
        : `${digits.slice(0, -type.decimals)}.${digits.slice(-type.decimals)}`;
    }
    case 'time':
      return inverted ? String(lastMillisecond - Date.parse(String(value))).padStart(13, '0') : String(value);
    case 'date':
      return inverted
        ? String(lastDate - Number(String(value).replaceAll('-', ''))).padStart(8, '0')
        : String(value);
    case 'epoch':
      return String(inverted ? lastSecond - Number(value) : value).padStart(10, '0');
    case 'flag':
      return value === true ? '1' : '0';
    case 'choice': {
      if (!type.ordered) return String(value);
      const rank = type.values.findIndex((one) => one.value === value);
      return `${String(inverted ? type.values.length - 1 - rank : rank).padStart(2, '0')}${String(value)}`;
    }
    case 'text':
      return type.plain ? String(value) : String(value).replaceAll('%', '%25').replaceAll('#', '%23');
    default:
      return String(value);
  }
}

const utf8 = new TextEncoder();

/** How a shard is computed from the bytes of a text. Derived keys use FNV-1a. */
export type ShardHash = 'fnv-1a' | 'md5';

/**
 * The shard of an item, from 0 up: a hash of its values, joined by `#`, modulo the number of shards. docs/design/shards.md
 * has the same function in Python, so that writers and readers in any language compute the same shard.
 */
export function shardOf(values: readonly PlainValue[], count: number, hash: ShardHash = 'fnv-1a'): number {
  const bytes = utf8.encode(values.map(String).join('#'));
  // The digest as one number of 128 bits, the most significant byte first.
  if (hash === 'md5') return md5(bytes).reduce((rest, byte) => (rest * 256 + byte) % count, 0);
  let sum = 0x811c9dc5;
  for (const byte of bytes) sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
  return sum % count;
}
