import { checkModel } from '../../src/design/check-model.ts';
import {
  type Attribute,
  type Entity,
  type Model,
  modelFormat,
  type Predicate,
  type Rate,
  type ReadPattern,
  type WritePattern,
} from '../../src/design/ir.ts';
import { unsortable } from '../../src/design/sort-order.ts';
import type { SeededRandom } from '../seeded-random.ts';

export interface RandomModelOptions {
  readonly entities: number;
  readonly attributes: number;
  readonly patterns: number;
  readonly aggregates: boolean;
  /** Low rates only: no shards. */
  readonly quiet?: boolean;
  /** Mostly strong reads of what never changes, so that copies are needed. */
  readonly strong?: boolean;
}

/** A small model that the checks accept. Some have no design, which solver and brute force must agree on. */
export function randomModel(random: SeededRandom, options: RandomModelOptions): Model {
  for (;;) {
    const model = draw(random, options);
    try {
      return checkModel(model);
    } catch {
      // A contradiction that the language refuses: draw again.
    }
  }
}

function rateOf(peak: number, mean: number): Rate {
  return { peak, mean: Math.min(peak, mean) };
}

function draw(random: SeededRandom, options: RandomModelOptions): Model {
  // Aggregates read attributes of the same name in both entities, so these have one type.
  const types = options.aggregates ? new Map<string, Attribute['type']>() : undefined;
  const names = ['a', 'b', 'c', 'd', 'e', 'f'].slice(0, options.attributes);
  const entities = Array.from({ length: options.entities }, (_, at) =>
    drawEntity(
      random,
      `E${at}`,
      // The first entity may lack an attribute that the second has: a parent beside its ordered children.
      at === 0 && options.aggregates && random.chance(0.5) ? names.slice(0, -1) : names,
      options.strong ?? false,
      types,
    ),
  );
  const reads: ReadPattern[] = [];
  const count = 1 + random.below(options.patterns);
  for (let at = 0; at < count; at++) {
    const several = options.aggregates && random.chance(0.5);
    reads.push(drawRead(random, `R${at}`, several ? entities : [random.pick(entities)], options));
  }
  const writes = entities.map((entity, at) => drawWrite(random, `W${at}`, entity, options));
  return {
    format: modelFormat,
    name: 'random',
    entities,
    reads,
    writes,
    environment: { capacity: 'on-demand', streams: [], headroom: 0.7, shardsMax: 6 },
  };
}

function drawEntity(
  random: SeededRandom,
  name: string,
  names: readonly string[],
  strong: boolean,
  types: Map<string, Attribute['type']> | undefined,
): Entity {
  const attributes = names.map((one): Attribute => {
    const optional = random.chance(strong ? 0.05 : 0.15) ? { optional: true as const } : {};
    const type = types?.get(one) ?? drawType(random);
    types?.set(one, type);
    return {
      name: one,
      type,
      ...(type.kind === 'id' ? { distinct: 1 + random.below(1_000) } : {}),
      ...optional,
    };
  });
  const required = attributes
    .filter((one) => one.optional === undefined && one.type.kind !== 'choice')
    .map((one) => one.name);
  const identity = required.slice(0, 1 + random.below(2));
  return {
    name,
    attributes: [
      ...attributes,
      {
        name: 'filling',
        type: { kind: 'text', bytes: { mean: 20 + random.below(1_500), max: 3_000 }, plain: false },
      },
    ],
    identity,
    fixed: names.filter((one) => !identity.includes(one) && random.chance(strong ? 0.95 : 0.6)),
    population: { kind: 'count', count: 10_000, growthPerDay: 0 },
  };
}

function drawRead(
  random: SeededRandom,
  name: string,
  entities: readonly Entity[],
  options: RandomModelOptions,
): ReadPattern {
  const [first] = entities;
  const shared = first!.attributes.filter(({ name: one }) => one !== 'filling');
  const by = shared.filter(() => random.chance(0.4)).map((one) => one.name);
  const where: Predicate[] = [];
  for (const one of shared) {
    if (by.includes(one.name) || one.type.kind !== 'choice' || !random.chance(0.5)) continue;
    if (random.chance(0.8)) where.push({ kind: 'equals', attribute: one.name, value: 'X' });
    else if (entities.length === 1) where.push({ kind: 'exists', attribute: one.name, share: 0.5 });
  }
  const sortable = shared.filter((one) => !by.includes(one.name) && unsortable(one) === undefined);
  const range = sortable.length > 0 && random.chance(0.3) ? random.pick(sortable).name : undefined;
  const order: { attribute: string; direction: 'asc' | 'desc' }[] = [];
  const extra = entities.flatMap((entity) =>
    entity.attributes.filter(
      (one) =>
        !first!.attributes.some(({ name: known }) => known === one.name) && unsortable(one) === undefined,
    ),
  );
  for (const one of [...sortable, ...extra].sort(() => random.next() - 0.5)) {
    if (order.length < 2 && random.chance(0.4))
      order.push({ attribute: one.name, direction: random.chance(0.5) ? 'asc' : 'desc' });
  }
  const single = entities.length === 1;
  return {
    name,
    entities: entities.map((entity) => entity.name),
    result: 'list',
    by,
    where,
    ...(range === undefined ? {} : { range: { attribute: range, kind: 'between' as const } }),
    order: range === undefined ? order : [],
    page: random.chance(0.5) ? 10 : 'all',
    returns: 1 + random.below(20),
    consistency: random.chance(options.strong ? 0.8 : 0.25) ? 'strong' : 'eventual',
    rate: rateOf(options.quiet ? 0.05 : random.pick([1, 100, 1_500]), random.pick([1, 20])),
    skew: [],
    ...(random.chance(0.5) ? { needs: shared.filter(() => random.chance(0.5)).map((one) => one.name) } : {}),
    mayDiscard: single && random.chance(0.2) ? 0.95 : 0,
    mayFetch: single && random.chance(0.15),
  };
}

function drawWrite(
  random: SeededRandom,
  name: string,
  entity: Entity,
  options: RandomModelOptions,
): WritePattern {
  const changing = entity.attributes
    .map((one) => one.name)
    .filter((one) => !entity.identity.includes(one) && !entity.fixed.includes(one));
  const sets = changing.filter(() => random.chance(0.5)).map((attribute) => ({ attribute }));
  const given = [
    ...entity.identity,
    ...entity.fixed.filter(() => random.chance(options.strong ? 0.95 : 0.6)),
  ];
  return {
    name,
    steps: [
      { kind: 'create', entity: entity.name, count: 1, once: true, unique: [], values: [] },
      { kind: 'change', entity: entity.name, count: 1, given, sets, when: [], checksVersion: false },
    ],
    atomic: false,
    rate: rateOf(options.quiet ? 1 : random.pick([1, 50, 900]), random.pick([1, 10])),
    skew: [],
  };
}

function drawType(random: SeededRandom): Attribute['type'] {
  switch (random.below(4)) {
    case 0:
      return { kind: 'time' };
    case 1:
      return {
        kind: 'choice',
        values: [
          { value: 'X', share: 0.1 },
          { value: 'Y', share: 0.9 },
        ],
        ordered: random.chance(0.5),
      };
    default:
      return { kind: 'id', bytes: { mean: 12, max: 12 } };
  }
}
