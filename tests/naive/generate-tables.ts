import type { SeededRandom } from '../seeded-random.ts';
import {
  allKeysOf,
  type IndexDefinition,
  type KeyDefinition,
  keysOf,
  type TableDefinition,
} from './table-definition.ts';
import type { KeyTypeName, TypeName } from './values.ts';

/** An attribute that items of a table often have, and the type that it mostly has. */
export interface Field {
  readonly name: string;
  readonly type: TypeName;
}

/** What a script is about: its table, and the attributes that its items have beside the keys. */
export interface World {
  readonly table: TableDefinition;
  /** Attributes that key no index in the beginning, and so may have any values until one does. */
  readonly later: readonly KeyDefinition[];
  readonly fields: readonly Field[];
}

const keyTypes: readonly KeyTypeName[] = ['S', 'N', 'B'];
const plainNames = ['a', 'b', 'c', 'd', 'e', 'Ab_1', 'name', 'Status'];
const strangeNames = [
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', '1', '0'],
  ...['a.b', 'm[0]', 'é', '🙂', '#a', ':a', 'a b', 'x-y', '"', 'a\u0300'],
];

export function randomWorld(random: SeededRandom): World {
  const names = shuffled(random, strangeNames);
  const key = (usual: string): KeyDefinition => ({
    name: random.chance(0.8) ? usual : names.pop()!,
    type: random.pick(keyTypes),
  });
  const hash = key('pk');
  const range = random.chance(0.65) ? key('sk') : undefined;
  const indexKeys = ['g1', 'g2', 'g3', 'g4'].map(key);
  const later = ['n1', 'n2'].map(key);
  const data = [...shuffled(random, plainNames).slice(0, 4), ...names.slice(0, 2)];
  const types: TypeName[] = [
    'N',
    'S',
    'L',
    'M',
    random.pick(['SS', 'NS', 'BS']),
    random.pick(['N', 'B', 'BOOL']),
  ];
  const fields = data.map((name, i) => ({ name, type: types[i]! }));
  const base: TableDefinition = {
    hash,
    ...(range && { range }),
    locals: [],
    globals: [],
  };
  const projection = () => randomProjection(random, data);
  const locals = range === undefined ? [] : random.pick([[], [], [0], [0, 1]]);
  const globals = random.pick([[], [0], [0], [0, 1], [0, 1, 2]]);
  return {
    fields,
    later,
    table: {
      ...base,
      locals: locals.map((i) => ({
        name: `lsi${i}`,
        hash: [hash],
        range: [indexKeys[i]!],
        projection: projection(),
      })),
      globals: globals.map((i) => randomGlobal(random, i, [...indexKeys, ...keysOf(base)], projection())),
    },
  };
}

/** Attributes that items may have: keys of the table, keys of indexes, fields. */
export function namesOf({ table, fields }: World): readonly string[] {
  return [...allKeysOf(table), ...fields].map(({ name }) => name);
}

/** An index that a table may be given later. */
export function randomLaterIndex(random: SeededRandom, { table, fields, later }: World, name: string) {
  const names = fields.map((field) => field.name);
  const known = allKeysOf(table).filter((key) => later.every((other) => other.name !== key.name));
  const [first, ...others] = shuffled(random, later);
  const index = randomGlobal(random, 0, [...others, ...known], randomProjection(random, names));
  // At least one attribute is such that some items may not fit.
  const isFirst = random.chance(0.7);
  return {
    ...index,
    name,
    hash: isFirst ? [first!, ...index.hash.slice(1)] : index.hash,
    range: isFirst ? index.range : [first!, ...index.range.slice(1)],
  };
}

function randomGlobal(
  random: SeededRandom,
  i: number,
  candidates: readonly KeyDefinition[],
  projection: IndexDefinition['projection'],
): IndexDefinition {
  const keys = shuffled(random, candidates);
  const hashes = random.chance(0.75) ? 1 : 1 + random.below(Math.min(4, keys.length));
  const ranges = random.chance(0.75) ? random.below(2) : random.below(5);
  return {
    name: `gsi${i}`,
    hash: keys.slice(0, hashes),
    range: keys.slice(hashes, hashes + ranges),
    projection,
  };
}

function randomProjection(random: SeededRandom, names: readonly string[]): IndexDefinition['projection'] {
  if (random.chance(0.4)) return 'ALL';
  if (random.chance(0.4)) return 'KEYS_ONLY';
  return shuffled(random, names).slice(0, 1 + random.below(3));
}

export function shuffled<T>(random: SeededRandom, values: readonly T[]): T[] {
  const left = [...values];
  return values.map(() => left.splice(random.below(left.length), 1)[0]!);
}
