import type { Attribute, Bytes, Value } from '../design/index.ts';
import { mix, type Seeded } from './seeded.ts';

const words =
  'amber anchor autumn basket beacon birch bridge canyon cedar circle cobalt copper coral cotton dawn delta ember field flint forest garden glacier granite harbour hazel island ivory jasper kettle lantern lemon linen maple marble meadow mercury mosaic north oak ocean olive opal orchard paper pearl pepper pine planet prairie quartz raven ribbon river saddle saffron sail shadow silver slate sparrow spruce stone summer sunset tallow thistle thunder timber topaz valley velvet violet walnut water willow winter'.split(
    ' ',
  );
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** What values are drawn around. */
export interface Era {
  /** The time at which the sample was taken; everything happened in the `days` before. */
  readonly nowMs: number;
  readonly days: number;
}

/** A length between the ends, `mean` on average: even from nothing to twice the mean, or narrower below the maximum. */
function drawSize(random: Seeded, { mean, max }: Bytes, least = 1): number {
  if (max <= mean) return Math.max(least, Math.round(mean));
  const spread = Math.min(mean - least, max - mean);
  if (spread <= 0) return Math.max(least, Math.round(mean));
  return random.between(Math.round(mean - spread), Math.round(mean + spread));
}

/**
 * How many children a parent has: between nothing and twice the mean, `mean` on average also where it is no whole number.
 * `rank` says where between the two, from 0 to 1.
 */
export function drawCount(random: Seeded, { mean, max }: Bytes, rank = random.next()): number {
  if (max <= mean) return Math.round(mean);
  const spread = Math.min(mean, max - mean);
  const drawn = mean - spread + rank * 2 * spread;
  return Math.min(max, Math.floor(drawn + random.next()));
}

/** A token of the length that is unique among those with the same label. */
export function token(label: number, index: number, length: number): string {
  // An odd factor permutes the numbers below a power of two, so that different indexes never meet.
  const digits = Math.min(length, 6);
  let scrambled = (Math.imul(index, 0x2545f491) + label) & (2 ** (5 * digits) - 1);
  let text = '';
  for (let at = 0; at < digits; at++) {
    text = alphabet[scrambled % 32]! + text;
    scrambled >>>= 5;
  }
  let rest = mix(label ^ mix(index + 1));
  for (let left = 6; text.length < length; left--) {
    if (left === 0) {
      rest = mix(rest + 0x9e3779b9);
      left = 6;
    }
    text += alphabet[(rest >>> (left * 5 - 3)) & 31]!;
  }
  return text;
}

export function sentence(random: Seeded, length: number, separator = ' '): string {
  let text = '';
  while (text.length < length) {
    const word = random.pick(words);
    text += text === '' ? word.charAt(0).toUpperCase() + word.slice(1) : separator + word;
  }
  const cut = text.slice(0, length);
  return cut.endsWith(separator) ? `${cut.slice(0, -1)}e` : cut;
}

export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

/** A value of the attribute's type that nothing else determines. */
export function drawValue(random: Seeded, attribute: Attribute, era: Era): Value {
  const { name, type } = attribute;
  switch (type.kind) {
    case 'id':
      return token(random.below(2 ** 30), random.below(2 ** 30), drawSize(random, type.bytes, 4));
    case 'text': {
      const length = drawSize(random, type.bytes);
      if (/e-?mail/i.test(name) && length > 12)
        return `${sentence(random, length - 12, '.').toLowerCase()}@example.com`;
      return sentence(random, length, type.plain ? '-' : ' ');
    }
    case 'path':
      return sentence(random, drawSize(random, type.bytes), '/');
    case 'number': {
      const whole = random.between(1, 10 ** Math.min(type.digits, 9) - 1);
      if (type.decimals === 0) return whole;
      const parts = 10 ** Math.min(type.decimals, 4);
      return (whole * parts + random.below(parts)) / parts;
    }
    case 'time':
      return timeText(pastMs(random, era));
    case 'date':
      return timeText(pastMs(random, era)).slice(0, 10);
    case 'epoch':
      return Math.floor(pastMs(random, era) / 1000);
    case 'flag':
      return random.chance(0.5);
    case 'choice': {
      let drawn = random.next();
      for (const { value, share } of type.values) {
        drawn -= share;
        if (drawn < 0) return value;
      }
      return type.values.at(-1)!.value;
    }
    case 'binary':
      return Uint8Array.from({ length: drawSize(random, type.bytes) }, () => random.below(256));
    case 'map': {
      // The bytes of a document: 3, and for each member 1, its name and its value.
      const length = Math.max(1, drawSize(random, type.bytes) - 8);
      return { data: sentence(random, length) };
    }
    case 'list': {
      const count = drawCount(random, { mean: type.count, max: type.countMax ?? type.count * 2 });
      return Array.from({ length: count }, () => sentence(random, type.elementBytes));
    }
  }
}

function pastMs(random: Seeded, { nowMs, days }: Era): number {
  return nowMs - Math.floor(random.next() * days * 86_400_000);
}
