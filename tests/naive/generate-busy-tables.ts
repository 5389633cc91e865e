import type { SeededRandom } from '../seeded-random.ts';
import type { Condition, Operand, Path, UpdateAction } from './expression-trees.ts';
import { shuffled } from './generate-tables.ts';
import { startKeyNames, type Target, targetOf } from './naive-search-checks.ts';
import type { QueryStep, ScanStep, SearchStep } from './search-steps.ts';
import type { BatchWrite, Step } from './steps.ts';
import {
  allKeysOf,
  type IndexDefinition,
  type KeyDefinition,
  keysOf,
  type TableDefinition,
} from './table-definition.ts';
import { type Attributes, attributes, type KeyTypeName, type Value } from './values.ts';

/**
 * Tables for many items whose index keys are mostly equal, some of them too long for a store's keys. Items are known by
 * their numbers.
 */
export interface BusyWorld {
  readonly table: TableDefinition;
  /** An index that the table may be given later. */
  readonly later: IndexDefinition;
  /** How long a text each item has. */
  readonly payload: number;
}

const partitions = 3;
const long = 'x'.repeat(1_000);
const projections: readonly IndexDefinition['projection'][] = ['ALL', 'KEYS_ONLY', ['v'], ['v', 'colour']];

export function randomBusyWorld(random: SeededRandom): BusyWorld {
  const key = (name: string, type = random.pick<KeyTypeName>(['S', 'N', 'B'])) => ({ name, type });
  const hash = key('pk');
  const range = random.chance(0.75) ? key('sk') : undefined;
  const [g, l] = [key('g'), key('l')];
  const longs = ['r1', 'r2', 'r3'].map((name) => key(name, 'S'));
  const index = (name: string, hashes: KeyDefinition[], ranges: KeyDefinition[]) => ({
    name,
    hash: hashes,
    range: ranges,
    projection: random.pick(projections),
  });
  const [later, ...globals] = shuffled(random, [
    index('equal', [g], []),
    index('ranged', [g], [l]),
    index('cut', [g], longs),
    index('several', [g, l], [longs[0]!]),
    index('turned', [l], [hash]),
  ]);
  return {
    table: {
      hash,
      ...(range && { range }),
      locals: range === undefined ? [] : [index('local', [hash], [l]), index('long', [hash], [longs[0]!])],
      globals: globals.slice(0, 3),
    },
    later: later!,
    payload: random.chance(0.2) ? 20_000 : 10,
  };
}

export function withLaterIndex({ table, later }: BusyWorld): TableDefinition {
  return { ...table, globals: [...table.globals, later] };
}

export function busyKey({ table }: BusyWorld, number: number): Attributes {
  return attributes(
    keysOf(table).map(({ name, type }) => {
      const isPartition = name === table.hash.name && table.range !== undefined;
      return [name, keyOf(type, isPartition ? number % partitions : number)];
    }),
  );
}

export function randomBusyItem(random: SeededRandom, world: BusyWorld, number: number): Attributes {
  return attributes([
    ...Object.entries(busyKey(world, number)),
    ...indexKeysOf(world)
      .filter(() => random.chance(0.9))
      .map((key) => [key.name, randomIndexKey(random, key)] as const),
    ...randomFields(random, world),
  ]);
}

/** A write to some of the items with these numbers. Those with even numbers stay where they are. */
export function randomBusyWrite(
  random: SeededRandom,
  world: BusyWorld,
  numbers: readonly number[],
  find: (key: Attributes) => Attributes | undefined,
): Step {
  const number = random.pick(numbers);
  const key = busyKey(world, number);
  const members = { spelling: random.below(100) };
  const kind = random.next();
  if (kind < 0.35) {
    return { kind: 'put', item: rewritten(random, world, number, find), returnValues: 'ALL_OLD', ...members };
  }
  if (kind < 0.5) {
    const chosen = [...new Set(Array.from({ length: 6 }, () => random.pick(numbers)))];
    const writes = chosen.map((each): BatchWrite => {
      const isGoing = isMoving(each) && random.chance(0.3);
      return isGoing ? { delete: busyKey(world, each) } : { put: rewritten(random, world, each, find) };
    });
    return { kind: 'batchWrite', writes, ...members };
  }
  if (isMoving(number) && kind < 0.6) return { kind: 'delete', key, returnValues: 'ALL_OLD', ...members };
  const update: UpdateAction[] = [{ kind: 'add', path: ['v'], value: { N: '1' } }];
  if (isMoving(number) && random.chance(0.6)) {
    const moved = random.pick(indexKeysOf(world));
    const path: Path = [moved.name];
    update.push(
      random.chance(0.2)
        ? { kind: 'remove', path }
        : { kind: 'set', path, value: { kind: 'value', value: randomIndexKey(random, moved) } },
    );
  }
  // Now and then one that is refused, and so must show nowhere.
  const condition: Condition | undefined = random.chance(0.3)
    ? compare(random.pick(['<', '>']), 'v', { N: String(random.below(30)) })
    : undefined;
  return { kind: 'update', key, update, condition, returnValues: 'ALL_NEW', ...members };
}

function isMoving(number: number): boolean {
  return number % 2 === 1;
}

/** The item anew: where it was, unless it may move. */
function rewritten(
  random: SeededRandom,
  world: BusyWorld,
  number: number,
  find: (key: Attributes) => Attributes | undefined,
): Attributes {
  const before = find(busyKey(world, number));
  if (isMoving(number) || before === undefined) return randomBusyItem(random, world, number);
  const keyNames = [...keysOf(world.table), ...indexKeysOf(world)].map(({ name }) => name);
  const keys = Object.entries(before).filter(([name]) => keyNames.includes(name));
  return attributes([...keys, ...randomFields(random, world)]);
}

export function randomBusySearch(random: SeededRandom, world: BusyWorld): SearchStep {
  const { table } = world;
  const names = [...table.locals, ...table.globals].map(({ name }) => name);
  const index = random.chance(0.25) ? undefined : random.pick(names);
  const target = targetOf(table, index)!;
  const members = {
    index,
    filter: random.chance(0.4) ? randomFilter(random, target) : undefined,
    projection: random.chance(0.2) ? projectionOf(random, table, target) : undefined,
    limit: random.pick([undefined, 1, 2, 3, 5, 7, 20]),
    spelling: random.below(100),
  };
  const search = random.chance(0.7)
    ? randomQuery(random, target, members)
    : { kind: 'scan' as const, segments: random.pick([undefined, undefined, 2, 5]), ...members };
  if (search.projection !== undefined) return search;
  // What a local index lacks is fetched from the table, which no other search does.
  const canShowAll = index === undefined || target.isLocal || target.index!.projection === 'ALL';
  return { ...search, select: random.pick([undefined, 'COUNT', canShowAll ? 'ALL_ATTRIBUTES' : undefined]) };
}

function randomQuery(
  random: SeededRandom,
  target: Target,
  members: Omit<ScanStep, 'kind' | 'segments'>,
): QueryStep {
  const hash = target.hash.map((key) =>
    compare(
      '=',
      key.name,
      key.name === 'pk' ? keyOf(key.type, random.below(4)) : randomIndexKey(random, key),
    ),
  );
  const first = target.range[0];
  const bounds =
    first === undefined || random.chance(0.6)
      ? []
      : [compare(random.pick(['=', '<', '<=', '>', '>=']), first.name, randomRangeValue(random, first))];
  return { kind: 'query', clauses: [...hash, ...bounds], forward: random.pick([true, false]), ...members };
}

function randomRangeValue(random: SeededRandom, key: KeyDefinition): Value {
  return key.name === 'pk' || key.name === 'sk'
    ? keyOf(key.type, random.below(200))
    : randomIndexKey(random, key);
}

/** About what hardly changes and about what changes all the time. */
function randomFilter(random: SeededRandom, { holdsName }: Target): Condition | undefined {
  const about = random.pick([
    compare('=', 'colour', { S: random.pick(colours) }),
    compare(random.pick(['<', '>=']), 'v', { N: String(random.below(30)) }),
  ]);
  return holdsName(about.left.path[0]) ? about : undefined;
}

/** Something, and the keys by which an item and its place are known. */
function projectionOf(random: SeededRandom, table: TableDefinition, target: Target): Path[] {
  const fields = ['v', 'colour', 'payload'].filter((name) => target.isLocal || target.holdsName(name));
  const shown = fields.filter(() => random.chance(0.5));
  return [...startKeyNames(table, target), ...shown].map((name) => [name]);
}

const colours = ['red', 'green', 'blue'];

function randomFields(random: SeededRandom, { payload }: BusyWorld): [string, Value][] {
  return [
    ['v', { N: String(random.below(30)) }],
    ['colour', { S: random.pick(colours) }],
    ['payload', { S: random.pick(['a', 'b', 'c']).repeat(payload) }],
  ];
}

function indexKeysOf(world: BusyWorld): readonly KeyDefinition[] {
  const own = keysOf(world.table).map(({ name }) => name);
  return allKeysOf(withLaterIndex(world)).filter(({ name }) => !own.includes(name));
}

/** One of few values, so that most items have equal ones; those of `r` may be too long together. */
function randomIndexKey(random: SeededRandom, { name, type }: KeyDefinition): Value {
  if (name === 'r3') return { S: `${long}${random.below(4)}` };
  if (name.startsWith('r')) return { S: random.pick(['a', long, long, 'z']) };
  return keyOf(type, random.below(name === 'g' ? 2 : 3));
}

function keyOf(type: KeyTypeName, number: number): Value {
  if (type === 'N') return { N: String(number - 50) };
  const text = `k${number}`;
  return type === 'S' ? { S: text } : { B: Buffer.from(text).toString('base64') };
}

function compare(comparator: '=' | '<' | '<=' | '>' | '>=', name: string, value: Value) {
  const left = { kind: 'path', path: [name] as const } as const;
  const right: Operand = { kind: 'value', value };
  return { kind: 'compare', comparator, left, right } as const satisfies Condition;
}
