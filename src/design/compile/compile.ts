import type { Design, TableDesign } from '../design.ts';
import { storedModel } from '../embed/stored-model.ts';
import type { Model, WritePattern } from '../ir.ts';
import { counterKeys } from './counters.ts';
import { type EntryKind, withEntries } from './entries.ts';
import { EntriesRead } from './entries-read.ts';
import { PlacedEntity, type Upgrade } from './placed-entity.ts';
import { type Page, type ReadOptions, ReadPlan } from './read-plan.ts';
import { type Answer, type Done, type ItemJson, PatternError, type Round } from './requests.ts';
import type { Values } from './values.ts';
import { type WriteArguments, type WriteOptions, WritePlan, type Written } from './write-plan.ts';

/** Options of `compile`: names of tables, upgrades of older items, consumed capacity. */
export interface CompileOptions {
  /** The name that a table has where the requests go; its name in the design unless given. */
  readonly tableName?: (table: string) => string;
  /** How items of older schema versions are read, by entity. */
  readonly upgrade?: Readonly<Record<string, Upgrade | undefined>>;
  /** Asks for the units that each call consumes. */
  readonly returnConsumedCapacity?: 'INDEXES' | 'TOTAL';
}

/**
 * The patterns of a model as requests in DynamoDB's JSON. Nothing is sent here: `read` and `write` answer the first
 * round of requests, and `run` sends rounds with any client.
 */
export interface CompiledDesign {
  readonly model: Model;
  readonly design: Design;
  read(pattern: string, given: Values, options?: ReadOptions): Round<Page> | Done<Page>;
  write(pattern: string, given: WriteArguments, options?: WriteOptions): Round<Written> | Done<Written>;
  /** The sum of a counter that is spread over several items. */
  counter(entity: string, attribute: string, given: Values): Round<number>;
  /** The item of an instance, with the keys of all indexes. */
  item(entity: string, values: Values): { readonly table: string; readonly item: ItemJson };
  /** Every item that a table holds for an instance: its own, its copies and the guards of its unique values. */
  itemsOf(entity: string, values: Values): { readonly table: string; readonly items: readonly ItemJson[] };
  /** The values of an instance together with those that lie inside of it, by entity: what `item` and `itemsOf` take. */
  inside(entity: string, values: Values, children: Readonly<Record<string, readonly Values[]>>): Values;
  /** The plan of a write that is not a pattern of the model. */
  plan(pattern: WritePattern): WritePlan;
  readonly reads: ReadonlyMap<string, ReadPlan>;
  readonly writes: ReadonlyMap<string, WritePlan>;
  readonly entities: ReadonlyMap<string, PlacedEntity>;
  /** The attribute by which the items of a table expire. */
  ttlAttribute(table: string): string | undefined;
}

/** Compiles a model and its design into the requests of its patterns. */
export function compile(asked: Model, design: Design, options: CompileOptions = {}): CompiledDesign {
  const model = storedModel(asked, design);
  const entryKinds = new Map(entryKindsOf(asked, model, design).map((one) => [one.entity.name, one]));
  const { tableName = (name) => name, returnConsumedCapacity } = options;
  const common =
    returnConsumedCapacity === undefined ? {} : { ReturnConsumedCapacity: returnConsumedCapacity };
  const nameOf = (table: TableDesign) => tableName(table.name);
  const entities = new Map<string, PlacedEntity>();
  for (const table of design.tables)
    for (const name of table.entities) {
      const entity = model.entities.find((one) => one.name === name);
      if (entity !== undefined) entities.set(name, new PlacedEntity(entity, table, options.upgrade?.[name]));
    }
  const ttlOf = (table: TableDesign) => ttlAttribute(model, table);
  const reads = new Map<string, ReadPlan>();
  for (const table of design.tables)
    for (const plan of table.plans) {
      const pattern = model.reads.find(({ name }) => name === plan.pattern);
      if (pattern === undefined) continue;
      const members = pattern.entities.map((name) => entities.get(name)!);
      const own = asked.reads.find(({ name }) => name === plan.pattern)!;
      const readsEntries = own.entities.some((name) => entryKinds.has(name));
      reads.set(
        pattern.name,
        readsEntries
          ? new EntriesRead(own, pattern, plan, members, nameOf(table), common, asked, entryKinds)
          : new ReadPlan(pattern, plan, members, nameOf(table), common),
      );
    }
  const planOf = (pattern: WritePattern) =>
    new WritePlan(pattern, entities, nameOf, ttlOf, common, entryKinds);
  const writes = new Map(asked.writes.map((pattern) => [pattern.name, planOf(pattern)]));
  const placed = (name: string) => {
    const found = entities.get(name);
    const inside = entryKinds.get(name)?.embedded;
    if (inside !== undefined)
      throw new PatternError(
        name,
        `it lies in "${inside.attribute}" of ${inside.parent} and has no items of its own`,
      );
    if (found === undefined) throw new PatternError(name, 'the design has no such entity');
    return found;
  };
  return {
    model: asked,
    design,
    reads,
    writes,
    entities,
    read(pattern, given, readOptions) {
      const plan = reads.get(pattern);
      if (plan === undefined) throw new PatternError(pattern, 'the model has no such read pattern');
      return plan.begin(given, readOptions);
    },
    write(pattern, given, writeOptions) {
      const plan = writes.get(pattern);
      if (plan === undefined) throw new PatternError(pattern, 'the model has no such write pattern');
      return plan.begin(given, writeOptions);
    },
    plan: planOf,
    inside(entity, values, children) {
      const kinds = [...entryKinds.values()].filter(({ parent }) => parent.name === entity);
      const unknown = Object.keys(children).find((name) => !kinds.some((one) => one.entity.name === name));
      if (unknown !== undefined) throw new PatternError(entity, `no ${unknown} lies inside it`);
      const all = kinds.flatMap((kind) =>
        (children[kind.entity.name] ?? []).map((one) => ({ kind, values: one })),
      );
      return withEntries(entity, kinds, values, all);
    },
    counter(entity, attribute, given) {
      const one = placed(entity);
      const name = nameOf(one.table);
      return sumOf(name, counterKeys(entity, one, attribute, given), attribute, 0, common);
    },
    item(entity, values) {
      const one = placed(entity);
      return { table: nameOf(one.table), item: one.itemOf(entity, values) };
    },
    itemsOf(entity, values) {
      const one = placed(entity);
      const guards = one.guardsOf(entity, values);
      const items = [one.itemOf(entity, values), ...one.copiesOf(entity, values), ...guards];
      return { table: nameOf(one.table), items };
    },
    ttlAttribute: (name) => {
      const table = design.tables.find((one) => one.name === name);
      return table === undefined ? undefined : ttlOf(table);
    },
  };
}

function sumOf(
  table: string,
  keys: readonly ItemJson[],
  attribute: string,
  sum: number,
  common: Readonly<Record<string, unknown>>,
): Round<number> {
  return {
    requests: [
      {
        operation: 'BatchGetItem',
        input: { RequestItems: { [table]: { Keys: keys.slice(0, 100) } }, ...common },
      },
    ],
    next: ([answer]: readonly Answer[]) => {
      let total = sum;
      for (const item of answer?.Responses?.[table] ?? []) {
        const value = item[attribute];
        if (value !== undefined && 'N' in value) total += Number(value.N);
      }
      const left = [...(answer?.UnprocessedKeys?.[table]?.Keys ?? []), ...keys.slice(100)];
      return left.length === 0 ? { result: total } : sumOf(table, left, attribute, total, common);
    },
  };
}

/** The one attribute by which the items of a table expire. */
function ttlAttribute(model: Model, table: TableDesign): string | undefined {
  const names = model.entities
    .filter(({ name }) => table.entities.includes(name))
    .flatMap(({ ttl }) => ttl ?? []);
  const remembers = table.satellites.some(({ kind }) => kind === 'idempotency');
  return names[0] ?? (remembers ? 'expires' : undefined);
}

/** The entities without items of their own. */
function entryKindsOf(asked: Model, stored: Model, design: Design): EntryKind[] {
  return design.tables.flatMap(({ embedded = [] }) =>
    embedded.flatMap((one): EntryKind[] => {
      const entity = asked.entities.find(({ name }) => name === one.entity);
      const parent = stored.entities.find(({ name }) => name === one.parent);
      return entity === undefined || parent === undefined ? [] : [{ entity, parent, embedded: one }];
    }),
  );
}
