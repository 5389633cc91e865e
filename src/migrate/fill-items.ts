import { namesOfPiece } from '../design/compile/key-values.ts';
import type { PlacedEntity } from '../design/compile/placed-entity.ts';
import type { AttributeJson, EntityWork, ItemJson, Placement } from '../design/index.ts';
import { namesOfPredicate } from '../design/predicate-logic.ts';
import { cancellationCodes, nameOfError } from '../kit/error-class.ts';
import type { CapacityPace } from './capacity-pace.ts';
import { dropOrphans } from './drop-orphans.ts';
import { AsRead, hasAll, imageOf, writeUnitsOf } from './item-images.ts';
import { MigrationError } from './migration-error.ts';
import type { PatientCalls } from './patient-calls.ts';
import type { PlacedItem, PlacedItems } from './placed-items.ts';
import { readMany } from './read-many.ts';
import { added, type Counts, inParallel } from './table-pass.ts';

/** How often an item is read again that other writers keep changing. */
const triesMax = 20;

export interface FillOptions {
  readonly items: PlacedItems;
  readonly work: readonly EntityWork[];
  readonly table: string;
  readonly calls: PatientCalls;
  readonly readPace: CapacityPace;
  readonly writePace: CapacityPace;
  /** Writes that may be under way at the same time, over all segments. */
  readonly width: number;
  /** Reads what should be there before it writes; otherwise a write finds out. */
  readonly reads: boolean;
  /** An instance that is whole, to take samples of. */
  readonly sample?: (entity: string, one: PlacedItem) => void;
}

/** How one item came out. */
type Outcome = 'right' | 'written' | 'gone';

/**
 * Gives items what the new design adds: key attributes, items under new keys, guards. Each write holds only while the
 * item is as it was read, so that it never undoes what a program writes at the same time, and an item that is right
 * already is not written.
 */
export class FillItems {
  readonly #options: FillOptions;
  #open = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(options: FillOptions) {
    this.#options = options;
  }

  /** One page of a pass. */
  async page(items: readonly ItemJson[]): Promise<Counts> {
    const { work, reads } = this.#options;
    let counts: Counts = {};
    const own: { readonly one: PlacedItem; readonly work: EntityWork }[] = [];
    for (const item of items) {
      const one = this.#options.items.read(item);
      const needed = one && work.find(({ entity }) => entity === one.placed.entity.name);
      if (one === undefined || needed === undefined) continue;
      const { entity } = needed;
      if (one.which !== 0) {
        if (needed.copies.includes(one.which)) counts = added(counts, { [`new ${entity}`]: 1 });
        continue;
      }
      counts = added(counts, { [`old ${entity}`]: 1 });
      for (const slot of needed.slots)
        if (this.#entryOf(one, slot) !== undefined) counts = added(counts, { [`in ${slot}`]: 1 });
      own.push({ one, work: needed });
    }
    if (reads) {
      const dropped = await dropOrphans(this.#options, items);
      if (dropped > 0) counts = added(counts, { written: dropped });
    }
    const found = reads ? await this.#readNew(own) : undefined;
    await inParallel(own, this.#options.width, async ({ one, work: needed }) => {
      await this.#enter();
      try {
        const outcome = await this.#settle(one, needed, found);
        counts = added(counts, { [outcome]: 1 });
        if (outcome === 'right') this.#options.sample?.(needed.entity, one);
      } finally {
        this.#leave();
      }
    });
    return counts;
  }

  /** All segments share the writers. */
  async #enter(): Promise<void> {
    if (this.#open < this.#options.width) this.#open++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#open--;
    else next();
  }

  async #settle(
    first: PlacedItem,
    work: EntityWork,
    found: ReadonlyMap<string, ItemJson> | undefined,
  ): Promise<Outcome> {
    let one = first;
    let seen = found;
    let outcome: Outcome = 'right';
    for (let attempt = 1; attempt <= triesMax; attempt++) {
      const inPlace = await this.#fillKeys(one, work);
      const beside = inPlace === 'changed' ? 'changed' : await this.#fillItems(one, work, seen, attempt > 1);
      if (inPlace !== 'changed' && beside !== 'changed')
        return inPlace === 'written' || beside === 'written' ? 'written' : outcome;
      if (inPlace === 'written') outcome = 'written';
      const again = await this.#readAgain(one);
      if (again === undefined) return 'gone';
      one = again;
      if (work.copies.length + work.unique.length > 0) seen = await this.#readNew([{ one, work }], true);
    }
    throw new Error(`${JSON.stringify(this.#keyOf(first))} changed ${triesMax} times while it was filled`);
  }

  #keyOf({ placed: { table }, item }: Pick<PlacedItem, 'placed' | 'item'>): ItemJson {
    return { [table.partitionKey]: item[table.partitionKey]!, [table.sortKey]: item[table.sortKey]! };
  }

  async #readAgain(one: PlacedItem): Promise<PlacedItem | undefined> {
    const { answer } = await this.#options.calls.paced<{ readonly Item?: ItemJson }>(
      'GetItem',
      { TableName: this.#options.table, Key: this.#keyOf(one), ConsistentRead: true },
      this.#options.readPace,
      1,
    );
    return answer.Item === undefined ? undefined : this.#options.items.read(answer.Item);
  }

  // ---- key attributes of the item itself

  #entryOf({ placed, values }: PlacedItem, slot: string): ItemJson | undefined {
    const at = placed.indexes.findIndex(({ index }) => index.name === slot);
    return placed.entryKeys(placed.entity.name, values, at);
  }

  async #fillKeys(one: PlacedItem, work: EntityWork): Promise<Outcome | 'changed'> {
    const { placed, item } = one;
    const terms = new AsRead();
    const [sets, removes, held]: [string[], string[], Set<string>] = [[], [], new Set()];
    for (const slot of work.slots) {
      const { placement, index } = placed.indexes.find((each) => each.index.name === slot)!;
      const wanted = this.#entryOf(one, slot);
      const names = index.kind === 'local' ? [index.sortKey] : [index.partitionKey, index.sortKey];
      if (names.every((name) => imageOf(item[name]) === imageOf(wanted?.[name]))) continue;
      for (const name of names) {
        if (wanted === undefined) removes.push(terms.name(name));
        else sets.push(`${terms.name(name)} = ${terms.value(wanted[name]!)}`);
        held.add(name);
      }
      for (const name of inputsOf(placement)) held.add(name);
    }
    if (sets.length + removes.length === 0) return 'right';
    const partition = terms.name(placed.table.partitionKey);
    const keys = new Set([placed.table.partitionKey, placed.table.sortKey]);
    const conditions = [...held]
      .filter((name) => !keys.has(name))
      .map((name) => terms.still(name, item[name]));
    const input = {
      TableName: this.#options.table,
      Key: this.#keyOf(one),
      UpdateExpression: [
        ...(sets.length === 0 ? [] : [`SET ${sets.join(', ')}`]),
        ...(removes.length === 0 ? [] : [`REMOVE ${removes.join(', ')}`]),
      ].join(' '),
      ConditionExpression: [`attribute_exists(${partition})`, ...conditions].join(' AND '),
      ...terms.members,
    };
    try {
      await this.#options.calls.paced('UpdateItem', input, this.#options.writePace, writeUnitsOf(item));
      return 'written';
    } catch (error) {
      if (nameOfError(error) === 'ConditionalCheckFailedException') return 'changed';
      throw error;
    }
  }

  // ---- further items

  /** What the new design has beside the item: copies by their number, and guards. */
  #wantedOf(
    one: PlacedItem,
    work: EntityWork,
  ): { readonly key: ItemJson; readonly item: ItemJson | undefined; readonly guards?: string }[] {
    const { placed, values } = one;
    const where = placed.entity.name;
    const copies = placed.copies
      .filter(({ copy }) => work.copies.includes(copy!))
      .flatMap((placement) => {
        const key = placed.keyOf(where, values, placement);
        if (key === undefined) return [];
        const wanted = placed.copiesOf(where, values).find((item) => hasAll(item, key));
        return [{ key, item: wanted === undefined ? undefined : this.#asStored(one, wanted) }];
      });
    const guards = placed.unique
      .filter(({ attribute }) => work.unique.includes(attribute))
      .flatMap((satellite) => {
        const item = placed.guardOf(where, satellite, values);
        return item === undefined
          ? []
          : [{ key: this.#keyOf({ placed, item }), item, guards: satellite.attribute }];
      });
    return [...copies, ...guards];
  }

  /** Attributes as the item has them, to the last digit. */
  #asStored({ placed, item }: PlacedItem, wanted: ItemJson): ItemJson {
    const isUpgraded = imageOf(item._shape) !== imageOf(wanted._shape);
    if (isUpgraded) return wanted;
    const { partitionKey, sortKey, indexes } = placed.table;
    const keys = new Set([
      ...[partitionKey, sortKey, '_copy'],
      ...indexes.flatMap((index) => [index.partitionKey, index.sortKey]),
    ]);
    const stored: Record<string, AttributeJson> = { ...wanted };
    for (const [name, value] of Object.entries(item)) if (!keys.has(name)) stored[name] = value;
    return stored;
  }

  async #fillItems(
    one: PlacedItem,
    work: EntityWork,
    found: ReadonlyMap<string, ItemJson> | undefined,
    isSure: boolean,
  ): Promise<Outcome | 'changed'> {
    if (work.copies.length + work.unique.length === 0) return 'right';
    const { table } = one.placed;
    const name = (key: ItemJson) => JSON.stringify([key[table.partitionKey], key[table.sortKey]]);
    const writes: object[] = [];
    let units = writeUnitsOf(one.item);
    const absent = {
      ConditionExpression: 'attribute_not_exists(#p)',
      ExpressionAttributeNames: { '#p': table.partitionKey },
    };
    for (const { key, item, guards } of this.#wantedOf(one, work)) {
      const there = found?.get(name(key));
      units += writeUnitsOf(item ?? there ?? {});
      if (item === undefined) {
        if (there !== undefined) writes.push({ Delete: { TableName: this.#options.table, Key: key } });
      } else if (guards !== undefined && there !== undefined) {
        if (!hasAll(there, item)) {
          if (isSure) throw twice(one, guards, key);
          return 'changed';
        }
      } else if (there === undefined)
        writes.push({ Put: { TableName: this.#options.table, Item: item, ...absent } });
      else if (!hasAll(there, item)) writes.push({ Put: { TableName: this.#options.table, Item: item } });
    }
    if (writes.length === 0) return 'right';
    // A page that was read a while ago may be older than the items beside; those who differ are looked at again.
    if (found !== undefined && !isSure) return 'changed';
    const check = this.#unchanged(one);
    const input = { TransactItems: [{ ConditionCheck: check }, ...writes] };
    try {
      await this.#options.calls.paced('TransactWriteItems', input, this.#options.writePace, 2 * units);
      return 'written';
    } catch (error) {
      const isRefused =
        nameOfError(error) === 'TransactionCanceledException' &&
        cancellationCodes(error).includes('ConditionalCheckFailed');
      if (isRefused) return 'changed';
      throw error;
    }
  }

  /** Nobody has written the item since it was read. */
  #unchanged(one: PlacedItem): object {
    const { placed, item } = one;
    const terms = new AsRead();
    const { partitionKey, sortKey } = placed.table;
    const names = ['_shape', ...placed.entity.attributes.map((attribute) => attribute.name)].filter(
      (name) => name !== partitionKey && name !== sortKey,
    );
    return {
      TableName: this.#options.table,
      Key: this.#keyOf(one),
      ConditionExpression: [
        `attribute_exists(${terms.name(partitionKey)})`,
        ...names.map((name) => terms.still(name, item[name])),
      ].join(' AND '),
      ...terms.members,
    };
  }

  /** What there is under the new keys of some items. */
  async #readNew(
    all: readonly { readonly one: PlacedItem; readonly work: EntityWork }[],
    consistent = false,
  ): Promise<Map<string, ItemJson>> {
    const keys = all.flatMap(({ one, work }) => this.#wantedOf(one, work).map(({ key }) => key));
    return readMany(this.#options, keys, consistent);
  }
}

/** The attributes that decide where an item lies in a slot. */
function inputsOf({ partition, sort, when }: Placement): string[] {
  return [...[...partition, ...sort].flatMap(namesOfPiece), ...when.flatMap(namesOfPredicate)];
}

function twice(
  { placed, item }: { readonly placed: PlacedEntity; readonly item: ItemJson },
  attribute: string,
  guard: ItemJson,
): MigrationError {
  const { partitionKey, sortKey } = placed.table;
  const key = JSON.stringify([item[partitionKey], item[sortKey]]);
  return new MigrationError(
    'data',
    `Two items of ${placed.entity.name} have the same "${attribute}", which must be unique: ${key} and the one that ${JSON.stringify(guard[partitionKey])} guards.`,
    'Change one of them, then run the same command again.',
  );
}
