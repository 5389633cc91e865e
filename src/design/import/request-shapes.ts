import type { HandPlacement, Piece, ReadPattern, WriteStep } from '../ir.ts';
import { delimiter } from '../key-pieces.ts';
import type { Draft, DraftEntity } from './draft.ts';
import { type SampleItem, type SampleValue, textOf } from './samples.ts';
import type { TableShape } from './table-shape.ts';

/** A request of DynamoDB's API, with the times at which it was sent. */
export interface SeenRequest {
  readonly op: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Milliseconds. */
  readonly at: number;
  /** The name of the pattern, if the file has one. */
  readonly pattern?: string;
  readonly description?: string;
  readonly items?: number;
}

/** What requests of one shape have in common. */
interface Shape {
  readonly first: SeenRequest;
  readonly entity: DraftEntity;
  readonly read?: Partial<ReadPattern> & Pick<ReadPattern, 'by'>;
  readonly steps?: readonly WriteStep[];
  readonly atomic?: boolean;
  readonly guessed?: string;
  readonly times: number[];
  readonly found: number[];
}

/** Makes a pattern of each shape of request: the operation, the slot, what is known of the key, filter and order. */
export function patternsFromRequests(
  draft: Draft,
  shapes: ReadonlyMap<string, TableShape>,
  requests: readonly SeenRequest[],
): void {
  const seen = new Map<string, Shape>();
  for (const request of requests) {
    const shape = shapeOf(draft, shapes, request);
    if (shape === undefined) continue;
    const { entity, read, steps, atomic } = shape;
    const key = JSON.stringify([request.pattern, request.op, entity.name, read, steps, atomic]);
    const known = seen.get(key) ?? { ...shape, first: request, times: [], found: [] };
    known.times.push(request.at);
    if (request.items !== undefined) known.found.push(request.items);
    seen.set(key, known);
  }
  let number = 0;
  for (const shape of seen.values()) addPattern(draft, shape, ++number, requests);
}

function addPattern(draft: Draft, shape: Shape, number: number, requests: readonly SeenRequest[]): void {
  const { first, entity, times, found, guessed } = shape;
  const name = first.pattern ?? `${shape.read === undefined ? 'W' : 'R'}${number}`;
  const rate = rateOf(times, requests);
  const description = first.description ?? `${first.op} of ${entity.name}`;
  const kind = shape.read === undefined ? 'write' : 'read';
  draft.note(
    `${kind} ${name}`,
    guessed === undefined ? 'inferred' : 'guessed',
    guessed ?? `from the shape of ${times.length === 1 ? 'one request' : `${times.length} requests`}`,
  );
  if (shape.read !== undefined) {
    const returns = found.length === 0 ? {} : { returns: Math.max(1, mean(found)) };
    draft.read({ ...returns, ...shape.read, name, description, entities: [entity.name], rate });
  } else draft.write(name, shape.steps!, { description, atomic: shape.atomic ?? false, rate });
}

/** Calls in the busiest second, and over the whole time. Requests without times are one call a second. */
function rateOf(times: readonly number[], all: readonly SeenRequest[]) {
  const last = all.reduce((most, { at }) => Math.max(most, at), 0);
  if (last === 0) return { peak: 1, mean: 1 };
  const seconds = new Map<number, number>();
  for (const at of times) seconds.set(Math.floor(at / 1_000), (seconds.get(Math.floor(at / 1_000)) ?? 0) + 1);
  const peak = Math.max(...seconds.values());
  // Whole seconds, as those of the peak: a burst of half a second is no higher rate than its busiest second.
  const mean = times.length / (Math.floor(last / 1_000) + 1);
  return { peak, mean: Math.min(peak, Number(mean.toPrecision(3))) };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0) / values.length;
}

type Found = Pick<Shape, 'entity' | 'read' | 'steps' | 'atomic' | 'guessed'>;

function shapeOf(
  draft: Draft,
  shapes: ReadonlyMap<string, TableShape>,
  request: SeenRequest,
): Found | undefined {
  const { op, input } = request;
  const table = shapes.get(tableName(input.TableName));
  switch (op) {
    case 'GetItem': {
      const key = asItem(input.Key);
      const found = table && entityOfKey(draft, table, key);
      if (found === undefined) return undefined;
      const consistency = input.ConsistentRead === true ? 'strong' : 'eventual';
      return { ...found, read: { by: keyAttributes(found.entity), result: 'one', page: 1, consistency } };
    }
    case 'Query':
    case 'Scan':
      return table && listShape(draft, table, request);
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem': {
      const step = table && stepOf(draft, table, op, input);
      return step && { entity: step.entity, steps: [step.step] };
    }
    case 'TransactWriteItems':
      return manySteps(draft, shapes, list(input.TransactItems).flatMap(actionsOf), true);
    case 'BatchWriteItem':
      return manySteps(
        draft,
        shapes,
        Object.entries(asRecord(input.RequestItems)).flatMap(([name, all]) =>
          list(all).flatMap((one) => {
            const { PutRequest: put, DeleteRequest: remove } = asRecord(one);
            if (put !== undefined) return [{ op: 'PutItem', input: { ...asRecord(put), TableName: name } }];
            return remove === undefined
              ? []
              : [{ op: 'DeleteItem', input: { ...asRecord(remove), TableName: name } }];
          }),
        ),
        false,
      );
    case 'BatchGetItem':
    case 'TransactGetItems': {
      const [name, all] = Object.entries(asRecord(input.RequestItems))[0] ?? [];
      const shape = name === undefined ? undefined : shapes.get(tableName(name));
      const found = shape && entityOfKey(draft, shape, asItem(list(asRecord(all).Keys)[0]));
      if (found === undefined) return undefined;
      return { ...found, read: { by: keyAttributes(found.entity), result: 'one', page: 1 } };
    }
    default:
      draft.note(`request ${op}`, 'left out', 'a model has no pattern for it');
      return undefined;
  }
}

function actionsOf(action: unknown): { op: string; input: Readonly<Record<string, unknown>> }[] {
  const names = {
    Put: 'PutItem',
    Update: 'UpdateItem',
    Delete: 'DeleteItem',
    ConditionCheck: 'ConditionCheck',
  } as const;
  return Object.entries(asRecord(action)).flatMap(([name, input]) =>
    name in names ? [{ op: names[name as keyof typeof names], input: asRecord(input) }] : [],
  );
}

function manySteps(
  draft: Draft,
  shapes: ReadonlyMap<string, TableShape>,
  actions: readonly { readonly op: string; readonly input: Readonly<Record<string, unknown>> }[],
  atomic: boolean,
): Found | undefined {
  const steps = new Map<string, { entity: DraftEntity; step: WriteStep }>();
  for (const { op, input } of actions) {
    const table = shapes.get(tableName(input.TableName));
    const found = table && stepOf(draft, table, op, input);
    if (found === undefined) continue;
    const key = JSON.stringify({ ...found.step, count: 0 });
    const known = steps.get(key);
    steps.set(
      key,
      known === undefined ? found : { ...known, step: { ...known.step, count: known.step.count + 1 } },
    );
  }
  const all = [...steps.values()];
  return all.length === 0
    ? undefined
    : { entity: all[0]!.entity, steps: all.map(({ step }) => step), atomic };
}

function stepOf(draft: Draft, table: TableShape, op: string, input: Readonly<Record<string, unknown>>) {
  const item = asItem(op === 'PutItem' ? input.Item : input.Key);
  const found = entityOfKey(draft, table, item);
  if (found === undefined) return undefined;
  const { entity } = found;
  const base = { entity: entity.name, count: 1 };
  const given = keyAttributes(entity);
  const condition = String(input.ConditionExpression ?? '');
  if (op === 'PutItem') {
    const once = /attribute_not_exists/i.test(condition);
    return { entity, step: { ...base, kind: 'create', once, unique: [], values: [] } as WriteStep };
  }
  if (op === 'DeleteItem') return { entity, step: { ...base, kind: 'remove', given, when: [] } as WriteStep };
  if (op === 'ConditionCheck')
    return { entity, step: { ...base, kind: 'require', given, when: [] } as WriteStep };
  const sets = changedNames(input).filter((name) => entity.attributes.has(name) && !given.includes(name));
  return {
    entity,
    step: {
      ...base,
      kind: 'change',
      given,
      sets: sets.map((attribute) => ({ attribute })),
      when: [],
      checksVersion: false,
    } as WriteStep,
  };
}

/** The top-level attributes that an UpdateExpression sets, removes or adds to. */
function changedNames(input: Readonly<Record<string, unknown>>): string[] {
  const names = asRecord(input.ExpressionAttributeNames);
  const text = String(input.UpdateExpression ?? '');
  const found = [...text.matchAll(/(?:^|,|\bSET\b|\bREMOVE\b|\bADD\b|\bDELETE\b)\s*([#\w]+)/gi)].map(
    ([, name]) => name!,
  );
  const legacy = Object.keys(asRecord(input.AttributeUpdates));
  return [...new Set([...found.map((name) => String(names[name] ?? name)), ...legacy])];
}

// ---- reads by range

function listShape(draft: Draft, table: TableShape, { op, input }: SeenRequest): Found | undefined {
  const slot = typeof input.IndexName === 'string' ? input.IndexName : 'table';
  const candidates = [...draft.entities.values()].filter(
    (entity) => entity.table === table.name && entity.keys.some((key) => key.slot === slot),
  );
  const conditions = conditionsOf(input);
  const names =
    slot === 'table'
      ? [table.partitionKey]
      : (table.indexes.find(({ name }) => name === slot)?.partition ?? []);
  const partition = conditions.find(({ name, kind }) => kind === '=' && names.includes(name))?.values[0];
  const sorted = conditions.find(({ name }) => !names.includes(name));
  const fitting = candidates.filter((entity) => {
    const key = entity.keys.find((one) => one.slot === slot)!;
    return fits(key.partition, partition, true) && fits(key.sort, sorted?.values[0], sorted?.kind === '=');
  });
  const entity = fitting[0] ?? candidates[0];
  if (entity === undefined) return undefined;
  const guessed =
    fitting.length === 1
      ? {}
      : { guessed: `${fitting.length} kinds of items fit the request; taken for ${entity.name}` };
  const key = entity.keys.find((one) => one.slot === slot)!;
  const filters = filterNames(input).filter((name) => entity.attributes.has(name));
  const consistency = input.ConsistentRead === true ? ('strong' as const) : ('eventual' as const);
  const page = typeof input.Limit === 'number' ? input.Limit : ('all' as const);
  const needs = projectedNames(input).filter((name) => entity.attributes.has(name));
  const common = { consistency, page, ...(needs.length === 0 ? {} : { needs }) };
  if (op === 'Scan') return { entity, ...guessed, read: { by: filters, ...common } };
  const by = attributesIn(key.partition);
  const range = rangeOf(key, sorted);
  const next = attributesIn(key.sort).find((name) => !range.by.includes(name));
  const backwards = input.ScanIndexForward === false && next !== undefined;
  const where = [...new Set([...by, ...range.by])]
    .filter((name) => entity.attributes.get(name)?.optional)
    .map((attribute) => ({ kind: 'exists' as const, attribute, share: 1 }));
  return {
    entity,
    ...guessed,
    read: {
      by: [...new Set([...by, ...range.by, ...filters])],
      ...common,
      where: [...where, ...key.when],
      ...(range.range === undefined ? {} : { range: range.range }),
      order: backwards ? [{ attribute: next, direction: 'desc' }] : [],
    },
  };
}

interface Condition {
  readonly name: string;
  readonly kind: '=' | 'begins_with' | 'between' | 'compare';
  readonly values: readonly (string | undefined)[];
}

function conditionsOf(input: Readonly<Record<string, unknown>>): Condition[] {
  const names = asRecord(input.ExpressionAttributeNames);
  const values = asRecord(input.ExpressionAttributeValues) as Readonly<Record<string, SampleValue>>;
  const name = (word: string) => String(names[word] ?? word);
  const value = (word: string) => textOf(plainOrTyped(values[word]));
  const found: Condition[] = [];
  const text = String(input.KeyConditionExpression ?? '')
    .replace(/([#\w.]+)\s+BETWEEN\s+(:\w+)\s+AND\s+(:\w+)/gi, (_, path: string, from: string, to: string) => {
      found.push({ name: name(path), kind: 'between', values: [value(from), value(to)] });
      return '';
    })
    .replace(/begins_with\s*\(\s*([#\w.]+)\s*,\s*(:\w+)\s*\)/gi, (_, path: string, start: string) => {
      found.push({ name: name(path), kind: 'begins_with', values: [value(start)] });
      return '';
    });
  for (const [, path, operator, bound] of text.matchAll(/([#\w.]+)\s*(=|<=|>=|<|>)\s*(:\w+)/g))
    found.push({ name: name(path!), kind: operator === '=' ? '=' : 'compare', values: [value(bound!)] });
  return found;
}

/** How far a condition on the sort key reaches into its pieces. */
function rangeOf(
  key: HandPlacement,
  condition: Condition | undefined,
): Pick<ReadPattern, 'by'> & Partial<Pick<ReadPattern, 'range'>> {
  const names = attributesIn(key.sort);
  if (condition === undefined) return { by: [] };
  if (condition.kind === '=') return { by: names };
  const known = (condition.values[0] ?? '').split(delimiter);
  const pieces = key.sort
    .map((piece) => (piece.kind === 'constant' ? piece.text : '\u0000'))
    .join('')
    .split(delimiter);
  const by: string[] = [];
  let at = 0;
  let attribute = 0;
  for (; at < known.length - 1 && at < pieces.length; at++)
    if (pieces[at]!.includes('\u0000')) by.push(names[attribute++]!);
  const open = pieces[at]?.includes('\u0000') ? names[attribute] : names.find((name) => !by.includes(name));
  const partial = known[at] ?? '';
  if (
    open === undefined ||
    (condition.kind === 'begins_with' && (partial === '' || !pieces[at]?.includes('\u0000')))
  )
    return { by };
  return { by, range: { attribute: open, kind: condition.kind === 'begins_with' ? 'prefix' : 'between' } };
}

function filterNames(input: Readonly<Record<string, unknown>>): string[] {
  const names = asRecord(input.ExpressionAttributeNames);
  const words = [...String(input.FilterExpression ?? '').matchAll(/(?<![:\w#])#?[A-Za-z_]\w*/g)].map(
    ([word]) => word,
  );
  return [...new Set(words.map((word) => String(names[word] ?? word)))];
}

function projectedNames(input: Readonly<Record<string, unknown>>): string[] {
  const names = asRecord(input.ExpressionAttributeNames);
  if (typeof input.ProjectionExpression !== 'string') return [];
  return input.ProjectionExpression.split(',').map(
    (word) => String(names[word.trim()] ?? word.trim()).split(/[.[]/)[0]!,
  );
}

// ---- keys

/** The entity whose key templates the values fit. */
function entityOfKey(
  draft: Draft,
  table: TableShape,
  item: SampleItem,
): { entity: DraftEntity; guessed?: string } | undefined {
  const own = [...draft.entities.values()].filter((entity) => entity.table === table.name);
  const fitting = own.filter((entity) => {
    const key = entity.keys.find(({ slot }) => slot === 'table')!;
    const sort = table.sortKey === undefined ? undefined : textOf(item[table.sortKey]);
    return fits(key.partition, textOf(item[table.partitionKey]), true) && fits(key.sort, sort, true);
  });
  const entity = fitting[0] ?? own[0];
  if (entity === undefined) return undefined;
  return fitting.length === 1
    ? { entity }
    : { entity, guessed: `${fitting.length} kinds of items fit the key; taken for ${entity.name}` };
}

/** Whether a text can be one of a template, or, unless `whole`, can begin one. */
function fits(pieces: readonly Piece[], text: string | undefined, whole: boolean): boolean {
  if (text === undefined) return true;
  const template = pieces
    .map((piece) => (piece.kind === 'constant' ? piece.text : '\u0000'))
    .join('')
    .split(delimiter);
  const segments = text.split(delimiter);
  if (
    whole
      ? segments.length < template.length
      : segments.length > template.length && !template.at(-1)!.includes('\u0000')
  )
    return false;
  return segments.every((segment, at) => {
    const own = template[at];
    if (own === undefined || own.includes('\u0000')) return true;
    return segment === own || (!whole && at === segments.length - 1 && own.startsWith(segment));
  });
}

function keyAttributes(entity: DraftEntity): string[] {
  const key = entity.keys.find(({ slot }) => slot === 'table')!;
  return [...new Set([...attributesIn(key.partition), ...attributesIn(key.sort)])];
}

function attributesIn(pieces: readonly Piece[]): string[] {
  return pieces.flatMap((piece) => (piece.kind === 'attribute' ? [piece.attribute] : []));
}

// ---- plain values

export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Tables are named by name or by ARN. */
export function tableName(value: unknown): string {
  return String(value ?? '').replace(/^arn:.*:table\//, '');
}

const typeWords = new Set(['S', 'N', 'B', 'BOOL', 'NULL', 'M', 'L', 'SS', 'NS', 'BS']);

/** Document clients send plain values, others DynamoDB JSON. */
function plainOrTyped(value: unknown): SampleValue | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (Array.isArray(value)) return { L: value };
  const [word, ...others] = Object.keys(value);
  return others.length === 0 && word !== undefined && typeWords.has(word)
    ? (value as SampleValue)
    : { M: value };
}

export function asItem(value: unknown): SampleItem {
  return Object.fromEntries(Object.entries(asRecord(value)).map(([name, one]) => [name, plainOrTyped(one)!]));
}
