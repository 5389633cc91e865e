import { finding } from '../check/subject.ts';
import type { Attribute, AttributeType, Piece } from '../ir.ts';
import { delimiter } from '../key-pieces.ts';
import { type Draft, type DraftEntity, nameOf } from './draft.ts';
import type { IndexShape, TableShape } from './table-shape.ts';

/** A value of DynamoDB JSON. */
export type SampleValue = Readonly<Record<string, unknown>>;
export type SampleItem = Readonly<Record<string, SampleValue>>;

/** Attributes that tools and people use to say what kind of item it is. */
const typeAttributes = [
  '_type',
  '__edb_e__',
  '_et',
  'entityType',
  'entity_type',
  'EntityType',
  'type',
  'Type',
  'entity',
];

/** Finds the kinds of items in a sample, and what their keys are made of. */
export function entitiesFromItems(
  draft: Draft,
  shape: TableShape,
  items: readonly SampleItem[],
): DraftEntity[] {
  const groups = new Map<string, SampleItem[]>();
  const typeName = typeAttributes.find((name) => {
    const values = new Set(items.map((item) => textOf(item[name])));
    return !values.has(undefined) && values.size <= Math.max(1, items.length / 2, 12);
  });
  for (const item of items) {
    const kind = (typeName === undefined ? undefined : textOf(item[typeName])) ?? prefixKind(shape, item);
    groups.set(kind, [...(groups.get(kind) ?? []), item]);
  }
  return [...groups].map(([kind, own]) => entityFrom(draft, shape, kind, own, typeName));
}

export function textOf(value: SampleValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  const text = value.S ?? value.N;
  return typeof text === 'string' ? text : typeof text === 'number' ? String(text) : undefined;
}

function isWord(segment: string): boolean {
  return /^[A-Za-z][A-Za-z_.-]*$/.test(segment);
}

/** `CUST#a1` and `ORDER#2026-06-01#o1` together are the kind Cust Order. */
function prefixKind({ partitionKey, sortKey }: TableShape, item: SampleItem): string {
  const words = [partitionKey, ...(sortKey === undefined ? [] : [sortKey])].map((name) => {
    const text = textOf(item[name]) ?? '';
    const [head, ...rest] = text.split(delimiter);
    return isWord(head!) && (rest.length > 0 || head === head!.toUpperCase()) ? head!.toLowerCase() : '';
  });
  const named = words.filter((word, at) => word !== '' && words.indexOf(word) === at);
  return named.length === 0 ? 'item' : named.join(' ');
}

function entityFrom(
  draft: Draft,
  shape: TableShape,
  kind: string,
  items: readonly SampleItem[],
  typeName: string | undefined,
): DraftEntity {
  const entity = draft.entity(nameOf(kind, 'Item'), shape.name, shape.count ?? items.length);
  const where = `entity ${entity.name}`;
  draft.note(
    where,
    items.length < 3 ? 'guessed' : 'inferred',
    typeName === undefined
      ? `found by the prefixes of its keys in ${items.length} items; its population is that of the sample`
      : `found by "${typeName}" in ${items.length} items; its population is that of the sample`,
  );
  const keyNames = new Set([
    shape.partitionKey,
    ...(shape.sortKey === undefined ? [] : [shape.sortKey]),
    ...shape.indexes.flatMap(({ partition, sort }) => [...partition, ...sort]),
  ]);
  const names = new Set(items.flatMap((item) => Object.keys(item)));
  for (const name of [...names].sort()) {
    if (keyNames.has(name) && isTemplate(items, name)) continue;
    const values = items.flatMap((item) => (item[name] === undefined ? [] : [item[name]]));
    const attribute: Attribute = { name, type: typeFromValues(values) };
    entity.attributes.set(name, values.length < items.length ? { ...attribute, optional: true } : attribute);
    expiry(draft, entity, shape, name, values);
  }
  const keyed = new Keyed(draft, entity, keyNames, items);
  entity.keys.push({
    slot: 'table',
    partition: keyed.pieces([shape.partitionKey], items, false),
    sort:
      shape.sortKey === undefined
        ? [{ kind: 'constant', text: entity.name.toUpperCase() }]
        : keyed.pieces([shape.sortKey], items, true),
    when: [],
  });
  for (const index of shape.indexes) placeInIndex(keyed, entity, index, items);
  return entity;
}

/** Key attributes that hold texts put together from others; plain ones are attributes by themselves. */
function isTemplate(items: readonly SampleItem[], name: string): boolean {
  return items.every(
    (item) =>
      item[name] === undefined ||
      (textOf(item[name]) ?? '').includes(delimiter) ||
      isWord(textOf(item[name]) ?? ''),
  );
}

function placeInIndex(
  keyed: Keyed,
  entity: DraftEntity,
  index: IndexShape,
  items: readonly SampleItem[],
): void {
  const own = items.filter((item) =>
    [...index.partition, ...index.sort].every((name) => item[name] !== undefined),
  );
  if (own.length === 0) return;
  const base = entity.keys[0]!;
  entity.keys.push({
    slot: index.name,
    partition: index.kind === 'local' ? base.partition : keyed.pieces(index.partition, own, false),
    sort: keyed.pieces(index.sort, own, true),
    when: own.length === items.length ? [] : sparse(entity, own, items),
  });
}

/** A sparse index: an attribute whose value decides who is in it, if the sample shows one. */
function sparse(entity: DraftEntity, own: readonly SampleItem[], items: readonly SampleItem[]) {
  for (const { name, type } of entity.attributes.values()) {
    const inside = new Set(own.map((item) => textOf(item[name])));
    const outside = new Set(items.filter((item) => !own.includes(item)).map((item) => textOf(item[name])));
    const [only] = [...inside];
    if (inside.size !== 1 || only === undefined || outside.has(only)) continue;
    // A value that every item has for itself decides nothing.
    if (own.length < 2 && type.kind !== 'choice') continue;
    if (type.kind === 'choice') return [{ kind: 'equals' as const, attribute: name, value: only }];
  }
  return [];
}

/** Cuts the keys of one entity into pieces. */
class Keyed {
  readonly #draft: Draft;
  readonly #entity: DraftEntity;
  readonly #keyNames: ReadonlySet<string>;
  readonly #items: readonly SampleItem[];

  constructor(
    draft: Draft,
    entity: DraftEntity,
    keyNames: ReadonlySet<string>,
    items: readonly SampleItem[],
  ) {
    this.#draft = draft;
    this.#entity = entity;
    this.#keyNames = keyNames;
    this.#items = items;
  }

  pieces(names: readonly string[], items: readonly SampleItem[], sorted: boolean): Piece[] {
    return names.flatMap((name, at): Piece[] => [
      ...(at === 0 ? [] : [{ kind: 'constant' as const, text: delimiter }]),
      ...this.#piecesOf(name, items, sorted),
    ]);
  }

  #piecesOf(name: string, items: readonly SampleItem[], sorted: boolean): Piece[] {
    if (this.#entity.attributes.has(name)) {
      this.#judge(
        name,
        items.map((item) => textOf(item[name]) ?? ''),
        sorted,
        items[0]?.[name]?.N !== undefined,
      );
      return [{ kind: 'attribute', attribute: name }];
    }
    const split = items.map((item) => (textOf(item[name]) ?? '').split(delimiter));
    const length = Math.min(...split.map((segments) => segments.length));
    const pieces: Piece[] = [];
    let word = '';
    for (let at = 0; at < length; at++) {
      const last = at === length - 1;
      // Keys of different depth: what follows the common part is one piece.
      const values = split.map((segments) => (last ? segments.slice(at).join(delimiter) : segments[at]!));
      if (at > 0) addText(pieces, delimiter);
      const [first] = values;
      const constant =
        values.every((value) => value === first) &&
        isWord(first!) &&
        (items.length > 1 || first === first!.toUpperCase());
      if (constant) {
        addText(pieces, first!);
        word = first!;
        continue;
      }
      const attribute = this.#attributeFor(name, at, word, values, items);
      this.#judge(attribute, values, sorted, false);
      pieces.push({ kind: 'attribute', attribute });
      word = '';
    }
    return pieces;
  }

  /** The attribute that repeats the segment, or a new one that is named after the word before it. */
  #attributeFor(
    name: string,
    at: number,
    word: string,
    values: readonly string[],
    items: readonly SampleItem[],
  ): string {
    for (const known of this.#entity.attributes.keys()) {
      if (this.#keyNames.has(known)) continue;
      if (items.every((item, index) => textOf(item[known]) === values[index])) return known;
    }
    const wanted = word === '' ? `${name}${at + 1}` : `${word[0]!.toLowerCase()}${camel(word.slice(1))}Id`;
    let free = wanted;
    for (let next = 2; this.#entity.attributes.has(free) && !this.#same(free, values, items); next++)
      free = `${wanted}${next}`;
    const all = items.length === this.#items.length;
    const attribute: Attribute = { name: free, type: typeFromValues(values.map((value) => ({ S: value }))) };
    if (!this.#entity.attributes.has(free))
      this.#entity.attributes.set(free, all ? attribute : { ...attribute, optional: true });
    this.#known.set(free, values);
    return free;
  }

  readonly #known = new Map<string, readonly string[]>();

  /** A segment that repeats one of another key, such as the id in the table key and in an index key. */
  #same(name: string, values: readonly string[], items: readonly SampleItem[]): boolean {
    const known = this.#known.get(name);
    return (
      items.length === this.#items.length &&
      known?.length === values.length &&
      known.every((one, at) => one === values[at])
    );
  }

  #judge(attribute: string, values: readonly string[], sorted: boolean, numeric: boolean): void {
    if (!sorted || numeric) return;
    const where = `entity ${this.#entity.name}`;
    const digits = values.filter((value) => /^\d+$/.test(value));
    if (digits.length === values.length && new Set(digits.map(({ length }) => length)).size > 1) {
      const widths = digits.map(({ length }) => length);
      const width = Math.max(...widths);
      this.#draft.findings.push(
        finding('zero-padding', where, {
          message: `"${attribute}" stands in a sort key with ${Math.min(...widths)} to ${width} digits, such as ${digits.slice(0, 2).join(' and ')}: ${width} digits sort before fewer`,
          number: { value: Math.min(...widths), limit: width, unit: 'digits' },
          fix: `Pad it to ${width + 2} digits with zeros.`,
        }),
      );
    }
    const odd = values.find((value) =>
      /^\d{1,2}[/.-]\d{1,2}[/.-]\d{4}|^\d{4}\/\d{1,2}\/\d{1,2}|^\d{4}-\d-|^\d{4}-\d\d-\d(T|$)/.test(value),
    );
    if (odd !== undefined)
      this.#draft.findings.push(
        finding('iso-8601', where, {
          message: `"${attribute}" stands in a sort key as ${JSON.stringify(odd)}, which does not sort by time`,
          fix: 'Write times as ISO-8601 in UTC, such as 2026-06-01T00:00:00.000Z.',
        }),
      );
  }
}

function camel(word: string): string {
  return word.toLowerCase().replace(/[_.-](\w)/g, (_, letter: string) => letter.toUpperCase());
}

function addText(pieces: Piece[], text: string): void {
  const last = pieces.at(-1);
  if (last?.kind === 'constant') pieces[pieces.length - 1] = { kind: 'constant', text: last.text + text };
  else pieces.push({ kind: 'constant', text });
}

/** Seconds have ten digits until the year 2286. */
const secondsMax = 99_999_999_999;

function expiry(
  draft: Draft,
  entity: DraftEntity,
  shape: TableShape,
  name: string,
  values: readonly SampleValue[],
): void {
  const declared = shape.ttl === name;
  if (!declared && !/^(ttl|expires?|expiry|expiration)(_?at|_?time|_?on)?$/i.test(name)) return;
  const numbers = values.map((value) => Number(value.N));
  if (values.some((value) => value.N === undefined)) {
    if (declared)
      draft.findings.push(
        finding('ttl-seconds', `entity ${entity.name}`, {
          message: `the TTL attribute "${name}" is no number in the sample, so that these items never expire`,
          fix: 'Write seconds since 1970 as a number.',
        }),
      );
    return;
  }
  const wrong = numbers.find((value) => value > secondsMax);
  if (wrong !== undefined) {
    draft.findings.push(
      finding('ttl-seconds', `entity ${entity.name}`, {
        message: `"${name}" holds ${wrong}, which are milliseconds: TTL reads it as a date after the year 5000`,
        number: { value: wrong, limit: secondsMax, unit: 'seconds since 1970' },
        fix: 'Divide by 1,000 and write whole seconds.',
      }),
    );
    return;
  }
  entity.attributes.set(name, { ...entity.attributes.get(name)!, type: { kind: 'epoch' } });
  entity.ttl = name;
  if (!declared) draft.note(`entity ${entity.name}`, 'guessed', `"${name}" looks like its TTL attribute`);
}

/** The type that a sample of values suggests. */
function typeFromValues(values: readonly SampleValue[]): AttributeType {
  const texts = values.flatMap((value) => (typeof value.S === 'string' ? [value.S] : []));
  if (texts.length === values.length && texts.length > 0) return textType(texts);
  const [first] = values;
  if (first === undefined) return { kind: 'text', bytes: { mean: 20, max: 100 }, plain: false };
  if (first.N !== undefined) {
    const numbers = values.map((value) => String(value.N));
    const digits = Math.max(...numbers.map((one) => one.replace(/^-/, '').split('.')[0]!.length));
    const decimals = Math.max(...numbers.map((one) => one.split('.')[1]?.length ?? 0));
    return {
      kind: 'number',
      digits: Math.min(30, digits + 2),
      decimals: Math.min(8, decimals),
      signed: numbers.some((one) => one.startsWith('-')),
    };
  }
  if (first.BOOL !== undefined) return { kind: 'flag' };
  const sizes = values.map((value) => JSON.stringify(value).length);
  const bytes = {
    mean: Math.ceil(sizes.reduce((sum, one) => sum + one, 0) / sizes.length),
    max: 2 * Math.max(...sizes),
  };
  if (first.B !== undefined) return { kind: 'binary', bytes };
  const elements = values.flatMap((value) =>
    [value.L ?? value.SS ?? value.NS ?? value.BS].filter(Array.isArray),
  );
  if (elements.length === 0) return { kind: 'map', bytes };
  const counts = elements.map((one) => one.length);
  const count = Math.max(1, Math.ceil(counts.reduce((sum, one) => sum + one, 0) / counts.length));
  return {
    kind: 'list',
    elementBytes: Math.max(1, Math.ceil(bytes.mean / count)),
    count,
    countMax: Math.max(100, 2 * Math.max(...counts)),
  };
}

function textType(texts: readonly string[]): AttributeType {
  const all = (pattern: RegExp) => texts.every((text) => pattern.test(text));
  if (all(/^\d{4}-\d\d-\d\dT\d\d:\d\d/)) return { kind: 'time' };
  if (all(/^\d{4}-\d\d-\d\d$/)) return { kind: 'date' };
  const distinct = [...new Set(texts)];
  if (
    texts.length >= 2 &&
    distinct.length <= 8 &&
    distinct.length <= Math.max(1, texts.length / 2) &&
    all(/^[A-Z][A-Z_]*$/i)
  ) {
    const share = (value: string) => texts.filter((text) => text === value).length / texts.length;
    return {
      kind: 'choice',
      ordered: false,
      values: distinct.sort().map((value) => ({ value, share: share(value) })),
    };
  }
  const sizes = texts.map((text) => text.length);
  const bytes = {
    mean: Math.ceil(sizes.reduce((sum, one) => sum + one, 0) / sizes.length),
    max: Math.max(20, 2 * Math.max(...sizes)),
  };
  return all(/^[\w.:@-]+$/) ? { kind: 'id', bytes } : { kind: 'text', bytes, plain: false };
}
