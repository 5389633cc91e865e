import type { PlacedEntity } from '../design/compile/placed-entity.ts';
import type { ReadPlan } from '../design/compile/read-plan.ts';
import { compareTexts } from '../design/compile/read-range.ts';
import {
  type CompiledDesign,
  type ItemJson,
  isDone,
  type Request,
  type TableDesign,
  type Values,
  type WritePattern,
} from '../design/index.ts';
import {
  indexWriteUnits,
  itemsReadUnits,
  itemWriteUnits,
  pageReadUnits,
  readUnits,
  transactionFactor,
} from '../physics/units.ts';
import type { Effect, WriteCall } from '../workload/calls.ts';
import type { Population } from '../workload/population.ts';
import { entryOf, isSameJson, itemBytes } from './item-bytes.ts';

/** Units by `orders` or `orders/GSI1`. */
export interface ForecastUnits {
  read: number;
  write: number;
  readonly arms: Map<string, { read: number; write: number }>;
}

function newUnits(): ForecastUnits {
  return { read: 0, write: 0, arms: new Map() };
}

function add(units: ForecastUnits, arm: string, kind: 'read' | 'write', amount: number): void {
  if (amount === 0) return;
  units[kind] += amount;
  const known = units.arms.get(arm) ?? { read: 0, write: 0 };
  known[kind] += amount;
  units.arms.set(arm, known);
}

/**
 * What the first page of a read will be charged, from the instances alone: the sizes of what each query passes, rounded
 * by the arithmetic of the engine. `right` are all instances that the call asks for. Undefined for plans with a filter,
 * whose cost depends on what they throw away.
 */
export function forecastRead(
  compiled: CompiledDesign,
  read: ReadPlan,
  right: readonly { readonly entity: string; readonly values: Values }[],
): ForecastUnits | undefined {
  const { plan, pattern } = read;
  if (plan.filter.length > 0) return undefined;
  const units = newUnits();
  const first = compiled.entities.get(pattern.entities[0]!)!;
  const { table } = first;
  const index = table.indexes.find(({ name }) => name === plan.slot);
  const arm = index === undefined ? table.name : `${table.name}/${index.name}`;
  if (plan.operation === 'GetItem') {
    const [one] = right;
    const item = one && placedItem(compiled, one.entity, one.values, plan.copy);
    add(units, arm, 'read', readUnits(item === undefined ? 0 : itemBytes(item), pattern.consistency));
    return units;
  }
  const sortKey = (index ?? table).sortKey;
  const partitionKey = (index ?? table).partitionKey;
  const lanes = new Map<
    string,
    { readonly sort: string; readonly bytes: number; readonly item: ItemJson }[]
  >();
  for (const { entity, values } of right) {
    const item = placedItem(compiled, entity, values, plan.copy);
    const entry = index === undefined ? item : entryOf(table, index, item);
    if (entry === undefined) continue;
    const partition = textOf(entry, partitionKey);
    const lane = lanes.get(partition) ?? [];
    lanes.set(partition, lane);
    lane.push({ sort: textOf(entry, sortKey), bytes: itemBytes(entry), item });
  }
  const limit = pattern.page === 'all' ? Number.POSITIVE_INFINITY : pattern.page;
  const taken: { readonly sort: string; readonly item: ItemJson }[] = [];
  const direction = plan.forward ? 1 : -1;
  for (const lane of lanes.values()) {
    lane.sort((a, b) => direction * compareTexts(a.sort, b.sort));
    const page = lane.slice(0, limit);
    taken.push(...page);
    const bytes = page.reduce((sum, one) => sum + one.bytes, 0);
    add(units, arm, 'read', pageReadUnits(bytes, pattern.consistency));
  }
  // Shards without anything cost the least that a read costs.
  for (let empty = lanes.size; empty < plan.calls; empty++)
    add(units, arm, 'read', pageReadUnits(0, pattern.consistency));
  if (plan.fetch && taken.length > 0) {
    taken.sort((a, b) => direction * compareTexts(a.sort, b.sort));
    const sizes = taken.slice(0, limit).map(({ item }) => itemBytes(item));
    add(units, table.name, 'read', itemsReadUnits(sizes, pattern.consistency));
  }
  return units;
}

function placedItem(
  compiled: CompiledDesign,
  entity: string,
  values: Values,
  copy: number | undefined,
): ItemJson {
  const placed = compiled.entities.get(entity)!;
  return copy === undefined ? placed.itemOf(entity, values) : placed.copiesOf(entity, values)[copy - 1]!;
}

/**
 * The units that a write will be charged. The requests tell which items are read first and which are written in a
 * transaction; the population must still be as it was before the write.
 */
export function forecastWrite(
  compiled: CompiledDesign,
  population: Population,
  call: WriteCall,
  requests: readonly Request[],
): ForecastUnits {
  const units = newUnits();
  const pattern = compiled.model.writes.find(({ name }) => name === call.pattern)!;
  const transacted = transactedKeys(compiled, requests);
  for (const effect of call.effects) {
    const placed = compiled.entities.get(effect.entity)!;
    const before = population.kind(effect.entity).find(identityOf(effect));
    const after =
      effect.kind === 'remove'
        ? undefined
        : effect.kind === 'put'
          ? effect.values
          : changed(before ?? {}, effect.sets);
    chargeItem(units, placed, effect.entity, before, after, transacted);
  }
  const isOneTransaction = requests.filter(({ operation }) => operation !== 'GetItem').length === 1;
  chargeOthers(units, compiled, population, pattern, call, transacted.size > 0 && isOneTransaction);
  const stored = itemsBefore(compiled, population, call);
  for (const { operation, input } of requests) {
    if (operation !== 'GetItem') continue;
    const item = stored.get(keyTextOf(compiled, input));
    add(
      units,
      String(input.TableName),
      'read',
      readUnits(item === undefined ? 0 : itemBytes(item), 'strong'),
    );
  }
  return units;
}

/**
 * The requests of a write as they are sent where the instances are stored: those that write come behind the answers to
 * those that read.
 */
export function requestsOf(
  compiled: CompiledDesign,
  population: Population,
  call: WriteCall,
  nowMs: number,
): Request[] {
  const { given, command, token, spreadBy } = call;
  const stored = itemsBefore(compiled, population, call);
  const sent: Request[] = [];
  let at = compiled.writes.get(call.pattern)!.begin(given, { nowMs, command, token, spreadBy });
  while (!isDone(at)) {
    sent.push(...at.requests);
    at = at.next(
      at.requests.map(({ operation, input }) =>
        operation === 'GetItem' ? { Item: stored.get(keyTextOf(compiled, input)) } : {},
      ),
    );
  }
  return sent;
}

function identityOf(effect: Effect): Values {
  return effect.kind === 'put' ? effect.values : effect.of;
}

/** The stored items of the instances that a call touches, by their keys. */
function itemsBefore(
  compiled: CompiledDesign,
  population: Population,
  { effects }: WriteCall,
): Map<string, ItemJson> {
  const stored = new Map<string, ItemJson>();
  for (const effect of effects) {
    const placed = compiled.entities.get(effect.entity)!;
    const before = population.kind(effect.entity).find(identityOf(effect));
    const item = before && placed.itemOf(effect.entity, before);
    if (item !== undefined) stored.set(keyText(placed.table, item), item);
  }
  return stored;
}

/** The keys of everything that is written in a transaction. */
function transactedKeys(compiled: CompiledDesign, requests: readonly Request[]): Set<string> {
  const keys = new Set<string>();
  for (const { operation, input } of requests) {
    if (operation !== 'TransactWriteItems') continue;
    for (const action of input.TransactItems as readonly Readonly<Record<string, Request['input']>>[])
      for (const members of Object.values(action)) keys.add(keyTextOf(compiled, members));
  }
  return keys;
}

/** The key that a request or an action names, or that the item has which it puts. */
function keyTextOf({ design }: CompiledDesign, { TableName, Key, Item }: Request['input']): string {
  const table = design.tables.find(({ name }) => name === TableName)!;
  return keyText(table, (Key ?? Item ?? {}) as ItemJson);
}

function keyText({ name, partitionKey, sortKey }: TableDesign, item: ItemJson): string {
  return `${name}\n${textOf(item, partitionKey)}\n${textOf(item, sortKey)}`;
}

function changed(before: Values, sets: Readonly<Record<string, Values[string]>>): Values {
  const after: Record<string, Values[string]> = { ...before };
  for (const [name, value] of Object.entries(sets)) {
    if (value === undefined) delete after[name];
    else after[name] = value;
  }
  return after;
}

function chargeItem(
  units: ForecastUnits,
  placed: PlacedEntity,
  where: string,
  before: Values | undefined,
  after: Values | undefined,
  transacted: ReadonlySet<string>,
): void {
  const { table } = placed;
  const [old, fresh] = [before, after].map((values) =>
    values === undefined ? undefined : placed.itemOf(where, values),
  );
  const item = old ?? fresh;
  const factor = item !== undefined && transacted.has(keyText(table, item)) ? transactionFactor : 1;
  add(units, table.name, 'write', factor * itemWriteUnits(old && itemBytes(old), fresh && itemBytes(fresh)));
  for (const index of table.indexes) {
    const [a, b] = [old && entryOf(table, index, old), fresh && entryOf(table, index, fresh)];
    const keys = [index.partitionKey, index.sortKey];
    const change = {
      before: a && itemBytes(a),
      after: b && itemBytes(b),
      sameKey: a !== undefined && b !== undefined && keys.every((name) => isSameJson(a[name], b[name])),
      sameProjection: a !== undefined && b !== undefined && isSameItem(a, b),
    };
    add(units, `${table.name}/${index.name}`, 'write', indexWriteUnits(change));
  }
  satelliteCharges(units, placed, where, before, after, transacted);
}

function satelliteCharges(
  units: ForecastUnits,
  placed: PlacedEntity,
  where: string,
  before: Values | undefined,
  after: Values | undefined,
  transacted: ReadonlySet<string>,
): void {
  const { table } = placed;
  const itemsOf = (values: Values | undefined) =>
    new Map(
      (values === undefined
        ? []
        : [...placed.copiesOf(where, values), ...placed.guardsOf(where, values)]
      ).map((item) => [keyText(table, item), item]),
    );
  const [old, fresh] = [itemsOf(before), itemsOf(after)];
  for (const key of new Set([...old.keys(), ...fresh.keys()])) {
    const [a, b] = [old.get(key), fresh.get(key)];
    const isGuard =
      b !== undefined && a !== undefined && isSameItem(a, b) && textOf(b, table.sortKey) === 'UNIQUE';
    const factor = transacted.has(key) ? transactionFactor : 1;
    if (!isGuard)
      add(units, table.name, 'write', factor * itemWriteUnits(a && itemBytes(a), b && itemBytes(b)));
  }
}

/** Spread counters, required items and remembered commands. */
function chargeOthers(
  units: ForecastUnits,
  compiled: CompiledDesign,
  population: Population,
  pattern: WritePattern,
  call: WriteCall,
  isTransaction: boolean,
): void {
  const factor = isTransaction ? transactionFactor : 1;
  for (const step of pattern.steps) {
    const { table } = compiled.entities.get(step.entity)!;
    // Counter items are small, whatever they have counted.
    if (step.kind === 'count' && step.spread === 'shards')
      add(units, table.name, 'write', factor * itemWriteUnits(0, 1));
    if (step.kind === 'require') {
      const given = call.given[step.entity];
      const values = Array.isArray(given) ? given : [given];
      for (const one of values as Values[]) {
        const instance = population.kind(step.entity).find(one);
        const item = instance && compiled.entities.get(step.entity)!.itemOf(step.entity, instance);
        add(
          units,
          table.name,
          'write',
          transactionFactor * itemWriteUnits(item && itemBytes(item), undefined),
        );
      }
    }
  }
  if (pattern.idempotency?.kind === 'record')
    add(
      units,
      compiled.entities.get(pattern.steps[0]!.entity)!.table.name,
      'write',
      transactionFactor * itemWriteUnits(0, 1),
    );
}

function isSameItem(a: ItemJson, b: ItemJson): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => isSameJson(a[name], b[name]));
}

function textOf(item: ItemJson, name: string): string {
  const value = item[name];
  return value !== undefined && 'S' in value ? value.S : '';
}
