import type { IndexDesign, Placement, Plan, TableDesign } from '../design.ts';
import type { Entity, ReadPattern } from '../ir.ts';
import { type Position, readCursor, writeCursor } from './cursor.ts';
import { attributeNamed, pieceText, readTemplate } from './key-values.ts';
import type { PlacedEntity } from './placed-entity.ts';
import { typeAttribute } from './placed-entity.ts';
import { Expressions, holds } from './predicates.ts';
import {
  type Bounds,
  compareTexts,
  fixedValues,
  type KeyReach,
  missing,
  rangeOf,
  reachOf,
  type SortRange,
  spanOf,
} from './read-range.ts';
import { type Answer, type Done, type ItemJson, PatternError, type Request, type Round } from './requests.ts';
import type { Value, Values } from './values.ts';

/** One instance of an answer. */
export interface Found {
  readonly entity: string;
  /** What the pattern needs, and the identity; every attribute that is there if the pattern names none. */
  readonly values: Values;
}

/** A page of a read: items, and the cursor of the next one. */
export interface Page {
  readonly items: readonly Found[];
  /** How many they are; items are made of the answers only when somebody looks at them. */
  readonly count: number;
  /** Where the next page begins; absent behind the last one. */
  readonly cursor?: string;
}

/** Options of one read: cursor, limit, bounds. */
export interface ReadOptions extends Bounds {
  /** The cursor of the page before. */
  readonly cursor?: string | undefined;
  /** Items of the page, at most as many as the pattern says. */
  readonly limit?: number | undefined;
}

interface Member {
  readonly placed: PlacedEntity;
  readonly placement: Placement;
  readonly reach: KeyReach;
}

/** One of the parallel queries. */
interface Lane {
  readonly partition: string;
  readonly waiting: ItemJson[];
  /** Behind the last item that was taken, or behind everything if it was read in vain. */
  position: Position;
  /** Where the next query begins. */
  readFrom: ItemJson | undefined;
  ended: boolean;
}

interface QueryShape {
  readonly keyValues: Readonly<Record<string, unknown>>;
  readonly isEmpty: boolean;
  readonly input: Readonly<Record<string, unknown>>;
}

class LazyPage implements Page {
  readonly count: number;
  readonly cursor?: string;
  readonly #raw: readonly ItemJson[];
  readonly #read: (item: ItemJson) => Found;
  #items: readonly Found[] | undefined;

  constructor(raw: readonly ItemJson[], read: (item: ItemJson) => Found, cursor?: string) {
    this.#raw = raw;
    this.#read = read;
    this.count = raw.length;
    if (cursor !== undefined) this.cursor = cursor;
  }

  get items(): readonly Found[] {
    this.#items ??= this.#raw.map(this.#read);
    return this.#items;
  }
}

/** The requests of one read pattern. */
export class ReadPlan {
  /** The pattern as callers know it. */
  readonly pattern: ReadPattern;
  readonly plan: Plan;
  /** The pattern as the table knows it: the same unless it reads what lies inside other items. */
  readonly #stored: ReadPattern;
  readonly #table: TableDesign;
  readonly #index: IndexDesign | undefined;
  readonly #members: readonly Member[];
  readonly #fixed: Record<string, Value>;
  readonly #tableName: string;
  readonly #common: Readonly<Record<string, unknown>>;
  readonly #isFiltered: boolean;
  readonly #partitionKey: string;
  readonly #sortKey: string;

  constructor(
    pattern: ReadPattern,
    plan: Plan,
    members: readonly PlacedEntity[],
    tableName: string,
    common: Readonly<Record<string, unknown>>,
    asked = pattern,
  ) {
    const { table } = members[0]!;
    this.pattern = asked;
    this.#stored = pattern;
    this.plan = plan;
    this.#table = table;
    this.#tableName = tableName;
    this.#common = common;
    this.#index = table.indexes.find(({ name }) => name === plan.slot);
    this.#members = members.map((placed) => {
      const placement = table.placements.find(
        (one) => one.entity === placed.entity.name && one.slot === plan.slot && one.copy === plan.copy,
      )!;
      return { placed, placement, reach: reachOf(placement, pattern) };
    });
    this.#fixed = fixedValues(pattern);
    const [first] = this.#members;
    const { leftBy, leftWhere, leftRange } = first!.reach;
    this.#isFiltered = leftBy.length + leftWhere.length > 0 || leftRange;
    this.#partitionKey = (this.#index ?? table).partitionKey;
    this.#sortKey = (this.#index ?? table).sortKey;
  }

  /** The first requests of a page. */
  begin(given: Values, options: ReadOptions = {}): Round<Page> | Done<Page> {
    const { plan } = this;
    const pattern = this.#stored;
    for (const name of pattern.by)
      if (given[name] === undefined || given[name] === null) throw missing(pattern, [name], given);
    for (const name of Object.keys(given))
      if (!pattern.by.includes(name)) throw new PatternError(pattern.name, `it takes no "${name}"`);
    this.#checkBounds(options);
    const values: Values = { ...given, ...this.#fixed };
    const ranges = this.#members.map(({ placed, placement, reach }) =>
      rangeOf(pattern, placed.entity, placement, reach, values, options),
    );
    const range = spanOf(ranges);
    const partitions = this.#partitions(values);
    if (plan.operation === 'GetItem' && range.kind === 'equals' && !this.#isFiltered) {
      return this.#getItem(partitions[0]!, range.text);
    }
    return this.#query(values, options, range, partitions);
  }

  #checkBounds({ from, to, prefix, limit }: ReadOptions): void {
    const { name, range, page } = this.#stored;
    if ((from !== undefined || to !== undefined) && range?.kind !== 'between')
      throw new PatternError(name, 'it has no range, so that "from" and "to" mean nothing');
    if (prefix !== undefined && range?.kind !== 'prefix')
      throw new PatternError(name, 'it has no prefix attribute, so that "prefix" means nothing');
    if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1))
      throw new PatternError(name, '"limit" must be a whole number of 1 or more');
    if (limit !== undefined && page !== 'all' && limit > page)
      throw new PatternError(name, `a page has at most ${page} items`);
  }

  #partitions(values: Values): string[] {
    const { placed, placement } = this.#members[0]!;
    let texts = [''];
    for (const piece of placement.partition) {
      const isGathered =
        piece.kind === 'shard' &&
        (this.#members.length > 1 || piece.of.some((name) => values[name] === undefined));
      if (isGathered) {
        texts = texts.flatMap((text) => Array.from({ length: piece.count }, (_, shard) => `${text}${shard}`));
        continue;
      }
      const part = pieceText(this.#stored.name, placed.entity, piece, values);
      if (part === undefined)
        throw missing(this.#stored, piece.kind === 'shard' ? piece.of : this.#stored.by, values);
      texts = texts.map((text) => text + part);
    }
    return texts;
  }

  #getItem(partition: string, sort: string): Round<Page> {
    const { placed, placement } = this.#members[0]!;
    const request: Request = {
      operation: 'GetItem',
      input: {
        TableName: this.#tableName,
        Key: { [this.#partitionKey]: { S: partition }, [this.#sortKey]: { S: sort } },
        ...(this.#stored.consistency === 'strong' ? { ConsistentRead: true } : {}),
        ...this.#common,
      },
    };
    return {
      requests: [request],
      next: ([answer]) => {
        const item = answer?.Item;
        return {
          result: new LazyPage(item === undefined ? [] : [item], (one) =>
            this.#found(placed, placement, one),
          ),
        };
      },
    };
  }

  #query(
    values: Values,
    options: ReadOptions,
    range: SortRange,
    partitions: readonly string[],
  ): Round<Page> | Done<Page> {
    const pattern = this.#stored;
    const given = JSON.stringify([values, options.from, options.to, options.prefix]);
    const positions =
      options.cursor === undefined
        ? partitions.map((): Position => 'start')
        : readCursor(pattern.name, given, partitions.length, options.cursor);
    const lanes = partitions.map((partition, at): Lane => {
      const position = positions[at]!;
      return {
        partition,
        waiting: [],
        position,
        readFrom: typeof position === 'string' ? undefined : position,
        ended: position === 'end',
      };
    });
    const limit = Math.min(
      options.limit ?? Number.POSITIVE_INFINITY,
      pattern.page === 'all' ? Number.POSITIVE_INFINITY : pattern.page,
    );
    const shape = this.#queryShape(values, options, range, limit);
    const taken: ItemJson[] = [];
    return this.#round(lanes, taken, limit, shape, values, given);
  }

  /** Everything of a query but its partition and its start. */
  #queryShape(values: Values, bounds: Bounds, range: SortRange, limit: number): QueryShape {
    const { plan } = this;
    const pattern = this.#stored;
    const names = [this.#partitionKey, this.#sortKey] as const;
    const conditions = [`${names[0]} = :p`];
    const keyValues: Record<string, { readonly S: string }> = {};
    if (range.kind === 'equals') conditions.push(`${names[1]} = :s`);
    if (range.kind === 'begins') conditions.push(`begins_with(${names[1]}, :s)`);
    if ('text' in range) keyValues[':s'] = { S: range.text };
    if (range.kind === 'between') {
      conditions.push(`${names[1]} BETWEEN :s AND :t`);
      keyValues[':s'] = { S: range.low === '' ? '\u0000' : range.low };
      keyValues[':t'] = { S: range.high };
    }
    const filter = this.#isFiltered ? this.#filter(values, bounds) : undefined;
    const members = filter?.members;
    return {
      keyValues: { ...keyValues, ...(members?.ExpressionAttributeValues as object | undefined) },
      // An empty span is no error for the caller, but it is one for the service.
      isEmpty: range.kind === 'between' && compareTexts(range.low, range.high) > 0,
      input: {
        TableName: this.#tableName,
        ...(this.#index === undefined ? {} : { IndexName: this.#index.name }),
        KeyConditionExpression: conditions.join(' AND '),
        ...(filter === undefined ? {} : { FilterExpression: filter.text }),
        ...(members?.ExpressionAttributeNames === undefined
          ? {}
          : { ExpressionAttributeNames: members.ExpressionAttributeNames }),
        ...(plan.forward ? {} : { ScanIndexForward: false }),
        ...(limit === Number.POSITIVE_INFINITY ? {} : { Limit: limit }),
        ...(pattern.consistency === 'strong' ? { ConsistentRead: true } : {}),
        ...this.#common,
      },
    };
  }

  #filter(values: Values, { from, to, prefix }: Bounds) {
    const { placed, reach } = this.#members[0]!;
    const expressions = new Expressions(this.#stored.name, placed.entity);
    const parts = [
      ...reach.leftBy.map((name) => `${expressions.name(name)} = ${expressions.value(name, values[name]!)}`),
      ...reach.leftWhere.map((one) => expressions.predicate(one)),
    ];
    const { range } = this.#stored;
    if (reach.leftRange && range !== undefined) {
      const name = range.attribute;
      if (prefix !== undefined)
        parts.push(`begins_with(${expressions.name(name)}, ${expressions.value(name, prefix)})`);
      if (from !== undefined) parts.push(`${expressions.name(name)} >= ${expressions.value(name, from)}`);
      if (to !== undefined) parts.push(`${expressions.name(name)} <= ${expressions.value(name, to)}`);
    }
    return parts.length === 0 ? undefined : { text: parts.join(' AND '), members: expressions.members };
  }

  #round(
    lanes: readonly Lane[],
    taken: ItemJson[],
    limit: number,
    shape: QueryShape,
    values: Values,
    given: string,
  ): Round<Page> | Done<Page> {
    this.#take(lanes, taken, limit);
    const asked =
      taken.length >= limit || shape.isEmpty
        ? []
        : lanes.filter((lane) => !lane.ended && lane.waiting.length === 0);
    if (asked.length === 0) return this.#finished(lanes, taken, limit, shape.isEmpty, values, given);
    return {
      requests: asked.map(
        ({ partition, readFrom }): Request => ({
          operation: 'Query',
          input: {
            ...shape.input,
            ExpressionAttributeValues: { ':p': { S: partition }, ...shape.keyValues },
            ...(readFrom === undefined ? {} : { ExclusiveStartKey: readFrom }),
          },
        }),
      ),
      next: (answers) => {
        asked.forEach((lane, at) => {
          const { Items = [], LastEvaluatedKey } = answers[at]!;
          lane.waiting.push(...Items);
          lane.readFrom = LastEvaluatedKey;
          lane.ended = LastEvaluatedKey === undefined;
          // Everything up to here was filtered away.
          if (Items.length === 0 && LastEvaluatedKey !== undefined) lane.position = LastEvaluatedKey;
        });
        return this.#round(lanes, taken, limit, shape, values, given);
      },
    };
  }

  /** Takes items in order, as long as every lane that may still have one shows its next. */
  #take(lanes: readonly Lane[], taken: ItemJson[], limit: number): void {
    while (taken.length < limit) {
      let first: Lane | undefined;
      for (const lane of lanes) {
        const head = lane.waiting[0];
        if (head === undefined) {
          if (!lane.ended) return;
          continue;
        }
        if (first === undefined || this.#isBefore(head, first.waiting[0]!)) first = lane;
      }
      if (first === undefined) return;
      if (lanes.length === 1) {
        const some = first.waiting.splice(0, limit - taken.length);
        taken.push(...some);
        first.position = this.#keyOf(some.at(-1)!);
      } else {
        const item = first.waiting.shift()!;
        taken.push(item);
        first.position = this.#keyOf(item);
      }
    }
  }

  #isBefore(a: ItemJson, b: ItemJson): boolean {
    const compared = compareTexts(textOf(a[this.#sortKey]), textOf(b[this.#sortKey]));
    return this.plan.forward ? compared < 0 : compared > 0;
  }

  #keyOf(item: ItemJson): ItemJson {
    const { partitionKey, sortKey } = this.#table;
    const names = [partitionKey, sortKey, this.#partitionKey, this.#sortKey];
    return Object.fromEntries(names.map((name) => [name, item[name]!]));
  }

  #finished(
    lanes: readonly Lane[],
    taken: readonly ItemJson[],
    limit: number,
    isEmpty: boolean,
    values: Values,
    given: string,
  ): Round<Page> | Done<Page> {
    const isOver = isEmpty || lanes.every(({ ended, waiting }) => ended && waiting.length === 0);
    const wantsCursor = !isOver && this.#stored.result === 'list' && limit !== Number.POSITIVE_INFINITY;
    const at = lanes.map((lane): Position => {
      if (lane.waiting.length > 0) return lane.position;
      return lane.ended ? 'end' : (lane.readFrom ?? lane.position);
    });
    const cursor = wantsCursor ? { cursor: writeCursor(this.#stored.name, given, at) } : {};
    if (!this.plan.fetch || taken.length === 0)
      return { result: new LazyPage(taken, (item) => this.#foundIn(item), cursor.cursor) };
    const { partitionKey, sortKey } = this.#table;
    const keys = taken.map(
      (item): ItemJson => ({ [partitionKey]: item[partitionKey]!, [sortKey]: item[sortKey]! }),
    );
    return this.#fetch(keys, keys, new Map(), values, cursor);
  }

  /** Reads the items behind the keys that an index gave, and keeps the order of the index. */
  #fetch(
    keys: readonly ItemJson[],
    left: readonly ItemJson[],
    items: Map<string, ItemJson>,
    values: Values,
    cursor: { readonly cursor?: string },
  ): Round<Page> {
    const { placed } = this.#members[0]!;
    const { partitionKey, sortKey } = this.#table;
    const nameOf = (key: ItemJson) => `${textOf(key[partitionKey])}\n${textOf(key[sortKey])}`;
    const batches: ItemJson[][] = [];
    for (let at = 0; at < left.length; at += 100) batches.push(left.slice(at, at + 100));
    return {
      requests: batches.map(
        (Keys): Request => ({
          operation: 'BatchGetItem',
          input: {
            RequestItems: {
              [this.#tableName]: {
                Keys,
                ...(this.#stored.consistency === 'strong' ? { ConsistentRead: true } : {}),
              },
            },
            ...this.#common,
          },
        }),
      ),
      next: (answers: readonly Answer[]) => {
        const unread = answers.flatMap(
          ({ UnprocessedKeys }) => UnprocessedKeys?.[this.#tableName]?.Keys ?? [],
        );
        for (const { Responses } of answers)
          for (const item of Responses?.[this.#tableName] ?? []) items.set(nameOf(item), item);
        if (unread.length > 0) return this.#fetch(keys, unread, items, values, cursor);
        const found = keys.flatMap((key): Found[] => {
          const item = items.get(nameOf(key));
          if (item === undefined) return [];
          const one = this.#found(placed, placed.base, item);
          // The index may be older than the item.
          const stored = placed.valuesFrom(item, placed.base);
          const isStill =
            this.#stored.by.every((name) => stored[name] === values[name]) &&
            this.#stored.where.every((predicate) => holds(predicate, stored));
          return isStill ? [one] : [];
        });
        return { result: { items: found, count: found.length, ...cursor } };
      },
    };
  }

  #foundIn(item: ItemJson): Found {
    const [first, ...others] = this.#members;
    if (others.length === 0) return this.#found(first!.placed, first!.placement, item);
    const type = item[typeAttribute];
    const member = this.#members.find(({ placed, placement }) =>
      type === undefined
        ? this.#isShaped(placed.entity, placement, item)
        : 'S' in type && type.S === placed.entity.name,
    );
    if (member === undefined)
      throw new PatternError(
        this.#stored.name,
        `an item of kind ${textOf(type) || 'unknown'} lies among the items it reads`,
      );
    return this.#found(member.placed, member.placement, item);
  }

  /** Whether the item's keys are of the placement's templates. */
  #isShaped(entity: Entity, { sort }: Placement, item: ItemJson): boolean {
    return readTemplate(entity, sort, textOf(item[this.#sortKey])) !== undefined;
  }

  #found(placed: PlacedEntity, placement: Placement, item: ItemJson): Found {
    const values = placed.valuesFrom(item, placement);
    const { needs } = this.#stored;
    if (needs === undefined) return { entity: placed.entity.name, values };
    const kept: Record<string, Value> = {};
    for (const name of [...placed.entity.identity, ...needs])
      if (values[name] !== undefined && attributeNamed(placed.entity, name) !== undefined)
        kept[name] = values[name];
    return { entity: placed.entity.name, values: kept };
  }
}

function textOf(value: ItemJson[string] | undefined): string {
  return value !== undefined && 'S' in value ? value.S : '';
}
