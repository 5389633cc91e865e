import { signal } from '@preact/signals';
import { type Item, keyId, sameItem } from './items.ts';

/** A change that is waiting for its commit. Nothing of it has reached the server. */
export interface StagedChange {
  readonly table: string;
  /** The names of the table's key attributes, for conditions. */
  readonly keyNames: readonly string[];
  readonly key: Item;
  /**
   * The item as it was when the change began; undefined if there was none. The commit is refused if the attributes that
   * it touches are others by then.
   */
  readonly before: Item | undefined;
  /** The item as it shall be; undefined to delete it. */
  readonly after: Item | undefined;
  /** The item that a refused commit met, if there was one: somebody else was faster. */
  readonly met?: { readonly item: Item | undefined };
}

/** By the id of table and key, in the order in which they were staged. */
export const stagedChanges = signal<ReadonlyMap<string, StagedChange>>(new Map());

export function stagedId({ table, key }: Pick<StagedChange, 'table' | 'key'>): string {
  return keyId(table, key);
}

/** Stages a change, or takes it back where it would change nothing. */
export function stage(change: StagedChange): void {
  const id = stagedId(change);
  if (sameItem(change.before, change.after)) unstage(id);
  else stagedChanges.value = new Map(stagedChanges.value).set(id, change);
}

export function unstage(id: string): void {
  if (!stagedChanges.value.has(id)) return;
  const next = new Map(stagedChanges.value);
  next.delete(id);
  stagedChanges.value = next;
}

export function discardAll(): void {
  stagedChanges.value = new Map();
}

/** What became of attributes: added, removed or changed, in the order of the old item and then of the new one. */
export interface AttributeChange {
  readonly name: string;
  readonly before: Item extends ReadonlyMap<string, infer Value> ? Value | undefined : never;
  readonly after: Item extends ReadonlyMap<string, infer Value> ? Value | undefined : never;
}

export function attributeChanges(before: Item | undefined, after: Item | undefined): AttributeChange[] {
  const names = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])]);
  return [...names]
    .map((name) => ({ name, before: before?.get(name), after: after?.get(name) }))
    .filter((one) => {
      if (one.before === undefined || one.after === undefined) return true;
      return !sameItem(new Map([['', one.before]]), new Map([['', one.after]]));
    });
}

/** My changes laid over the item that is there now: what a commit would make if it were tried again. */
export function rebased(change: StagedChange, current: Item | undefined): StagedChange {
  const { met: _, ...rest } = change;
  if (change.after === undefined || current === undefined) return { ...rest, before: current };
  const after = new Map(current);
  for (const { name, after: value } of attributeChanges(change.before, change.after)) {
    if (value === undefined) after.delete(name);
    else after.set(name, value);
  }
  return { ...rest, before: current, after };
}
