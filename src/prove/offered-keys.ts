import type { CompiledDesign, IndexDesign, Request, Values } from '../design/index.ts';
import { partitionUse } from '../physics/partition-use.ts';
import type { Effect } from '../workload/calls.ts';
import type { Population } from '../workload/population.ts';

/** Units a second that callers asked of one partition key, retries not counted. */
export interface OfferedKey {
  readonly arm: string;
  readonly key: string;
  read: number;
  write: number;
}

interface Input {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly Key?: Readonly<Record<string, { readonly S?: string }>>;
  readonly Item?: Readonly<Record<string, { readonly S?: string }>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly S?: string }>>;
  readonly TransactItems?: readonly Readonly<Record<string, Input>>[];
}

/** Of so many writing calls one is followed into the indexes. */
const followed = 4;

/**
 * Counts which keys calls ask for, before anything is throttled. Small items are assumed: a write is one unit, two in a
 * transaction, a read half a unit. That tells a key that is too hot by itself from one that shares a partition with others.
 * Requests do not name the index entries that they write: these follow from what a call does to its instances.
 */
export class OfferedKeys {
  readonly #keys = new Map<string, OfferedKey>();
  readonly #compiled: CompiledDesign;
  readonly #population: Population;
  readonly #partitionKeys: ReadonlyMap<string, string>;
  #calls = 0;

  constructor(compiled: CompiledDesign, population: Population) {
    this.#compiled = compiled;
    this.#population = population;
    this.#partitionKeys = new Map(
      compiled.design.tables.map(({ name, partitionKey }) => [name, partitionKey]),
    );
  }

  count(requests: readonly Request[]): void {
    for (const { operation, input } of requests) {
      const sent = input as Input;
      if (operation === 'Query')
        this.#add(armOf(sent), sent.ExpressionAttributeValues?.[':p']?.S, 'read', 0.5);
      else if (operation === 'GetItem') this.#add(sent.TableName!, this.#keyOf(sent), 'read', 0.5);
      else if (operation === 'TransactWriteItems')
        for (const action of sent.TransactItems ?? [])
          for (const one of Object.values(action)) this.#add(one.TableName!, this.#keyOf(one), 'write', 2);
      else if (operation !== 'BatchGetItem') this.#add(sent.TableName!, this.#keyOf(sent), 'write', 1);
    }
  }

  /** Counts the index entries that a call writes; before its effects are applied to the population. */
  countEntries(effects: readonly Effect[]): void {
    if (this.#calls++ % followed !== 0) return;
    for (const effect of effects) {
      const placed = this.#compiled.entities.get(effect.entity);
      if (placed === undefined || placed.indexes.length === 0) continue;
      const before = effect.kind === 'put' ? undefined : this.#population.kind(effect.entity).find(effect.of);
      if (before === undefined && effect.kind !== 'put') continue;
      const after =
        effect.kind === 'put'
          ? effect.values
          : effect.kind === 'change'
            ? ({ ...before, ...effect.sets } as Values)
            : undefined;
      for (const [at, { index }] of placed.indexes.entries()) {
        if (index.kind === 'local') continue;
        const keyOf = (values: Values | undefined) => {
          const keys = values && placed.entryKeys(effect.entity, values, at);
          return [keys?.[index.partitionKey], keys?.[index.sortKey]].map((one) => (one as { S: string })?.S);
        };
        const [[left, leftSort], [entered, enteredSort]] = [keyOf(before), keyOf(after)];
        const stays = left === entered && leftSort === enteredSort;
        if (stays && (effect.kind !== 'change' || !isProjected(index, Object.keys(effect.sets)))) continue;
        const arm = `${placed.table.name}/${index.name}`;
        this.#add(arm, entered, 'write', followed);
        if (!stays) this.#add(arm, left, 'write', followed);
      }
    }
  }

  #keyOf({ TableName, Key, Item }: Input): string | undefined {
    return (Item ?? Key)?.[this.#partitionKeys.get(TableName!) ?? 'PK']?.S;
  }

  #add(arm: string, key: string | undefined, kind: 'read' | 'write', units: number): void {
    if (key === undefined) return;
    const name = `${arm}\n${key}`;
    const known = this.#keys.get(name);
    if (known !== undefined) known[kind] += units;
    else this.#keys.set(name, { arm, key, read: 0, write: 0, [kind]: units });
  }

  /** The busiest keys of a table or index, in units a second. */
  top(
    arm: string,
    count: number,
    seconds: number,
  ): { readonly key: string; readonly read: number; readonly write: number }[] {
    return [...this.#keys.values()]
      .filter((one) => one.arm === arm)
      .sort((a, b) => partitionUse(b) - partitionUse(a))
      .slice(0, count)
      .map(({ key, read, write }) => ({ key, read: read / seconds, write: write / seconds }));
  }
}

function isProjected({ projection }: IndexDesign, names: readonly string[]): boolean {
  if (projection.type === 'ALL') return true;
  return projection.type === 'INCLUDE' && names.some((name) => projection.names.includes(name));
}

function armOf({ TableName, IndexName }: Input): string {
  return IndexName === undefined ? TableName! : `${TableName!}/${IndexName}`;
}
