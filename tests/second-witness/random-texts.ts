import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { SeededRandom } from '../seeded-random.ts';

/**
 * Random expressions as texts, most of them sound: wrong types, undefined placeholders, clashing paths and broken
 * tokens are made on purpose, because the order and the texts of refusals are what a second witness can tell.
 */

export type Item = Record<string, AttributeValue>;

const values: Item = {
  ':n': { N: '1' },
  ':n2': { N: '7.5' },
  ':s': { S: 'he' },
  ':s2': { S: 'hello' },
  ':b': { B: new Uint8Array([1, 2]) },
  ':l': { L: [{ N: '1' }] },
  ':m': { M: { a: { N: '1' } } },
  ':ss': { SS: ['x', 'y'] },
  ':ns': { NS: ['1', '2'] },
  ':t': { BOOL: true },
  ':u': { NULL: true },
};
const names: Record<string, string> = { '#a': 'a', '#m': 'm', '#dot': 'm.a', '#pk': 'pk' };

/** The item that an expression meets; attributes come and go. */
export function randomItem(random: SeededRandom, pk: string): Item {
  const all: Item = {
    a: { N: '5' },
    b: { S: 'hello' },
    c: { L: [{ S: 'x' }, { N: '2' }, { L: [{ N: '3' }] }] },
    m: { M: { a: { N: '1' }, b: { L: [{ S: 'y' }] }, c: { M: { a: { S: 'deep' } } } } },
    e: { SS: ['x', 'z'] },
    f: { NS: ['1', '3'] },
    g: { B: new Uint8Array([1, 2, 3]) },
    h: { BOOL: true },
    k: { NULL: true },
    x: { S: 'indexed' },
  };
  const item: Item = { pk: { S: pk } };
  for (const [name, value] of Object.entries(all)) if (random.chance(0.8)) item[name] = value;
  return item;
}

export interface Placeholders {
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
}

/** The placeholders that texts use; now and then one is missing or one too many. */
export function placeholders(random: SeededRandom, ...texts: readonly string[]): Placeholders {
  const used = new Set(texts.flatMap((text) => text.match(/[#:][a-z0-9]+/g) ?? []));
  if (random.chance(0.03)) used.delete(random.pick([...used, ':n']));
  if (random.chance(0.02)) used.add(random.pick([':n', '#a']));
  const of = <T>(all: Record<string, T>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => used.has(name)));
  const [sentNames, sentValues] = [of(names), of(values)];
  return {
    ...(Object.keys(sentNames).length > 0 && { ExpressionAttributeNames: sentNames }),
    ...(Object.keys(sentValues).length > 0 && { ExpressionAttributeValues: sentValues }),
  };
}

export function path(random: SeededRandom): string {
  let text = random.pick(['a', 'b', 'c', 'm', 'e', 'f', 'g', 'h', 'k', 'gone', '#a', '#m', '#dot']);
  if (random.chance(0.05)) text = random.pick(['pk', '#pk', 'x', 'x']);
  while (random.chance(text === 'm' || text === '#m' || text === 'c' ? 0.7 : 0.2))
    text += random.pick(['.a', '.b', '.c', '[0]', '[1]', '[2]', '[7]', '.#a']);
  return text;
}

function value(random: SeededRandom): string {
  return random.pick(Object.keys(values));
}

export function condition(random: SeededRandom, depth = 3): string {
  if (depth > 0 && random.chance(0.4)) {
    const left = condition(random, depth - 1);
    if (random.chance(0.25)) return `NOT ${left}`;
    const joined = `${left} ${random.pick(['AND', 'OR', 'and'])} ${condition(random, depth - 1)}`;
    return random.chance(0.4) ? `(${joined})` : joined;
  }
  const operand = () => {
    const kind = random.below(10);
    return kind < 5 ? path(random) : kind < 9 ? value(random) : `size(${path(random)})`;
  };
  switch (random.below(9)) {
    case 0:
      return `${operand()} BETWEEN ${operand()} AND ${operand()}`;
    case 1:
      return `${operand()} IN (${operand()}, ${operand()})`;
    case 2:
      return `${random.pick(['attribute_exists', 'attribute_not_exists'])}(${path(random)})`;
    case 3:
      return `begins_with(${operand()}, ${operand()})`;
    case 4:
      return `contains(${operand()}, ${operand()})`;
    case 5:
      return `size(${path(random)}) ${random.pick(['<', '=', '>='])} :n`;
    default:
      return `${operand()} ${random.pick(['=', '<>', '<', '<=', '>', '>='])} ${operand()}`;
  }
}

export function projection(random: SeededRandom): string {
  return Array.from({ length: 1 + random.below(4) }, () => path(random)).join(', ');
}

function setValue(random: SeededRandom, depth = 2): string {
  const operand = (): string => {
    const kind = random.below(depth > 0 ? 10 : 8);
    if (kind < 4) return path(random);
    if (kind < 8) return value(random);
    if (kind === 8) return `if_not_exists(${path(random)}, ${setOperand(random, depth - 1)})`;
    return `list_append(${setOperand(random, depth - 1)}, ${setOperand(random, depth - 1)})`;
  };
  if (random.chance(0.25))
    return `${operand()} ${random.pick(['+', '-'])} ${random.chance(0.6) ? ':n' : operand()}`;
  return operand();
}

function setOperand(random: SeededRandom, depth: number): string {
  const kind = random.below(depth > 0 ? 8 : 6);
  if (kind < 3) return path(random);
  if (kind < 6) return value(random);
  return `${random.pick(['if_not_exists', 'list_append'])}(${setOperand(random, depth - 1)}, ${setOperand(random, depth - 1)})`;
}

export function update(random: SeededRandom): string {
  const section = (kind: string) =>
    `${kind} ${Array.from({ length: 1 + random.below(2) }, () => {
      if (kind === 'SET') return `${path(random)} = ${setValue(random)}`;
      if (kind === 'REMOVE') return path(random);
      return `${path(random)} ${random.chance(0.7) ? random.pick([':n', ':ss', ':ns']) : value(random)}`;
    }).join(', ')}`;
  const kinds = ['SET', 'REMOVE', 'ADD', 'DELETE'].filter((kind) =>
    random.chance(kind === 'SET' ? 0.8 : 0.2),
  );
  return (kinds.length > 0 ? kinds : ['SET']).map(section).join(' ');
}

/** A text with a token lost, doubled or added, now and then. */
export function perhapsBroken(random: SeededRandom, text: string): string {
  if (!random.chance(0.06)) return text;
  const tokens = text.match(/[#:]?[A-Za-z0-9_]+|<>|<=|>=|\S/g) ?? [];
  const at = random.below(tokens.length);
  const token = tokens[at]!;
  tokens.splice(
    at,
    1,
    ...random.pick([[], [token, token], [token, ')'], ['(', token], [token, 'size'], [',', token]]),
  );
  return tokens.join(' ');
}
