import type { AttributeValue, Item } from '../model/values/attribute-value.ts';
import type { DocumentPath } from './tree.ts';

/**
 * What an update changes, as a tree along its paths. All changes of one map or list are made together, so that
 * indexes mean places in the list before, and each is copied once however many changes it has.
 */
export type ChangeTree = Map<string | number, Change>;

type Change =
  | { readonly kind: 'put'; readonly value: AttributeValue }
  | { readonly kind: 'drop' }
  | { readonly kind: 'within'; readonly changes: ChangeTree };

/** Notes the value that comes to a path, or undefined for one that goes. No two paths overlap. */
export function recordChange(
  changes: ChangeTree,
  path: DocumentPath,
  value: AttributeValue | undefined,
): void {
  let node = changes;
  for (const element of path.slice(0, -1)) {
    const found = node.get(element);
    if (found?.kind === 'within') node = found.changes;
    else {
      const inner: ChangeTree = new Map();
      node.set(element, { kind: 'within', changes: inner });
      node = inner;
    }
  }
  node.set(path[path.length - 1]!, value === undefined ? { kind: 'drop' } : { kind: 'put', value });
}

/** The item with its changes made; the parents of all that changes are there. */
export function changedItem(item: Item, changes: ChangeTree): Item {
  const changed = new Map(item);
  for (const [name, change] of changes) {
    const key = name as string;
    const value = changedValue(item.get(key), change);
    if (value === undefined) changed.delete(key);
    else changed.set(key, value);
  }
  return changed;
}

function changedValue(old: AttributeValue | undefined, change: Change): AttributeValue | undefined {
  if (change.kind === 'put') return change.value;
  if (change.kind === 'drop' || old === undefined) return undefined;
  if ('M' in old) return { M: changedItem(old.M, change.changes) };
  if ('L' in old) return { L: changedList(old.L, change.changes) };
  throw new Error('a change within a value that holds no others');
}

/**
 * Elements are replaced in place; then those that go are left out, and those that were put beyond the end follow in
 * the order of their indexes, whatever gaps these have.
 */
function changedList(list: readonly AttributeValue[], changes: ChangeTree): AttributeValue[] {
  const changed: AttributeValue[] = [];
  for (const [index, element] of list.entries()) {
    const change = changes.get(index);
    const value = change === undefined ? element : changedValue(element, change);
    if (value !== undefined) changed.push(value);
  }
  const beyond = [...changes.keys()].filter((index) => (index as number) >= list.length);
  for (const index of (beyond as number[]).sort((a, b) => a - b)) {
    const change = changes.get(index)!;
    if (change.kind === 'put') changed.push(change.value);
  }
  return changed;
}
