import type { SeededRandom } from '../seeded-random.ts';
import { randomCondition, randomProjectionExpression, randomUpdate } from './generate-expressions.ts';
import { randomQuery, randomScan } from './generate-searches.ts';
import { randomLaterIndex, randomWorld, shuffled, type World } from './generate-tables.ts';
import { anyValue, deepValue, keyValue, valueOfType, wrongNumbers } from './generate-values.ts';
import type {
  BatchGetStep,
  BatchWrite,
  BatchWriteStep,
  CapacityWish,
  DeleteStep,
  GetStep,
  IndexStep,
  PutStep,
  ReturnWish,
  Script,
  Step,
  TransactAction,
  TransactGetStep,
  TransactWriteStep,
  UpdateStep,
} from './steps.ts';
import { allKeysOf, keysOf, type TableDefinition } from './table-definition.ts';
import { type Attributes, attributes, type KeyTypeName, typeNames, type Value } from './values.ts';

/** What the other side can do already. */
export interface Capabilities {
  /** Conditions, projections, updates. */
  readonly expressions: boolean;
  readonly updateItem: boolean;
  readonly batches?: boolean;
  readonly transactions?: boolean;
  readonly searches?: boolean;
  /** Adding and deleting indexes. */
  readonly indexChanges?: boolean;
}

export function randomScript(random: SeededRandom, capabilities: Capabilities, length: number): Script {
  const first = randomWorld(random);
  let world = first;
  const steps = Array.from({ length }, (_, i): Step => {
    const change =
      capabilities.indexChanges && random.chance(0.04) ? randomIndexChange(random, world, i) : undefined;
    if (change === undefined) return randomStep(random, world, capabilities);
    world = { ...world, table: changedTable(world.table, change) };
    return change;
  });
  return { table: first.table, steps };
}

/** Adds an index while there are few; its name is its own, so that a script stays sound when steps are left out. */
function randomIndexChange(random: SeededRandom, world: World, i: number): IndexStep {
  const { globals } = world.table;
  if (globals.length > 0 && random.chance(globals.length / 5))
    return { kind: 'deleteIndex', name: random.pick(globals).name, spelling: 0 };
  return { kind: 'createIndex', index: randomLaterIndex(random, world, `new${i}`), spelling: 0 };
}

function changedTable(table: TableDefinition, step: IndexStep): TableDefinition {
  const globals =
    step.kind === 'createIndex'
      ? [...table.globals, step.index]
      : table.globals.filter(({ name }) => name !== step.name);
  return { ...table, globals };
}

function randomStep(random: SeededRandom, world: World, capabilities: Capabilities): Step {
  if (capabilities.searches && random.chance(0.25)) {
    const randomSearch = random.chance(0.7) ? randomQuery : randomScan;
    return randomSearch(random, world, anyMembers(random));
  }
  if (capabilities.batches && random.chance(0.12)) {
    return random.chance(0.4) ? randomBatchGet(random, world, capabilities) : randomBatchWrite(random, world);
  }
  if (capabilities.transactions && random.chance(0.12)) {
    return random.chance(0.3) ? randomTransactGet(random, world) : randomTransactWrite(random, world);
  }
  const kind = random.next();
  if (capabilities.updateItem && kind < 0.4) return randomUpdateStep(random, world, capabilities);
  if (kind < 0.7) return randomPut(random, world, capabilities);
  if (kind < 0.85) return randomGet(random, world, capabilities);
  return randomDelete(random, world, capabilities);
}

function randomPut(random: SeededRandom, world: World, capabilities: Capabilities): PutStep {
  const item = randomItem(random, world);
  return {
    kind: 'put',
    item: random.chance(0.05) ? spoiltItem(random, world, item) : item,
    ...writeMembers(random, world, capabilities),
  };
}

function randomGet(random: SeededRandom, world: World, { expressions }: Capabilities): GetStep {
  return {
    kind: 'get',
    key: randomKey(random, world),
    projection: expressions && random.chance(0.6) ? randomProjectionExpression(random, world) : undefined,
    consistent: random.pick([undefined, true, false]),
    ...anyMembers(random),
  };
}

function randomDelete(random: SeededRandom, world: World, capabilities: Capabilities): DeleteStep {
  return {
    kind: 'delete',
    key: randomKey(random, world),
    ...writeMembers(random, world, capabilities),
  };
}

function randomUpdateStep(random: SeededRandom, world: World, capabilities: Capabilities): UpdateStep {
  return {
    kind: 'update',
    key: randomKey(random, world),
    update: capabilities.expressions && random.chance(0.97) ? randomUpdate(random, world) : undefined,
    ...writeMembers(random, world, capabilities),
    returnValues: random.pick<ReturnWish | undefined>([
      undefined,
      'NONE',
      'ALL_OLD',
      'ALL_NEW',
      'UPDATED_OLD',
      'UPDATED_NEW',
      'UPDATED_NEW',
    ]),
  };
}

function randomBatchGet(random: SeededRandom, world: World, { expressions }: Capabilities): BatchGetStep {
  return {
    kind: 'batchGet',
    keys: severalOf(random, world, () => randomKey(random, world)),
    projection: expressions && random.chance(0.4) ? randomProjectionExpression(random, world) : undefined,
    consistent: random.pick([undefined, true, false]),
    ...anyMembers(random),
  };
}

function randomBatchWrite(random: SeededRandom, world: World): BatchWriteStep {
  const writes = severalOf(random, world, () => {
    const item = randomItem(random, world);
    return random.chance(0.02) ? spoiltItem(random, world, item) : item;
  });
  const keyNames = keysOf(world.table).map(({ name }) => name);
  return {
    kind: 'batchWrite',
    writes: writes.map((item): BatchWrite => {
      if (random.chance(0.65)) return { put: item };
      return { delete: attributes(Object.entries(item).filter(([name]) => keyNames.includes(name))) };
    }),
    ...anyMembers(random),
  };
}

function randomTransactGet(random: SeededRandom, world: World): TransactGetStep {
  return {
    kind: 'transactGet',
    gets: severalOf(random, world, () => randomKey(random, world)).map((key) => ({
      key,
      projection: random.chance(0.4) ? randomProjectionExpression(random, world) : undefined,
      spelling: anyMembers(random).spelling,
    })),
    ...anyMembers(random),
  };
}

/** Fewer conditions than single writes have: one that fails is enough to cancel everything. */
function randomTransactWrite(random: SeededRandom, world: World): TransactWriteStep {
  const keyNames = keysOf(world.table).map(({ name }) => name);
  return {
    kind: 'transactWrite',
    actions: severalOf(random, world, () => randomItem(random, world)).map((item): TransactAction => {
      const key = attributes(Object.entries(item).filter(([name]) => keyNames.includes(name)));
      const members = {
        condition: random.chance(0.25) ? randomCondition(random, world) : undefined,
        onFailure: random.pick([undefined, 'NONE' as const, 'ALL_OLD' as const, 'ALL_OLD' as const]),
        spelling: anyMembers(random).spelling,
      };
      const kind = random.next();
      if (kind < 0.45) return { kind: 'put', item, ...members };
      if (kind < 0.65) return { kind: 'update', key, update: randomUpdate(random, world), ...members };
      if (kind < 0.85) return { kind: 'delete', key, ...members };
      return { kind: 'check', key, ...members, condition: randomCondition(random, world) };
    }),
    ...anyMembers(random),
  };
}

/** A few keys or items. There are few keys in a world, so those that come again are mostly, not always, left out. */
function severalOf(random: SeededRandom, world: World, make: () => Attributes): Attributes[] {
  const made = Array.from({ length: 1 + random.below(5) }, make);
  if (random.chance(0.1)) return made;
  const byKey = new Map(
    made.map((each) => [
      JSON.stringify(keysOf(world.table).map(({ name }) => keyIdentity(each[name]))),
      each,
    ]),
  );
  return [...byKey.values()];
}

/** Equal numbers are one key however they are written. */
function keyIdentity(value: Value | undefined): unknown {
  return value !== undefined && 'N' in value ? Number(value.N) : value;
}

function anyMembers(random: SeededRandom): { capacity: CapacityWish | undefined; spelling: number } {
  return {
    capacity: random.pick<CapacityWish | undefined>([undefined, 'NONE', 'TOTAL', 'INDEXES', 'INDEXES']),
    spelling: 1 + random.below(1_000_000),
  };
}

function writeMembers(random: SeededRandom, world: World, { expressions }: Capabilities) {
  const returnValues: ReturnWish | undefined = random.chance(0.01)
    ? 'ALL_NEW'
    : random.pick([undefined, 'NONE', 'ALL_OLD', 'ALL_OLD']);
  return {
    condition: expressions && random.chance(0.45) ? randomCondition(random, world) : undefined,
    returnValues,
    onFailure: random.pick([undefined, 'NONE' as const, 'ALL_OLD' as const, 'ALL_OLD' as const]),
    ...anyMembers(random),
  };
}

/** Keys, most keys of indexes, most of the fields; the odd index key is one that cannot be indexed. */
function randomItem(random: SeededRandom, world: World): Attributes {
  const item = attributes();
  const tableKeys = keysOf(world.table);
  for (const { name, type } of allKeysOf(world.table)) {
    const isTableKey = tableKeys.some((key) => key.name === name);
    if (isTableKey || random.chance(0.65)) item[name] = keyValue(random, type);
    if (!isTableKey && random.chance(0.01)) item[name] = anyValue(random);
    if (!isTableKey && random.chance(0.005)) item[name] = type === 'B' ? { B: '' } : { S: '' };
  }
  for (const { name, type } of world.later) {
    if (item[name] === undefined && random.chance(0.8)) item[name] = laterValue(random, world, name, type);
  }
  for (const { name, type } of world.fields) {
    if (random.chance(0.7)) item[name] = random.chance(0.85) ? valueOfType(random, type) : anyValue(random);
  }
  return attributes(shuffled(random, Object.entries(item)));
}

/** Values that fit a key, and such as do not while nobody minds. */
function laterValue(random: SeededRandom, { table }: World, name: string, type: KeyTypeName): Value {
  const isKey = allKeysOf(table).some((key) => key.name === name);
  if (isKey || random.chance(0.7)) return keyValue(random, type);
  return random.chance(0.5) ? anyValue(random) : wrongKeyValue(random);
}

function randomKey(random: SeededRandom, world: World): Attributes {
  const key = attributes(keysOf(world.table).map(({ name, type }) => [name, keyValue(random, type)]));
  return random.chance(0.04) ? spoiltKey(random, world, key) : key;
}

/** A key with one thing wrong. */
function spoiltKey(random: SeededRandom, world: World, key: Attributes): Attributes {
  const { name } = random.pick(keysOf(world.table));
  const others = Object.entries(key).filter(([other]) => other !== name);
  switch (random.below(4)) {
    case 0:
      return attributes(others);
    case 1:
      return attributes([...Object.entries(key), [world.fields[0]!.name, anyValue(random)]]);
    case 2:
      return attributes([...others, [name, wrongKeyValue(random)]]);
    default:
      return attributes([...others, [name, valueOfType(random, random.pick(typeNames))]]);
  }
}

/** An item with one thing wrong. */
function spoiltItem(random: SeededRandom, world: World, item: Attributes): Attributes {
  const entries = Object.entries(item);
  const { name } = random.pick(random.chance(0.5) ? keysOf(world.table) : allKeysOf(world.table));
  const field = random.pick(world.fields).name;
  const others = (than: string) => entries.filter(([other]) => other !== than);
  const fault = random.next();
  if (fault < 0.2) return attributes(others(name));
  if (fault < 0.5) return attributes([...others(name), [name, wrongKeyValue(random)]]);
  if (fault < 0.6) return attributes([...others(name), [name, anyValue(random)]]);
  if (fault < 0.85) return attributes([...others(field), [field, wrongNumber(random)]]);
  // The deepest that is allowed is no fault; one level more is.
  if (fault < 0.97) return attributes([...others(field), [field, deepValue(32 + random.below(2))]]);
  return attributes([...others(field), [field, { S: 'x'.repeat(409_400 + random.below(400)) }]]);
}

/** Empty, too long for one kind of key or for both, or just not. */
function wrongKeyValue(random: SeededRandom): Value {
  const length = random.pick([0, 0, 1024, 1025, 2048, 2049]);
  if (random.chance(0.5)) return { S: 'k'.repeat(length) };
  return { B: Buffer.alloc(length, 1).toString('base64') };
}

function wrongNumber(random: SeededRandom): Value {
  const wrong = random.pick(wrongNumbers);
  return random.pick<Value>([{ N: wrong }, { NS: ['1', wrong] }, { L: [{ N: wrong }] }]);
}
