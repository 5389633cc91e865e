import type { AttributeValue, Item } from '../model/values/attribute-value.ts';
import type { DocumentPath, Projection, ProjectionTree } from './tree.ts';

/** The projection of paths of which none leads to another and none takes for a list what another takes for a map. */
export function projectionOf(paths: readonly DocumentPath[]): Projection {
  const tree: GrowingTree = new Map();
  for (const path of paths) {
    let node = tree;
    for (const element of path.slice(0, -1)) {
      let child = node.get(element);
      if (child === undefined || child === 'whole') {
        child = new Map();
        node.set(element, child);
      }
      node = child;
    }
    node.set(path[path.length - 1]!, 'whole');
  }
  return { paths, tree };
}

type GrowingTree = Map<string | number, GrowingTree | 'whole'>;

/**
 * The parts of an item that a projection names. What it names whole is shared with the item; a map or list of which
 * it names parts is left out when the item has none of them. Elements of a list close up, in the list's order,
 * whatever order the expression has. Keys are not added.
 */
export function projectItem(projection: Projection, item: Item): Item {
  return projectMembers(projection.tree, item);
}

function projectMembers(tree: ProjectionTree, members: Item): Map<string, AttributeValue> {
  const projected = new Map<string, AttributeValue>();
  for (const [name, part] of tree) {
    // A tree with indexes was meant for a list.
    if (typeof name === 'number') continue;
    const value = projectValue(part, members.get(name));
    if (value !== undefined) projected.set(name, value);
  }
  return projected;
}

function projectElements(tree: ProjectionTree, elements: readonly AttributeValue[]): AttributeValue[] {
  const indexes = [...tree.keys()].filter((index) => typeof index === 'number').sort((a, b) => a - b);
  const projected: AttributeValue[] = [];
  for (const index of indexes) {
    const value = projectValue(tree.get(index)!, elements[index]);
    if (value !== undefined) projected.push(value);
  }
  return projected;
}

function projectValue(
  part: ProjectionTree | 'whole',
  value: AttributeValue | undefined,
): AttributeValue | undefined {
  if (value === undefined || part === 'whole') return value;
  if ('M' in value) {
    const members = projectMembers(part, value.M);
    return members.size === 0 ? undefined : { M: members };
  }
  if ('L' in value) {
    const elements = projectElements(part, value.L);
    return elements.length === 0 ? undefined : { L: elements };
  }
  return undefined;
}
