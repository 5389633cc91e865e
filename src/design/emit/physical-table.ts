import type { Design, IndexDesign, Projection, TableDesign } from '../design.ts';
import { storedModel } from '../embed/stored-model.ts';
import type { Model, StreamConsumer } from '../ir.ts';
import { ModelError } from '../model-error.ts';
import { type CapacityRange, forecastCapacity } from './capacity-forecast.ts';

/** A table as infrastructure tools know it: keys, indexes and settings, nothing of entities and patterns. */
export interface PhysicalTable {
  readonly name: string;
  /** What the table holds, for comments. */
  readonly description: string;
  readonly partitionKey: KeyAttribute;
  readonly sortKey?: KeyAttribute;
  readonly indexes: readonly PhysicalIndex[];
  readonly ttlAttribute?: string;
  readonly streamView?: StreamView;
  /** Those who read the stream. */
  readonly consumers: readonly string[];
  readonly pointInTimeRecovery: boolean;
  readonly contributorInsights: boolean;
  readonly billing: Billing;
  readonly capacity: CapacityRange;
}

export type Billing = 'on-demand' | 'provisioned';
export type StreamView = StreamConsumer['view'];

/** An attribute of a key, with its type. */
export interface KeyAttribute {
  readonly name: string;
  readonly type: 'S' | 'N' | 'B';
}

/** An index as a template declares it. */
export interface PhysicalIndex {
  readonly name: string;
  readonly kind: 'global' | 'local';
  /** The hash attributes, one to four. Those of a local index are the table's. */
  readonly hash: readonly KeyAttribute[];
  readonly range: readonly KeyAttribute[];
  readonly projection: Projection;
  readonly description: string;
  readonly capacity: CapacityRange;
}

/** Options of a table in templates: billing, stream. */
export interface PhysicalOptions {
  /** The mode that the template begins with; the model's unless given. */
  readonly billing?: Billing;
  /** A stream for every table, whether or not the model names a consumer. */
  readonly streamView?: StreamView;
}

/** The attribute by which items of a table expire when only idempotency records do. */
const idempotencyTtl = 'expires';

/** The tables of a design, with what the model says about streams, expiry and load. */
export function physicalTables(asked: Model, design: Design, options: PhysicalOptions = {}): PhysicalTable[] {
  const model = storedModel(asked, design);
  const forecast = forecastCapacity(model, design);
  return design.tables.map((table): PhysicalTable => {
    const consumers = model.environment.streams.filter(({ entities }) =>
      entities.some((name) => table.entities.includes(name)),
    );
    const ttlAttribute = ttlAttributeOf(model, table);
    const streamView = streamViewOf(consumers) ?? options.streamView;
    return {
      name: table.name,
      description: `${table.entities.join(', ')} of the model ${model.name}.`,
      partitionKey: { name: table.partitionKey, type: 'S' },
      sortKey: { name: table.sortKey, type: 'S' },
      indexes: table.indexes.map((index) =>
        physicalIndex(table, index, forecast.range(table.name, index.name)),
      ),
      ...(ttlAttribute === undefined ? {} : { ttlAttribute }),
      ...(streamView === undefined ? {} : { streamView }),
      consumers: consumers.map(({ name }) => name),
      pointInTimeRecovery: true,
      contributorInsights: true,
      billing: options.billing ?? model.environment.capacity,
      capacity: forecast.range(table.name, 'table'),
    };
  });
}

function physicalIndex(table: TableDesign, index: IndexDesign, capacity: CapacityRange): PhysicalIndex {
  const serves = table.plans.filter(({ slot }) => slot === index.name).map(({ pattern }) => pattern);
  const entities = table.placements.filter(({ slot }) => slot === index.name).map(({ entity }) => entity);
  return {
    name: index.name,
    kind: index.kind,
    hash: [{ name: index.partitionKey, type: 'S' }],
    range: [{ name: index.sortKey, type: 'S' }],
    projection: index.projection,
    description: `${entities.join(', ')} for ${serves.join(', ')}.`,
    capacity,
  };
}

/** The one attribute by which items of the table expire. Entities that name different ones are refused. */
function ttlAttributeOf(model: Model, table: TableDesign): string | undefined {
  const named = new Map<string, string>();
  for (const { name, ttl } of model.entities) {
    if (ttl !== undefined && table.entities.includes(name) && !named.has(ttl)) named.set(ttl, name);
  }
  if (named.size > 1) {
    const parts = [...named].map(([attribute, entity]) => `${entity} by "${attribute}"`);
    throw new ModelError(model.name, [
      {
        where: `table ${table.name}`,
        rule: 'one TTL attribute',
        message: `a table expires items by one attribute, but ${parts.join(' and ')}`,
        fix: 'Give the attributes one name, or one of the entities a table of its own.',
      },
    ]);
  }
  const [attribute] = named.keys();
  const remembers = table.satellites.some(({ kind }) => kind === 'idempotency');
  return attribute ?? (remembers ? idempotencyTtl : undefined);
}

function streamViewOf(consumers: readonly StreamConsumer[]): StreamView | undefined {
  const views = new Set(consumers.map(({ view }) => view));
  views.delete('KEYS_ONLY');
  if (views.size > 1) return 'NEW_AND_OLD_IMAGES';
  const [view] = views;
  return view ?? consumers[0]?.view;
}

/** All attributes that stand in keys, each once, in the order in which the keys name them. */
export function keyAttributes(table: PhysicalTable): KeyAttribute[] {
  const found = new Map<string, KeyAttribute>();
  const all = [
    table.partitionKey,
    ...(table.sortKey === undefined ? [] : [table.sortKey]),
    ...table.indexes.flatMap(({ hash, range }) => [...hash, ...range]),
  ];
  for (const one of all) if (!found.has(one.name)) found.set(one.name, one);
  return [...found.values()];
}

/** The table, then its global indexes: everything that has capacity of its own. */
export function capacityArms(
  table: PhysicalTable,
): { readonly index: PhysicalIndex | undefined; readonly capacity: CapacityRange }[] {
  const indexes = table.indexes.filter(({ kind }) => kind === 'global');
  return [
    { index: undefined, capacity: table.capacity },
    ...indexes.map((index) => ({ index, capacity: index.capacity })),
  ];
}
