import type { Plan } from '../design.ts';
import { compareValues, isAskedFor } from '../filter-answer.ts';
import type { Entity, Model, ReadPattern } from '../ir.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { type EntryKind, entriesOf } from './entries.ts';
import type { PlacedEntity } from './placed-entity.ts';
import { type Found, type Page, type ReadOptions, ReadPlan } from './read-plan.ts';
import { missing } from './read-range.ts';
import { type Done, type ItemJson, isDone, PatternError, type Round } from './requests.ts';
import { fromJson, type Value, type Values } from './values.ts';

/**
 * A read of instances that lie inside other items. The plan reads the items around them; what the pattern asks for is
 * taken out of these, filtered, sorted and cut into pages here, which is no more work than one item holds.
 */
export class EntriesRead extends ReadPlan {
  readonly #asked: ReadPattern;
  readonly #stored: ReadPattern;
  readonly #model: Model;
  readonly #kinds: readonly EntryKind[];

  constructor(
    asked: ReadPattern,
    stored: ReadPattern,
    plan: Plan,
    members: readonly PlacedEntity[],
    tableName: string,
    common: Readonly<Record<string, unknown>>,
    model: Model,
    kinds: ReadonlyMap<string, EntryKind>,
  ) {
    super(stored, plan, members, tableName, common, asked);
    this.#asked = asked;
    this.#stored = stored;
    this.#model = model;
    this.#kinds = asked.entities.flatMap((name) => kinds.get(name) ?? []);
  }

  override begin(given: Values, options: ReadOptions = {}): Round<Page> | Done<Page> {
    const asked = this.#asked;
    for (const name of asked.by)
      if (given[name] === undefined || given[name] === null) throw missing(asked, [name], given);
    for (const name of Object.keys(given))
      if (!asked.by.includes(name)) throw new PatternError(asked.name, `it takes no "${name}"`);
    this.#checkBounds(options);
    const [kind] = this.#kinds;
    const around =
      this.#stored.result === 'one' && this.#stored.entities.length === 1
        ? Object.fromEntries(
            kind!.embedded.link.map((name, at) => [kind!.parent.identity[at]!, given[name]!]),
          )
        : given;
    const at = super.begin(around);
    const answer = (page: Page) => this.#page(page, given, options);
    return mapped(at, answer);
  }

  #checkBounds({ from, to, prefix, limit }: ReadOptions): void {
    const { name, range, page } = this.#asked;
    if ((from !== undefined || to !== undefined) && range?.kind !== 'between')
      throw new PatternError(name, 'it has no range, so that "from" and "to" mean nothing');
    if (prefix !== undefined && range?.kind !== 'prefix')
      throw new PatternError(name, 'it has no prefix attribute, so that "prefix" means nothing');
    if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1))
      throw new PatternError(name, '"limit" must be a whole number of 1 or more');
    if (limit !== undefined && page !== 'all' && limit > page)
      throw new PatternError(name, `a page has at most ${page} items`);
  }

  #page(page: Page, given: Values, options: ReadOptions): Page {
    const asked = this.#asked;
    const found = page.items.flatMap((item): Found[] => {
      const own: Found[] = [];
      if (asked.entities.includes(item.entity)) own.push({ entity: item.entity, values: this.#bare(item) });
      for (const kind of this.#kinds)
        if (kind.parent.name === item.entity)
          for (const values of entriesOf(kind, item.values)) own.push({ entity: kind.entity.name, values });
      return own;
    });
    const right = found.filter(({ entity, values }) =>
      isAskedFor(this.#entity(entity), asked, given, options, values),
    );
    // Items of several kinds come in the order of the table, each with what lies inside.
    const isOneItem = this.#stored.entities.length === 1;
    const sorted = isOneItem ? right.toSorted((a, b) => this.#compare(a, b)) : right;
    const text = JSON.stringify([given, options.from, options.to, options.prefix]);
    const after = this.#after(sorted, text, options.cursor);
    const limit = Math.min(
      options.limit ?? Number.POSITIVE_INFINITY,
      asked.result === 'one' ? 1 : asked.page === 'all' ? Number.POSITIVE_INFINITY : asked.page,
    );
    const taken = after.slice(0, limit);
    const last = taken.at(-1);
    const cursor =
      asked.result === 'list' && last !== undefined && after.length > taken.length
        ? { cursor: writeCursor(asked.name, text, [this.#position(last)]) }
        : {};
    const items = taken.map((one) => ({ entity: one.entity, values: this.#needed(one) }));
    return { items, count: items.length, ...cursor };
  }

  /** An item around entries, without them. */
  #bare({ entity, values }: Found): Values {
    const names = new Set(this.#entity(entity).attributes.map(({ name }) => name));
    return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
  }

  #entity(name: string): Entity {
    return this.#model.entities.find((one) => one.name === name)!;
  }

  #needed({ entity, values }: Found): Values {
    const { needs } = this.#asked;
    if (needs === undefined) return values;
    const names = new Set([...this.#entity(entity).identity, ...needs]);
    return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
  }

  /** Kinds without the order's attributes come first; ties are told apart by kind and identity. */
  #compare(a: Found, b: Found): number {
    const { order, entities, range } = this.#asked;
    const [x, y] = [this.#entity(a.entity), this.#entity(b.entity)];
    const wanted = order.length === 0 && range !== undefined ? [{ ...range, direction: 'asc' }] : order;
    const attributeOf = (entity: Entity, attribute: string) =>
      entity.attributes.find(({ name }) => name === attribute);
    const isOrdered = (entity: Entity) =>
      wanted.every(({ attribute }) => attributeOf(entity, attribute) !== undefined);
    if (isOrdered(x) !== isOrdered(y)) return isOrdered(x) ? 1 : -1;
    for (const { attribute, direction } of isOrdered(x) ? wanted : []) {
      const [left, right] = [a.values[attribute], b.values[attribute]];
      if (left === undefined || left === null || right === undefined || right === null) {
        const gone = (value: Value | undefined) => Number(value === undefined || value === null);
        if (gone(left) !== gone(right)) return gone(left) - gone(right);
        continue;
      }
      const compared = compareValues(attributeOf(x, attribute)!, left, right);
      if (compared !== 0) return direction === 'asc' ? compared : -compared;
    }
    if (a.entity !== b.entity) return entities.indexOf(a.entity) - entities.indexOf(b.entity);
    for (const name of x.identity) {
      const compared = compareValues(attributeOf(x, name)!, a.values[name]!, b.values[name]!);
      if (compared !== 0) return compared;
    }
    return 0;
  }

  /** The kind, identity and order of the last instance of a page, as a cursor holds them. */
  #position({ entity, values }: Found): ItemJson {
    const { order, range } = this.#asked;
    const names = new Set([
      ...this.#entity(entity).identity,
      ...order.map(({ attribute }) => attribute),
      ...(range === undefined ? [] : [range.attribute]),
    ]);
    const held = [...names].flatMap((name) => {
      const value = values[name];
      if (value === undefined || value === null) return [];
      const json =
        typeof value === 'number'
          ? { N: String(value) }
          : typeof value === 'boolean'
            ? { BOOL: value }
            : { S: String(value) };
      return [[name, json] as const];
    });
    return { entity: { S: entity }, values: { M: Object.fromEntries(held) } };
  }

  #after(sorted: readonly Found[], text: string, cursor: string | undefined): readonly Found[] {
    if (cursor === undefined) return sorted;
    const [position] = readCursor(this.#asked.name, text, 1, cursor);
    const { entity, values } = position as ItemJson;
    if (entity === undefined || !('S' in entity) || values === undefined)
      throw new PatternError(this.#asked.name, 'the cursor is not one that an earlier page gave');
    const last: Found = { entity: entity.S, values: fromJson(values) as Values };
    return sorted.filter((one) => this.#compare(one, last) > 0);
  }
}

function mapped(at: Round<Page> | Done<Page>, change: (page: Page) => Page): Round<Page> | Done<Page> {
  if (isDone(at)) return { result: change(at.result) };
  return { requests: at.requests, next: (answers) => mapped(at.next(answers), change) };
}
