import type { PlacedEntity } from '../design/compile/placed-entity.ts';
import type { EntityWork, ItemJson } from '../design/index.ts';
import { cancellationCodes, nameOfError } from '../kit/error-class.ts';
import type { CapacityPace } from './capacity-pace.ts';
import { AsRead, imageOf } from './item-images.ts';
import type { PatientCalls } from './patient-calls.ts';
import { guardPrefix, type PlacedItems } from './placed-items.ts';
import { readMany } from './read-many.ts';

export interface OrphanOptions {
  readonly items: PlacedItems;
  readonly work: readonly EntityWork[];
  readonly table: string;
  readonly calls: PatientCalls;
  readonly readPace: CapacityPace;
  readonly writePace: CapacityPace;
}

/** An item beside an instance, the key of the instance's own item, and what the own item must have. */
interface Beside {
  readonly placed: PlacedEntity;
  readonly key: ItemJson;
  readonly own: ItemJson;
  readonly guards?: { readonly attribute: string; readonly item: ItemJson };
}

/**
 * Deletes items of a page whose instance is gone: a program that did not yet know of the new keys deleted only the old
 * item. Answers how many there were.
 */
export async function dropOrphans(options: OrphanOptions, page: readonly ItemJson[]): Promise<number> {
  const all = page.flatMap((item) => besideOf(options, item));
  if (all.length === 0) return 0;
  const nameIn = ({ table }: PlacedEntity, item: ItemJson) =>
    JSON.stringify([item[table.partitionKey], item[table.sortKey]]);
  const own = await readMany(
    options,
    all.map((one) => one.own),
    false,
  );
  let dropped = 0;
  for (const one of all) {
    const found = own.get(nameIn(one.placed, one.own));
    if (!isOrphan(one, found)) continue;
    const [now] = (await readMany(options, [one.own], true)).values();
    if (isOrphan(one, now) && (await drop(options, one, now))) dropped++;
  }
  return dropped;
}

function besideOf({ items, work }: OrphanOptions, item: ItemJson): Beside[] {
  const read = items.read(item);
  if (read !== undefined) {
    const { placed, values, which } = read;
    const { table, entity } = placed;
    const needed = work.find((one) => one.entity === entity.name);
    if (which === 0 || needed === undefined || !needed.copies.includes(which)) return [];
    const own = placed.keyOf(entity.name, values);
    return own === undefined ? [] : [{ placed, own, key: keyIn(table, item) }];
  }
  return work.flatMap(({ entity, unique }) =>
    unique.flatMap((attribute): Beside[] => {
      const placed = items.compiled.entities.get(entity)!;
      const prefix = guardPrefix(placed, attribute);
      const partition = item[placed.table.partitionKey];
      if (
        prefix === undefined ||
        partition === undefined ||
        !('S' in partition) ||
        !partition.S.startsWith(prefix)
      )
        return [];
      // The guard names its instance; a key that needs more cannot be told from it.
      const own = placed.keyOf(entity, placed.valuesFrom(item, placed.base));
      return own === undefined
        ? []
        : [{ placed, own, key: keyIn(placed.table, item), guards: { attribute, item } }];
    }),
  );
}

function keyIn(table: PlacedEntity['table'], item: ItemJson): ItemJson {
  return { [table.partitionKey]: item[table.partitionKey]!, [table.sortKey]: item[table.sortKey]! };
}

function isOrphan({ placed, guards }: Beside, own: ItemJson | undefined): boolean {
  if (own === undefined || guards === undefined) return own === undefined;
  const satellite = placed.unique.find(({ attribute }) => attribute === guards.attribute)!;
  const values = placed.valuesFrom(own, placed.base);
  const wanted = placed.guardOf(placed.entity.name, satellite, values);
  const { partitionKey } = placed.table;
  return imageOf(wanted?.[partitionKey]) !== imageOf(guards.item[partitionKey]);
}

async function drop(
  { table, calls, writePace }: OrphanOptions,
  { placed, key, own, guards }: Beside,
  found: ItemJson | undefined,
): Promise<boolean> {
  const terms = new AsRead();
  const condition =
    found === undefined
      ? terms.still(placed.table.partitionKey, undefined)
      : terms.still(guards!.attribute, found[guards!.attribute]);
  const check = { TableName: table, Key: own, ConditionExpression: condition, ...terms.members };
  try {
    await calls.paced(
      'TransactWriteItems',
      { TransactItems: [{ ConditionCheck: check }, { Delete: { TableName: table, Key: key } }] },
      writePace,
      4,
    );
    return true;
  } catch (error) {
    // Somebody made the instance again.
    const isRefused =
      nameOfError(error) === 'TransactionCanceledException' &&
      cancellationCodes(error).includes('ConditionalCheckFailed');
    if (isRefused) return false;
    throw error;
  }
}
