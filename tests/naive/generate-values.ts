import type { SeededRandom } from '../seeded-random.ts';
import { attributes, type KeyTypeName, type TypeName, typeNames, type Value } from './values.ts';

/**
 * Few different values, so that they meet: equal ones in other spellings, prefixes of each other, neighbours in
 * order. The edges of what DynamoDB holds come along now and then.
 */

const texts = ['', 'a', 'b', 'ab', 'abc', 'b', 'a', 'z', 'é', '🙂', '\u0000', 'a\u0300', '"\\\n'];
const numbers = [
  '0',
  '1',
  '-1',
  '2',
  '3',
  '1.0',
  '1e0',
  '10',
  '0.5',
  '.5',
  '-0',
  '1E2',
  '+7',
  '007',
  '-2.50',
];
const edgeNumbers = [
  '9.9999999999999999999999999999999999999E+125',
  '-9.9999999999999999999999999999999999999E+125',
  '1E-130',
  '-1E-130',
  '12345678901234567890123456789012345678',
  '0.12345678901234567890123456789012345678',
  '99999999999999999999999999999999999999',
  '1E37',
  '1E125',
  '1e-38',
  '123456789.000000001',
];
/** One by one what is wrong with a number. */
export const wrongNumbers = [
  '123456789012345678901234567890123456789',
  '1E126',
  '-1E126',
  '1E-131',
  'abc',
  '',
  '1 ',
  '0x1',
  'NaN',
  '1e',
  '0e126',
];
const bytes = ['', '00', '01', '0001', 'ff', '00ff', 'ff00ff', '80', '7f'];
const numberSet = ['1', '2', '-1', '3.5', '1e2', '0', '1E-130'];
/** Names inside maps. */
export const memberNames = ['x', 'y', 'name', '__proto__', 'é', '0', 'constructor'];

export function valueOfType(random: SeededRandom, type: TypeName, levels = 3): Value {
  switch (type) {
    case 'S':
      return { S: text(random) };
    case 'N':
      return { N: number(random) };
    case 'B':
      return { B: base64(random.pick(bytes)) };
    case 'BOOL':
      return { BOOL: random.chance(0.5) };
    case 'NULL':
      return { NULL: true };
    case 'SS':
      return { SS: some(random, ['a', 'b', 'ab', '', 'é', 'z']) };
    case 'NS':
      return { NS: some(random, numberSet) };
    case 'BS':
      return { BS: some(random, bytes).map(base64) };
    case 'L':
      return { L: Array.from({ length: random.below(4) }, () => anyValue(random, levels - 1)) };
    case 'M': {
      const names = memberNames.filter(() => random.chance(0.3));
      return { M: attributes(names.map((name) => [name, anyValue(random, levels - 1)])) };
    }
  }
}

/** Scalars mostly; lists and maps only while levels are left. */
export function anyValue(random: SeededRandom, levels = 3): Value {
  const types: readonly TypeName[] = levels > 1 ? typeNames : ['S', 'N', 'B', 'BOOL', 'NULL', 'SS'];
  return valueOfType(random, random.chance(0.5) ? random.pick(['S', 'N', 'N']) : random.pick(types), levels);
}

/** A key of a table or an index: few, never empty, and one of them more often than the others. */
export function keyValue(random: SeededRandom, type: KeyTypeName): Value {
  if (type === 'S') return { S: random.pick(['a', 'a', 'a', 'b', 'é']) };
  if (type === 'N') return { N: random.pick(['1', '1.0', '1e0', '2', '-3']) };
  return { B: base64(random.pick(['00', '00', '00', '01', 'ff'])) };
}

/** As deep as it may be, or one level deeper. */
export function deepValue(levels: number): Value {
  let value: Value = { N: '1' };
  for (let level = 1; level < levels; level++) {
    value = level % 2 === 0 ? { L: [value] } : { M: attributes([['x', value]]) };
  }
  return value;
}

export function base64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64');
}

function text(random: SeededRandom): string {
  // Long enough to cross the borders of capacity units.
  if (random.chance(0.03)) return 'x'.repeat(random.pick([900, 1000, 1024, 2000, 4090, 5000]));
  return random.pick(texts);
}

function number(random: SeededRandom): string {
  return random.pick(random.chance(0.08) ? edgeNumbers : numbers);
}

/** Some of the members, one at least, in any order. */
function some(random: SeededRandom, members: readonly string[]): string[] {
  const chosen = members.filter(() => random.chance(0.4));
  if (chosen.length === 0) return [random.pick(members)];
  return random.chance(0.5) ? chosen : chosen.reverse();
}
