import type { AttributeJson, EntityWork, ItemJson } from '../design/index.ts';
import type { CapacityPace } from './capacity-pace.ts';
import { hasAll } from './item-images.ts';
import type { MigrationSurroundings } from './migration-calls.ts';
import type { PatientCalls } from './patient-calls.ts';
import type { PlacedItem, PlacedItems } from './placed-items.ts';

export interface SampleOptions {
  readonly items: PlacedItems;
  readonly table: string;
  readonly calls: PatientCalls;
  readonly readPace: CapacityPace;
  readonly surroundings: MigrationSurroundings;
}

/** An index follows its table within moments; a sample that disagrees is looked at again so often. */
const looksMax = 6;

/** A fair sample of a stream of unknown length. */
export class Reservoir<T> {
  readonly all: T[] = [];
  readonly #size: number;
  readonly #random: () => number;
  #seen = 0;

  constructor(size: number, random: () => number) {
    this.#size = size;
    this.#random = random;
  }

  add(one: T): void {
    this.#seen++;
    if (this.all.length < this.#size) this.all.push(one);
    else {
      const at = Math.floor(this.#random() * this.#seen);
      if (at < this.#size) this.all[at] = one;
    }
  }
}

/** Compares an instance as the old keys tell it with what readers of the new keys see; undefined if they agree. */
export async function compareSample(
  options: SampleOptions,
  { placed, item }: PlacedItem,
  work: EntityWork,
): Promise<string | undefined> {
  const { partitionKey, sortKey } = placed.table;
  const key: ItemJson = { [partitionKey]: item[partitionKey]!, [sortKey]: item[sortKey]! };
  let why: string | undefined;
  for (let look = 1; look <= looksMax; look++) {
    if (look > 1) await options.surroundings.wait(100 * 2 ** look, options.calls.signal);
    const now = await readOwn(options, key);
    // Somebody deleted it meanwhile.
    if (now === undefined) return undefined;
    why = (await compareItems(options, now, work, key)) ?? (await compareEntries(options, now, work, key));
    if (why === undefined) return undefined;
  }
  return why;
}

async function readOwn({ table, calls, readPace, items }: SampleOptions, Key: ItemJson) {
  const { answer } = await calls.paced<{ readonly Item?: ItemJson }>(
    'GetItem',
    { TableName: table, Key, ConsistentRead: true },
    readPace,
    1,
  );
  return answer.Item === undefined ? undefined : items.read(answer.Item);
}

async function compareItems(
  { table, calls, readPace }: SampleOptions,
  { placed, values }: PlacedItem,
  work: EntityWork,
  key: ItemJson,
): Promise<string | undefined> {
  const { partitionKey, sortKey } = placed.table;
  for (const copy of placed.copiesOf(placed.entity.name, values)) {
    const number = placed.copies.find((placement) => {
      const at = placed.keyOf(placed.entity.name, values, placement);
      return at !== undefined && hasAll(copy, at);
    })?.copy;
    if (number === undefined || !work.copies.includes(number)) continue;
    const Key = { [partitionKey]: copy[partitionKey]!, [sortKey]: copy[sortKey]! };
    // One moment for both: a program may change them between two reads.
    const { answer } = await calls.paced<{ readonly Responses?: readonly { readonly Item?: ItemJson }[] }>(
      'TransactGetItems',
      { TransactItems: [{ Get: { TableName: table, Key: key } }, { Get: { TableName: table, Key } }] },
      readPace,
      4,
    );
    const [own, other] = (answer.Responses ?? []).map(({ Item }) => Item);
    if (own === undefined && other === undefined) continue;
    const { keep } = attributesOf(placed.entity.attributes.map(({ name }) => name));
    if (other === undefined || own === undefined || !hasAll(other, keep(own)))
      return `${JSON.stringify(key)} and ${JSON.stringify(Key)} differ`;
  }
  return undefined;
}

function attributesOf(names: readonly string[]) {
  const wanted = new Set(names);
  return {
    keep: (item: ItemJson): ItemJson =>
      Object.fromEntries(Object.entries(item).filter(([name]) => wanted.has(name))),
  };
}

async function compareEntries(
  { table, calls, readPace }: SampleOptions,
  { placed, values, item }: PlacedItem,
  work: EntityWork,
  key: ItemJson,
): Promise<string | undefined> {
  for (const slot of work.slots) {
    const at = placed.indexes.findIndex(({ index }) => index.name === slot);
    const { index } = placed.indexes[at]!;
    const entry = placed.entryKeys(placed.entity.name, values, at);
    if (entry === undefined || index.kind === 'local') continue;
    const found = await entriesAt(table, calls, readPace, slot, [
      [index.partitionKey, entry[index.partitionKey]!],
      [index.sortKey, entry[index.sortKey]!],
    ]);
    const mine = found.find((one) => hasAll(one, key));
    if (mine === undefined) return `${slot} has no entry of ${JSON.stringify(key)}`;
    const names = placed.entity.attributes.map(({ name }) => name).filter((name) => name in mine);
    const { keep } = attributesOf(names);
    if (!hasAll(item, keep(mine))) return `${slot} has another ${JSON.stringify(key)} than the table`;
  }
  return undefined;
}

async function entriesAt(
  table: string,
  calls: PatientCalls,
  readPace: CapacityPace,
  IndexName: string,
  [partition, sort]: readonly (readonly [string, AttributeJson])[],
): Promise<readonly ItemJson[]> {
  const found: ItemJson[] = [];
  let from: ItemJson | undefined;
  do {
    const { answer } = await calls.paced<{
      readonly Items?: readonly ItemJson[];
      readonly LastEvaluatedKey?: ItemJson;
    }>(
      'Query',
      {
        ...{ TableName: table, IndexName },
        KeyConditionExpression: '#p = :p AND #s = :s',
        ExpressionAttributeNames: { '#p': partition![0], '#s': sort![0] },
        ExpressionAttributeValues: { ':p': partition![1], ':s': sort![1] },
        ...(from === undefined ? {} : { ExclusiveStartKey: from }),
      },
      readPace,
      0.5,
    );
    found.push(...(answer.Items ?? []));
    from = answer.LastEvaluatedKey;
  } while (from !== undefined);
  return found;
}

/** How many entries an index has, counted one page after the other. */
export async function countEntries(
  { table, calls, readPace }: SampleOptions,
  IndexName: string,
  keepLock: () => Promise<void>,
): Promise<number> {
  let [count, from]: [number, ItemJson | undefined] = [0, undefined];
  do {
    await keepLock();
    const { answer }: { readonly answer: { readonly Count: number; readonly LastEvaluatedKey?: ItemJson } } =
      await calls.paced(
        'Scan',
        {
          ...{ TableName: table, IndexName, Select: 'COUNT' },
          ...(from === undefined ? {} : { ExclusiveStartKey: from }),
        },
        readPace,
        10,
      );
    count += answer.Count;
    from = answer.LastEvaluatedKey;
  } while (from !== undefined);
  return count;
}
