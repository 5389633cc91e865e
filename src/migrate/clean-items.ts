import type { EntityCleanup, ItemJson } from '../design/index.ts';
import { nameOfError } from '../kit/error-class.ts';
import type { CapacityPace } from './capacity-pace.ts';
import { AsRead, writeUnitsOf } from './item-images.ts';
import type { PatientCalls } from './patient-calls.ts';
import { guardPrefix, type PlacedItem, type PlacedItems } from './placed-items.ts';
import { added, type Counts, inParallel } from './table-pass.ts';

export interface CleanOptions {
  readonly items: PlacedItems;
  readonly work: readonly EntityCleanup[];
  readonly table: string;
  readonly calls: PatientCalls;
  readonly writePace: CapacityPace;
  readonly width: number;
}

/** Takes away what no program uses any more: items under keys that go, key attributes of indexes that go, guards. */
export class CleanItems {
  readonly #options: CleanOptions;

  constructor(options: CleanOptions) {
    this.#options = options;
  }

  async page(items: readonly ItemJson[]): Promise<Counts> {
    let counts: Counts = {};
    await inParallel(items, this.#options.width, async (item) => {
      if (this.#isNeedlessGuard(item)) {
        const { partitionKey, sortKey } = [...this.#options.items.compiled.entities.values()][0]!.table;
        await this.#write(item, 'DeleteItem', {
          Key: { [partitionKey]: item[partitionKey]!, [sortKey]: item[sortKey]! },
        });
        counts = added(counts, { removed: 1 });
        return;
      }
      const one = this.#options.items.read(item);
      const work = one && this.#options.work.find(({ entity }) => entity === one.placed.entity.name);
      if (one === undefined || work === undefined) return;
      const changed = await this.#clean(one, work);
      if (changed) counts = added(counts, { removed: 1 });
    });
    return counts;
  }

  async #clean(one: PlacedItem, work: EntityCleanup): Promise<boolean> {
    const { placed, item, which } = one;
    const { partitionKey, sortKey } = placed.table;
    const key: ItemJson = { [partitionKey]: item[partitionKey]!, [sortKey]: item[sortKey]! };
    if (work.copies.includes(which)) {
      await this.#write(item, 'DeleteItem', { Key: key });
      return true;
    }
    const names = work.attributes.filter((name) => name in item);
    if (names.length === 0) return false;
    const terms = new AsRead();
    await this.#write(item, 'UpdateItem', {
      Key: key,
      UpdateExpression: `REMOVE ${names.map((name) => terms.name(name)).join(', ')}`,
      ConditionExpression: `attribute_exists(${terms.name(partitionKey)})`,
      ...terms.members,
    });
    return true;
  }

  /** A guard of values that need none any more, whether or not its instance still exists. */
  #isNeedlessGuard(item: ItemJson): boolean {
    const { items, work } = this.#options;
    return work.some(({ entity, unique }) =>
      unique.some((attribute) => {
        const placed = items.compiled.entities.get(entity)!;
        const prefix = guardPrefix(placed, attribute);
        const partition = item[placed.table.partitionKey];
        return (
          prefix !== undefined &&
          partition !== undefined &&
          'S' in partition &&
          partition.S.startsWith(prefix)
        );
      }),
    );
  }

  async #write(item: ItemJson, operation: 'DeleteItem' | 'UpdateItem', input: object): Promise<void> {
    try {
      await this.#options.calls.paced(
        operation,
        { TableName: this.#options.table, ...input },
        this.#options.writePace,
        writeUnitsOf(item),
      );
    } catch (error) {
      // Gone already.
      if (nameOfError(error) !== 'ConditionalCheckFailedException') throw error;
    }
  }
}
