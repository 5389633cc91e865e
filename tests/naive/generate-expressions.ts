import type { SeededRandom } from '../seeded-random.ts';
import type {
  Comparator,
  Condition,
  Operand,
  Path,
  Projection,
  SetValue,
  Update,
  UpdateAction,
  UpdateOperand,
} from './expression-trees.ts';
import { type Field, namesOf, type World } from './generate-tables.ts';
import { anyValue, keyValue, memberNames, valueOfType } from './generate-values.ts';
import { allKeysOf, keysOf } from './table-definition.ts';
import { compareValues, type TypeName, typeNames, typeOf, type Value } from './values.ts';

/**
 * Random expressions that the service accepts: whatever it would refuse before looking at an item (constants of the
 * wrong type, one path on both sides, paths that overlap) is not made here.
 */

export function randomCondition(random: SeededRandom, world: World, levels = 3): Condition {
  if (levels > 1 && random.chance(0.35)) {
    if (random.chance(0.3)) return { kind: 'not', part: randomCondition(random, world, levels - 1) };
    const parts = Array.from({ length: 2 + random.below(2) }, () =>
      randomCondition(random, world, levels - 1),
    );
    return { kind: random.pick(['and', 'or']), parts };
  }
  // Most comparisons are false, and their negations true.
  if (random.chance(0.3)) return { kind: 'not', part: randomCondition(random, world, 1) };
  const operand = randomPath(random, world);
  switch (random.below(9)) {
    case 0:
    case 1:
      return equality(random, world, operand);
    case 2:
      return ordering(random, world, operand);
    case 3:
      return between(random, world, operand);
    case 4:
      return { kind: 'in', operand: asOperand(operand), list: inList(random, world, operand) };
    case 5:
      return { kind: random.pick(['exists', 'notExists']), path: operand.path };
    case 6:
      return attributeType(random, operand);
    case 7:
      return beginsWith(random, world, operand);
    default:
      return contains(random, world, operand);
  }
}

/** A path, and the type of what is mostly found there. */
interface TypedPath {
  readonly path: Path;
  readonly type: TypeName | undefined;
}

function randomPath(random: SeededRandom, world: World): TypedPath {
  if (random.chance(0.2)) {
    const key = random.pick(allKeysOf(world.table));
    return { path: [key.name], type: key.type };
  }
  return fieldPath(random, random.pick(world.fields));
}

/** Into lists and maps where there are any; now and then where there are none. */
function fieldPath(random: SeededRandom, field: Field): TypedPath {
  if (random.chance(field.type === 'L' ? 0.4 : 0.01))
    return { path: [field.name, random.below(5), ...deeper(random)], type: undefined };
  if (random.chance(field.type === 'M' ? 0.5 : 0.01))
    return { path: [field.name, random.pick(memberNames), ...deeper(random)], type: undefined };
  return { path: [field.name], type: field.type };
}

function deeper(random: SeededRandom): (string | number)[] {
  if (!random.chance(0.15)) return [];
  return [random.chance(0.5) ? random.below(3) : random.pick(memberNames)];
}

function asOperand({ path }: TypedPath): Operand {
  return { kind: 'path', path };
}

/** Some other path than the one given. */
function otherPath(random: SeededRandom, world: World, than: TypedPath): TypedPath {
  for (;;) {
    const path = randomPath(random, world);
    if (JSON.stringify(path.path) !== JSON.stringify(than.path)) return path;
  }
}

/** A value of the type that the path mostly has; keys have values of their own. */
function constantFor(random: SeededRandom, world: World, { path, type }: TypedPath): Value {
  const key = allKeysOf(world.table).find(({ name }) => name === path[0]);
  if (key !== undefined && random.chance(0.9)) return keyValue(random, key.type);
  return type === undefined || random.chance(0.1) ? anyValue(random) : valueOfType(random, type);
}

function constant(value: Value): Operand {
  return { kind: 'value', value };
}

function equality(random: SeededRandom, world: World, path: TypedPath): Condition {
  const comparator = random.pick<Comparator>(['=', '<>']);
  const compare = (left: Operand, right: Operand): Condition =>
    random.chance(0.8)
      ? { kind: 'compare', comparator, left, right }
      : { kind: 'compare', comparator, left: right, right: left };
  if (random.chance(0.1)) {
    return compare({ kind: 'size', of: asOperand(path) }, constant({ N: String(random.below(4)) }));
  }
  if (random.chance(0.2)) return compare(asOperand(path), asOperand(otherPath(random, world, path)));
  return compare(asOperand(path), constant(constantFor(random, world, path)));
}

function ordering(random: SeededRandom, world: World, path: TypedPath): Condition {
  const comparator = random.pick<Comparator>(['<', '<=', '>', '>=']);
  if (random.chance(0.25)) {
    const size: Operand = { kind: 'size', of: asOperand(path) };
    return { kind: 'compare', comparator, left: size, right: constant({ N: String(random.below(4)) }) };
  }
  const right = random.chance(0.2)
    ? asOperand(otherPath(random, world, path))
    : constant(orderedConstant(random, world, path));
  return random.chance(0.8)
    ? { kind: 'compare', comparator, left: asOperand(path), right }
    : { kind: 'compare', comparator, left: right, right: asOperand(path) };
}

/** Only strings, numbers and binaries have an order. */
function orderedConstant(random: SeededRandom, world: World, path: TypedPath): Value {
  const value = constantFor(random, world, path);
  return ['S', 'N', 'B'].includes(typeOf(value)) ? value : valueOfType(random, random.pick(['S', 'N', 'B']));
}

function between(random: SeededRandom, world: World, path: TypedPath): Condition {
  const operand = asOperand(path);
  if (random.chance(0.15)) {
    const low = constant({ N: '1' });
    return { kind: 'between', operand: { kind: 'size', of: operand }, low, high: constant({ N: '3' }) };
  }
  const one = orderedConstant(random, world, path);
  if (random.chance(0.2)) {
    const other = asOperand(otherPath(random, world, path));
    return random.chance(0.5)
      ? { kind: 'between', operand, low: constant(one), high: other }
      : { kind: 'between', operand, low: other, high: constant(one) };
  }
  const two = valueOfType(random, typeOf(one));
  const [low, high] = compareValues(one, two)! <= 0 ? [one, two] : [two, one];
  return { kind: 'between', operand, low: constant(low), high: constant(high) };
}

function inList(random: SeededRandom, world: World, path: TypedPath): Operand[] {
  return Array.from({ length: 1 + random.below(4) }, () =>
    random.chance(0.15)
      ? asOperand(otherPath(random, world, path))
      : constant(constantFor(random, world, path)),
  );
}

function attributeType(random: SeededRandom, path: TypedPath): Condition {
  const type = path.type !== undefined && random.chance(0.5) ? path.type : random.pick(typeNames);
  return { kind: 'type', operand: asOperand(path), type };
}

function beginsWith(random: SeededRandom, world: World, path: TypedPath): Condition {
  const type = path.type === 'B' ? 'B' : 'S';
  if (random.chance(0.15)) {
    const other = asOperand(otherPath(random, world, path));
    return { kind: 'beginsWith', whole: asOperand(path), start: other };
  }
  const text = constant(valueOfType(random, type));
  return random.chance(0.85)
    ? { kind: 'beginsWith', whole: asOperand(path), start: text }
    : { kind: 'beginsWith', whole: text, start: asOperand(path) };
}

function contains(random: SeededRandom, world: World, path: TypedPath): Condition {
  const inside: Partial<Record<TypeName, TypeName>> = { S: 'S', B: 'B', SS: 'S', NS: 'N', BS: 'B' };
  if (random.chance(0.15)) {
    const other = asOperand(otherPath(random, world, path));
    return { kind: 'contains', whole: asOperand(path), part: other };
  }
  if (random.chance(0.15)) {
    const whole = constant(valueOfType(random, random.pick(['S', 'SS', 'NS', 'L'])));
    return { kind: 'contains', whole, part: asOperand(path) };
  }
  const type = path.type && inside[path.type];
  const part = type === undefined ? anyValue(random) : valueOfType(random, type);
  return { kind: 'contains', whole: asOperand(path), part: constant(part) };
}

export function randomProjectionExpression(random: SeededRandom, world: World): Projection {
  const paths: Path[] = [];
  for (let wanted = 1 + random.below(4); wanted > 0; wanted--) {
    const { path } = random.chance(0.1)
      ? { path: [random.pick(namesOf(world))] as const }
      : randomPath(random, world);
    if (!paths.some((other) => inEachOthersWay(path, other))) paths.push(path);
  }
  return paths;
}

/** One inside the other, or a name and an index at the same place. */
export function inEachOthersWay(a: Path, b: Path): boolean {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (a[i] !== b[i]) return typeof a[i] !== typeof b[i];
  }
  return true;
}

export function randomUpdate(random: SeededRandom, world: World): Update {
  const actions: UpdateAction[] = [];
  for (let wanted = 1 + random.below(random.chance(0.2) ? 6 : 3); wanted > 0; wanted--) {
    const action = randomAction(random, world);
    if (!actions.some((other) => inEachOthersWay(action.path, other.path))) actions.push(action);
  }
  return actions;
}

function randomAction(random: SeededRandom, world: World): UpdateAction {
  const target = randomTarget(random, world);
  const { path, type } = target;
  const kind = random.next();
  if (kind < 0.15) return { kind: 'remove', path };
  if (kind < 0.3 || (type !== undefined && kind < 0.5 && ['N', 'SS', 'NS', 'BS'].includes(type))) {
    const isSet = type === 'SS' || type === 'NS' || type === 'BS';
    const addend = isSet && random.chance(0.9) ? type : random.pick<TypeName>(['N', 'N', 'SS', 'NS', 'BS']);
    return { kind: 'add', path, value: valueOfType(random, addend) };
  }
  if (type !== undefined && ['SS', 'NS', 'BS'].includes(type) && kind < 0.75) {
    const subtrahend = random.chance(0.9) ? type : random.pick<TypeName>(['SS', 'NS', 'BS']);
    return { kind: 'delete', path, value: valueOfType(random, subtrahend) };
  }
  return { kind: 'set', path, value: setValue(random, world, target) };
}

function randomTarget(random: SeededRandom, world: World): TypedPath {
  const tableKeys = keysOf(world.table).map(({ name }) => name);
  // A key of the table cannot be updated, which is worth asking for only now and then.
  if (random.chance(0.01)) return { path: [random.pick(tableKeys)], type: undefined };
  for (;;) {
    const target = randomPath(random, world);
    if (!tableKeys.includes(target.path[0])) return target;
  }
}

function setValue(random: SeededRandom, world: World, target: TypedPath): SetValue {
  const plain: UpdateOperand = { kind: 'value', value: constantFor(random, world, target) };
  const there: UpdateOperand = { kind: 'path', path: target.path };
  if (target.type === 'N' && random.chance(0.5)) {
    const amount: UpdateOperand = { kind: 'value', value: valueOfType(random, 'N') };
    const old: UpdateOperand = random.chance(0.4)
      ? {
          kind: 'ifNotExists',
          path: target.path,
          otherwise: { kind: 'value', value: valueOfType(random, 'N') },
        }
      : random.chance(0.8)
        ? there
        : { kind: 'path', path: randomPath(random, world).path };
    const [left, right] = random.chance(0.8) ? [old, amount] : [amount, old];
    return { kind: 'arithmetic', sign: random.pick(['+', '-']), left, right };
  }
  if (target.type === 'L' && random.chance(0.5)) {
    const more: UpdateOperand = { kind: 'value', value: valueOfType(random, 'L') };
    const old: UpdateOperand = random.chance(0.5)
      ? { kind: 'ifNotExists', path: target.path, otherwise: { kind: 'value', value: { L: [] } } }
      : there;
    const [first, second] = random.chance(0.7) ? [old, more] : [more, old];
    return { kind: 'listAppend', first, second };
  }
  if (random.chance(0.12)) return { kind: 'path', path: randomPath(random, world).path };
  if (random.chance(0.12)) {
    const inner: UpdateOperand = random.chance(0.2)
      ? { kind: 'ifNotExists', path: randomPath(random, world).path, otherwise: plain }
      : plain;
    return { kind: 'ifNotExists', path: randomPath(random, world).path, otherwise: inner };
  }
  return plain;
}
