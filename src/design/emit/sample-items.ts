import { spreadCounters } from '../check-counters.ts';
import type { Design, Placement, TableDesign } from '../design.ts';
import { storedModel } from '../embed/stored-model.ts';
import type { Attribute, AttributeRef, Entity, Model, Predicate } from '../ir.ts';
import { keyText, type PlainValue } from '../key-text.ts';

/** A value of a sample: plain, or a document that no key can hold. */
export type SampleValue = PlainValue | readonly string[] | Readonly<Record<string, string>>;
export type SampleInstance = Readonly<Record<string, SampleValue | undefined>>;

/** An item as the table stores it, keys first. */
export interface SampleRow {
  readonly entity: string;
  readonly copy?: number;
  readonly item: Readonly<Record<string, SampleValue>>;
}

const instancesWanted = 4;
const firstMoment = Date.UTC(2026, 5, 1, 9, 0, 0);
const hourMs = 3_600_000;

/**
 * A few instances of every entity, made up from the model alone and always the same: references lead to instances that
 * exist, and every sparse index has some of its entity's items and lacks others.
 */
export function sampleInstances(asked: Model, design: Design): Map<string, SampleInstance[]> {
  const model = storedModel(asked, design);
  const made = new Map<string, SampleInstance[]>();
  for (const entity of parentsFirst(model)) {
    const found: Record<string, SampleValue | undefined>[] = [];
    const seen = new Set<string>();
    const counted = spreadCounters(model, entity.name);
    for (let at = 0; at < instancesWanted; at++) {
      for (let attempt = 0; attempt < instancesWanted; attempt++) {
        const one = instance(entity, at, attempt, made);
        for (const name of counted) one[name] = undefined;
        const identity = entity.identity.map((name) => String(one[name])).join('#');
        if (seen.has(identity)) continue;
        seen.add(identity);
        found.push(one);
        break;
      }
    }
    for (const { placements } of design.tables) satisfySparse(entity, placements, found);
    made.set(entity.name, found);
  }
  return made;
}

/** The rows of a table, sorted by its keys. */
export function sampleRows(
  model: Model,
  table: TableDesign,
  instances: ReadonlyMap<string, readonly SampleInstance[]>,
): SampleRow[] {
  const rows = table.entities.flatMap((name) => {
    const entity = model.entities.find((one) => one.name === name)!;
    const bases = table.placements.filter((one) => one.entity === name && one.slot === 'table');
    return instances
      .get(name)!
      .flatMap((values) => bases.flatMap((base) => rowOf(table, entity, base, values)));
  });
  const key = ({ item }: SampleRow) => `${item[table.partitionKey]}\u0000${item[table.sortKey]}`;
  return rows.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function rowOf(table: TableDesign, entity: Entity, base: Placement, values: SampleInstance): SampleRow[] {
  const plain = values as Readonly<Record<string, PlainValue | undefined>>;
  const [pk, sk] = [keyText(entity, base.partition, plain), keyText(entity, base.sort, plain)];
  if (pk === undefined || sk === undefined) return [];
  const item: Record<string, SampleValue> = { [table.partitionKey]: pk, [table.sortKey]: sk };
  for (const index of base.copy === undefined ? table.indexes : []) {
    const placement = table.placements.find((one) => one.entity === entity.name && one.slot === index.name);
    if (placement === undefined || !placement.when.every((one) => holds(one, values))) continue;
    const [ipk, isk] = [keyText(entity, placement.partition, plain), keyText(entity, placement.sort, plain)];
    if (ipk === undefined || isk === undefined) continue;
    if (index.kind === 'global') item[index.partitionKey] = ipk;
    item[index.sortKey] = isk;
  }
  item._type = entity.name;
  if (entity.schemaVersion !== undefined) item._shape = entity.schemaVersion;
  if (base.copy !== undefined) item._copy = base.copy;
  for (const { name } of entity.attributes) if (values[name] !== undefined) item[name] = values[name]!;
  return [{ entity: entity.name, ...(base.copy === undefined ? {} : { copy: base.copy }), item }];
}

/** Whether a predicate holds for an instance. */
export function holds(predicate: Predicate, values: SampleInstance): boolean {
  switch (predicate.kind) {
    case 'equals':
      return values[predicate.attribute] === predicate.value;
    case 'among':
      return predicate.values.includes(String(values[predicate.attribute]));
    case 'exists':
      return values[predicate.attribute] !== undefined;
    case 'compare': {
      const { left, operator, right } = predicate;
      const [a, b] = [values[left], 'attribute' in right ? values[right.attribute] : right.value];
      if (a === undefined || b === undefined) return false;
      if (operator === '<') return a < b;
      if (operator === '<=') return a <= b;
      return operator === '>' ? a > b : a >= b;
    }
  }
}

/** Makes the first instance meet the predicates of a sparse placement that none of them meets. */
function satisfySparse(
  entity: Entity,
  placements: readonly Placement[],
  found: Record<string, SampleValue | undefined>[],
): void {
  for (const { entity: name, when } of placements) {
    if (name !== entity.name || when.length === 0) continue;
    if (found.some((one) => when.every((predicate) => holds(predicate, one)))) continue;
    const [first] = found;
    for (const predicate of when) {
      if (first === undefined || holds(predicate, first)) continue;
      if (predicate.kind === 'equals') first[predicate.attribute] = predicate.value;
      if (predicate.kind === 'among') first[predicate.attribute] = predicate.values[0]!;
      if (predicate.kind === 'exists') {
        const attribute = entity.attributes.find((one) => one.name === predicate.attribute)!;
        first[predicate.attribute] = sampleValue(attribute, 0);
      }
      if (predicate.kind === 'compare') {
        const limit =
          'attribute' in predicate.right ? first[predicate.right.attribute] : predicate.right.value;
        const step = predicate.operator === '<' ? -1 : predicate.operator === '>' ? 1 : 0;
        first[predicate.left] = Number(limit) + step;
      }
    }
  }
}

/** Entities whose attributes refer to others come behind them. */
function parentsFirst(model: Model): Entity[] {
  const sorted: Entity[] = [];
  const visit = (entity: Entity, path: readonly string[]) => {
    if (sorted.includes(entity) || path.includes(entity.name)) return;
    for (const { refersTo, copyOf } of entity.attributes) {
      const name = refersTo?.entity ?? copyOf?.entity;
      const parent = model.entities.find((one) => one.name === name);
      if (parent !== undefined) visit(parent, [...path, entity.name]);
    }
    sorted.push(entity);
  };
  for (const entity of model.entities) visit(entity, []);
  return sorted;
}

function instance(
  entity: Entity,
  at: number,
  attempt: number,
  made: ReadonlyMap<string, readonly SampleInstance[]>,
): Record<string, SampleValue | undefined> {
  const chosen = new Map<string, SampleInstance>();
  const used = new Set<string>();
  const parentOf = ({ entity: name, attribute }: AttributeRef): SampleInstance | undefined => {
    // A second attribute with the same origin, such as both ends of an edge, leads to another instance.
    const key = used.has(`${name}.${attribute}`) ? `${name} again` : name;
    used.add(`${name}.${attribute}`);
    const known = chosen.get(key);
    if (known !== undefined) return known;
    const parents = made.get(name) ?? [];
    // The first parent has two children, so that collections show more than one item.
    const which = chosen.size === 0 ? Math.floor(at / 2) + attempt : at + 1 + attempt;
    const parent = parents[which % Math.max(1, parents.length)];
    if (parent !== undefined) chosen.set(key, parent);
    return parent;
  };
  /** What a parent says under the same name, so that copies agree. */
  const inherit = ({ name, type, refersTo, copyOf }: Attribute): SampleValue | undefined => {
    const isShared = refersTo !== undefined || copyOf !== undefined || type.kind === 'time';
    if (!isShared) return undefined;
    return [...chosen.values()].find((one) => one[name] !== undefined)?.[name];
  };
  const values: Record<string, SampleValue | undefined> = {};
  for (const attribute of entity.attributes) {
    const { name, refersTo, copyOf, optional } = attribute;
    const source = refersTo ?? copyOf;
    const inherited =
      inherit(attribute) ?? (source === undefined ? undefined : parentOf(source)?.[source.attribute]);
    if (inherited !== undefined) values[name] = inherited;
    else if (optional === true && at % 3 === 2) values[name] = undefined;
    else if (name === entity.ttl) values[name] = expiryOf(entity, at);
    else
      values[name] =
        entity.identity.includes(name) && attribute.type.kind === 'number'
          ? at + 1
          : sampleValue(attribute, at);
  }
  return values;
}

/** The expiry of an item that was created at its sample's moment. */
function expiryOf({ keepDays = 90 }: Entity, at: number): number {
  return Math.floor((firstMoment + at * 31 * hourMs) / 1000) + Math.round(keepDays * 86_400);
}

function sampleValue({ name, type }: Attribute, at: number): SampleValue {
  const moment = firstMoment + at * 31 * hourMs;
  switch (type.kind) {
    case 'id':
      return `${name.slice(0, 3).toLowerCase()}-${101 + at}`;
    case 'text':
      return /mail/i.test(name)
        ? `box${at + 1}@example.com`
        : type.plain
          ? `${wordsOf(name).replaceAll(' ', '-')}-${at + 1}`
          : `${wordsOf(name)} ${at + 1}`;
    case 'path':
      return ['Audio', 'Audio/Headphones', 'Audio/Headphones/Wireless', 'Books'][at % 4]!;
    case 'number': {
      const whole = ((at + 1) * 7) % 10 ** Math.min(type.digits, 6);
      return type.decimals === 0 ? whole : whole + 0.5;
    }
    case 'time':
      return new Date(moment).toISOString();
    case 'date':
      return new Date(moment).toISOString().slice(0, 10);
    case 'epoch':
      return Math.floor(moment / 1000) + 90 * 86_400;
    case 'flag':
      return true;
    case 'choice':
      return type.values[at % type.values.length]!.value;
    case 'binary':
      return 'AQID';
    case 'map':
      return { note: `${wordsOf(name)} ${at + 1}` };
    case 'list':
      return [`${wordsOf(name)} ${at + 1}`];
  }
}

/** `displayName` → `display name`. */
function wordsOf(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}

/** The type letter under which the service stores an attribute. */
export function storedType({ type }: Attribute): 'S' | 'N' | 'B' | 'BOOL' | 'M' | 'L' {
  switch (type.kind) {
    case 'number':
    case 'epoch':
      return 'N';
    case 'flag':
      return 'BOOL';
    case 'binary':
      return 'B';
    case 'map':
      return 'M';
    case 'list':
      return 'L';
    default:
      return 'S';
  }
}

/** A row in DynamoDB JSON. */
export function dynamoJson(entity: Entity, { item }: SampleRow): Record<string, unknown> {
  const typed = (name: string, value: SampleValue): unknown => {
    const attribute = entity.attributes.find((one) => one.name === name);
    const letter = attribute === undefined ? 'S' : storedType(attribute);
    if (letter === 'N' || name === '_shape' || name === '_copy') return { N: String(value) };
    if (letter === 'M') {
      return {
        M: Object.fromEntries(Object.entries(value).map(([key, text]) => [key, { S: text as string }])),
      };
    }
    if (letter === 'L') return { L: (value as readonly string[]).map((text) => ({ S: text })) };
    return { [letter]: value };
  };
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, typed(name, value)]));
}
