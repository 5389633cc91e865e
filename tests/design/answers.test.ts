import { describe, expect, it } from 'vitest';
import {
  type Design,
  derive,
  type Entity,
  type Model,
  ModelError,
  type Plan,
  type Predicate,
  type ReadPattern,
  type TableDesign,
} from '../../src/design/index.ts';
import { attributeText, keyText, type PlainValue, shardOf } from '../../src/design/key-text.ts';
import { compareUtf8 } from '../../src/model/values/utf8.ts';
import { type SeededRandom, seededRandom } from '../seeded-random.ts';
import { randomModel } from './random-model.ts';

type Item = Readonly<Record<string, PlainValue | undefined>> & { readonly entity: string };
type Values = Record<string, PlainValue>;

const rounds = 400;

/** The plans run over sorted lists of keys, the way a Query would; a filter over all items tells what is right. */
describe('derived plans', () => {
  it(`answer every pattern of ${rounds} random models as a filter over all items does, in order`, () => {
    let asked = 0;
    let found = 0;
    for (let round = 0; round < rounds; round++) {
      const random = seededRandom(31_000 + round);
      const model = randomModel(random, {
        entities: 1 + (round % 2),
        attributes: 4,
        patterns: 5,
        aggregates: round % 2 === 1,
        strong: round % 3 === 0,
        ...(round % 4 === 1 ? {} : { quiet: true }),
      });
      const design = derived(model);
      if (design === undefined) continue;
      const items = model.entities.flatMap((entity) => drawItems(random, entity));
      for (const plan of design.tables[0]!.plans) {
        const pattern = model.reads.find(({ name }) => name === plan.pattern)!;
        for (let call = 0; call < 4; call++) {
          const given = drawArguments(random, pattern, items);
          const answer = run(model, design.tables[0]!, plan, pattern, given, items);
          const right = items.filter(
            (item) => pattern.entities.includes(item.entity) && matches(pattern, given, item),
          );
          asked++;
          found += right.length;
          const where = `round ${round}, ${plan.pattern}, ${JSON.stringify(given)}`;
          expect(new Set(answer), where).toEqual(new Set(right));
          expect(answer.length, where).toBe(right.length);
          expect(inOrder(model, pattern, answer), where).toBe(true);
        }
      }
    }
    expect(asked).toBeGreaterThan(rounds);
    expect(found).toBeGreaterThan(rounds);
  });
});

function derived(model: Model): Design | undefined {
  try {
    return derive(model);
  } catch (error) {
    if (error instanceof ModelError) return undefined;
    throw error;
  }
}

function drawItems(random: SeededRandom, entity: Entity): Item[] {
  const items = new Map<string, Item>();
  for (let at = 0; at < 40; at++) {
    const item: Record<string, PlainValue> & { entity: string } = { entity: entity.name };
    for (const { name, type, optional } of entity.attributes) {
      if (optional && random.chance(0.3)) continue;
      if (type.kind === 'choice') item[name] = random.pick(['X', 'Y']);
      else if (type.kind === 'time') item[name] = new Date(1.7e12 + random.below(4) * 1_000).toISOString();
      else item[name] = random.pick(['k', 'ka', 'l', 'm']);
    }
    items.set(entity.identity.map((name) => String(item[name])).join('#'), item);
  }
  return [...items.values()];
}

function drawArguments(random: SeededRandom, pattern: ReadPattern, items: readonly Item[]): Values {
  const item = random.pick(items.filter(({ entity }) => pattern.entities.includes(entity)));
  const given: Values = {};
  for (const name of pattern.by) given[name] = item[name] ?? 'k';
  if (pattern.range !== undefined) {
    const { attribute } = pattern.range;
    const values = [item, random.pick(items), ...items].flatMap((one) => one[attribute] ?? []);
    const bounds = values.slice(0, 2).sort();
    given.from = bounds[0]!;
    given.to = bounds[1]!;
  }
  return given;
}

function holds(predicate: Predicate, item: Item): boolean {
  switch (predicate.kind) {
    case 'equals':
      return item[predicate.attribute] === predicate.value;
    case 'among':
      return predicate.values.includes(String(item[predicate.attribute]));
    case 'exists':
      return item[predicate.attribute] !== undefined;
    case 'compare':
      throw new Error('not drawn');
  }
}

function matches(pattern: ReadPattern, given: Values, item: Item): boolean {
  if (!pattern.by.every((name) => item[name] === given[name])) return false;
  if (!pattern.where.every((one) => holds(one, item))) return false;
  if (pattern.range === undefined) return true;
  const value = item[pattern.range.attribute];
  return value !== undefined && ranked(value) >= ranked(given.from!) && ranked(value) <= ranked(given.to!);
}

/** X and Y sort as listed; other values as text. */
function ranked(value: PlainValue): string {
  return String(value);
}

function run(
  model: Model,
  table: TableDesign,
  plan: Plan,
  pattern: ReadPattern,
  given: Values,
  items: readonly Item[],
): Item[] {
  const first = model.entities.find(({ name }) => name === plan.entities[0])!;
  const pinned: Values = { ...given };
  for (const one of pattern.where) if (one.kind === 'equals') pinned[one.attribute] = one.value;
  const fill = (template: string) =>
    template.replaceAll(/\{(inverted )?(\w+)\}/g, (_, inverted, name: string) => {
      const attribute = first.attributes.find(
        (one) => one.name === (name === 'from' || name === 'to' ? pattern.range!.attribute : name),
      )!;
      return attributeText(attribute, pinned[name]!, inverted !== undefined);
    });
  const placements = table.placements.filter(({ slot }) => slot === plan.slot);
  const entries = placements.flatMap((placement) => {
    const entity = model.entities.find(({ name }) => name === placement.entity)!;
    return items
      .filter((item) => item.entity === placement.entity && placement.when.every((one) => holds(one, item)))
      .flatMap((item) => {
        const [partition, sort] = [
          keyText(entity, placement.partition, item),
          keyText(entity, placement.sort, item),
        ];
        return partition === undefined || sort === undefined ? [] : [{ partition, sort, item }];
      });
  });
  const shard = /\{shard of ([\w+]+), (\d+)\}/.exec(plan.partition);
  const shards = shard === null ? [''] : Array.from({ length: Number(shard[2]) }, (_, at) => String(at));
  const known =
    shard !== null && plan.calls === 1
      ? [
          String(
            shardOf(
              shard[1]!.split('+').map((name) => pinned[name]!),
              Number(shard[2]),
            ),
          ),
        ]
      : shards;
  const partitions = known.map((one) => fill(plan.partition.replace(/\{shard[^}]*\}/, one)));
  const { sort } = plan;
  // An inverted range piece reads its bounds the other way round.
  const within = (text: string) => {
    switch (sort.kind) {
      case 'none':
        return true;
      case 'equals':
        return text === fill(sort.text);
      case 'prefix':
        return text.startsWith(fill(sort.text));
      case 'between':
        return compareUtf8(text, fill(sort.from)) >= 0 && compareUtf8(text, fill(sort.to)) <= 0;
    }
  };
  const found = entries.filter(({ partition, sort: text }) => partitions.includes(partition) && within(text));
  found.sort((a, b) => compareUtf8(a.sort, b.sort) * (plan.forward ? 1 : -1));
  const kept = found.map(({ item }) => item);
  // A residual filter tests what the plan says it tests.
  if (plan.filter.length === 0) return kept;
  return kept.filter((item) => !pattern.entities.includes(item.entity) || matches(pattern, given, item));
}

/** Neighbours never contradict the order; kinds without the order attributes come first. */
function inOrder(model: Model, pattern: ReadPattern, answer: readonly Item[]): boolean {
  const has = (item: Item) =>
    pattern.order.every(({ attribute }) =>
      model.entities
        .find(({ name }) => name === item.entity)!
        .attributes.some(({ name }) => name === attribute),
    );
  const ordered = answer.filter(has);
  if (answer.slice(0, answer.length - ordered.length).some(has)) return false;
  return ordered.every((item, at) => {
    if (at === 0) return true;
    for (const { attribute, direction } of pattern.order) {
      const [a, b] = [ranked(ordered[at - 1]![attribute]!), ranked(item[attribute]!)];
      if (a !== b) return a < b === (direction === 'asc');
    }
    return true;
  });
}
