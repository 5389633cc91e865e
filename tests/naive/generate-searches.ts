import type { SeededRandom } from '../seeded-random.ts';
import type { Comparator, Condition } from './expression-trees.ts';
import { randomCondition, randomProjectionExpression } from './generate-expressions.ts';
import type { World } from './generate-tables.ts';
import { anyValue, keyValue } from './generate-values.ts';
import { startKeyNames, type Target, targetOf } from './naive-search-checks.ts';
import type { QueryStep, ScanStep, SelectWish } from './search-steps.ts';
import type { CapacityWish } from './steps.ts';
import { allKeysOf, indexesOf, type KeyDefinition } from './table-definition.ts';
import { type Attributes, attributes, compareValues, type Value } from './values.ts';

interface AnyMembers {
  readonly capacity: CapacityWish | undefined;
  readonly spelling: number;
}

export function randomQuery(random: SeededRandom, world: World, members: AnyMembers): QueryStep {
  const index = randomIndex(random, world);
  const target = targetOf(world.table, index)!;
  const hash = new Map(target.hash.map(({ name, type }) => [name, keyValue(random, type)]));
  const clauses = spoilt(random, target, [
    ...target.hash.map(({ name }) => equality(random, name, hash.get(name)!)),
    ...rangeClauses(random, target.range),
  ]);
  return {
    kind: 'query',
    index,
    clauses,
    ...searchMembers(random, world, target),
    limit: random.pick([undefined, undefined, 1, 2, 3, 5]),
    forward: random.pick([undefined, true, false]),
    startKey: random.chance(0.15) ? randomStartKey(random, world, target, hash) : undefined,
    ...members,
  };
}

export function randomScan(random: SeededRandom, world: World, members: AnyMembers): ScanStep {
  const index = randomIndex(random, world);
  const target = targetOf(world.table, index)!;
  return {
    kind: 'scan',
    index,
    ...searchMembers(random, world, target),
    limit: random.pick([undefined, undefined, 3, 4, 7, 50]),
    segments: random.pick([undefined, undefined, 1, 2, 5]),
    ...members,
  };
}

function randomIndex(random: SeededRandom, { table }: World): string | undefined {
  const names = indexesOf(table).map(({ name }) => name);
  return random.chance(0.4) || names.length === 0 ? undefined : random.pick(names);
}

/** Mostly such as the index can serve. */
function searchMembers(random: SeededRandom, world: World, target: Target) {
  const { index, isLocal, hash, range } = target;
  const isGlobal = index !== undefined && !isLocal;
  const fields = world.fields.filter(({ name }) => target.holdsName(name));
  const keyNames = [...hash, ...range].map(({ name }) => name);
  const asked = random.chance(0.95) && fields.length > 0 ? { ...world, fields } : world;
  const filter = random.chance(0.45) ? randomFilter(random, asked, keyNames) : undefined;
  const projection = random.chance(0.35)
    ? randomProjectionExpression(random, isGlobal ? asked : world)
    : undefined;
  const fitting: readonly (SelectWish | undefined)[] =
    projection !== undefined
      ? [undefined, 'SPECIFIC_ATTRIBUTES']
      : [
          undefined,
          'COUNT',
          ...(index === undefined ? [] : (['ALL_PROJECTED_ATTRIBUTES'] as const)),
          ...(isGlobal && index.projection !== 'ALL' ? [] : (['ALL_ATTRIBUTES'] as const)),
        ];
  const select = random.chance(0.03)
    ? random.pick<SelectWish>(['SPECIFIC_ATTRIBUTES', 'ALL_PROJECTED_ATTRIBUTES', 'ALL_ATTRIBUTES', 'COUNT'])
    : random.pick(fitting);
  const consistent =
    isGlobal && random.chance(0.98) ? random.pick([undefined, false]) : random.pick([true, false]);
  return { filter, projection, select, consistent };
}

/** A filter that names none of the keys it must not, most of the time. */
function randomFilter(random: SeededRandom, world: World, keyNames: readonly string[]): Condition {
  let filter = randomCondition(random, world, 2);
  for (let tries = 0; tries < 20 && random.chance(0.98); tries++) {
    const text = JSON.stringify(filter);
    if (!keyNames.some((name) => text.includes(`"path":[${JSON.stringify(name)}`))) break;
    filter = randomCondition(random, world, 2);
  }
  return filter;
}

function equality(random: SeededRandom, name: string, value: Value): Condition {
  return comparison(random, '=', name, value);
}

/** Either side may be the attribute. */
function comparison(random: SeededRandom, comparator: Comparator, name: string, value: Value): Condition {
  const path = { kind: 'path', path: [name] } as const;
  const constant = { kind: 'value', value } as const;
  if (random.chance(0.8)) return { kind: 'compare', comparator, left: path, right: constant };
  const mirrored = { '=': '=', '<>': '<>', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;
  return { kind: 'compare', comparator: mirrored[comparator], left: constant, right: path };
}

/** Some of the first RANGE attributes, all but the last by their values. */
function rangeClauses(random: SeededRandom, range: readonly KeyDefinition[]): Condition[] {
  const named = range.slice(0, random.below(range.length + 1));
  return named.map(({ name, type }, i) => {
    const value = keyValue(random, type);
    if (i < named.length - 1) return equality(random, name, value);
    switch (random.below(type === 'N' ? 6 : 7)) {
      case 5: {
        const other = keyValue(random, type);
        const [low, high] = compareValues(value, other)! <= 0 ? [value, other] : [other, value];
        const operand = { kind: 'path', path: [name] } as const;
        return {
          kind: 'between',
          operand,
          low: { kind: 'value', value: low },
          high: { kind: 'value', value: high },
        };
      }
      case 6:
        return {
          kind: 'beginsWith',
          whole: { kind: 'path', path: [name] },
          start: { kind: 'value', value },
        };
      default:
        return comparison(random, random.pick(['=', '<', '<=', '>', '>=']), name, value);
    }
  });
}

/** Now and then a key condition with one thing wrong. */
function spoilt(random: SeededRandom, { hash }: Target, clauses: readonly Condition[]): readonly Condition[] {
  if (!random.chance(0.06)) return clauses;
  const [first, ...others] = clauses;
  const { name, type } = hash[0]!;
  switch (random.below(4)) {
    case 0:
      return others.length === 0 ? clauses : others;
    case 1:
      return [equality(random, name, keyValue(random, type === 'S' ? 'N' : 'S')), ...others];
    case 2:
      return [comparison(random, random.pick(['<', '>=']), name, keyValue(random, type)), ...others];
    default:
      // Without the first RANGE attribute there is a gap, if there is a second.
      return others.length < hash.length + 1
        ? clauses
        : [first!, ...others.filter((_, i) => i !== hash.length - 1)];
  }
}

function randomStartKey(
  random: SeededRandom,
  world: World,
  target: Target,
  hash: ReadonlyMap<string, Value>,
): Attributes {
  const types = new Map(allKeysOf(world.table).map(({ name, type }) => [name, type]));
  const key = attributes(
    startKeyNames(world.table, target).map((name) => {
      const own = random.chance(0.95) ? hash.get(name) : undefined;
      return [name, own ?? keyValue(random, types.get(name)!)];
    }),
  );
  if (!random.chance(0.2)) return key;
  const entries = Object.entries(key);
  const [name] = random.pick(entries);
  const others = entries.filter(([other]) => other !== name);
  switch (random.below(3)) {
    case 0:
      return attributes(others);
    case 1:
      return attributes([...entries, [world.fields[0]!.name, anyValue(random)]]);
    default:
      return attributes([...others, [name, { BOOL: true }]]);
  }
}
