import { pathText } from './path.ts';
import type { DocumentPath } from './tree.ts';

/**
 * Whether paths of one update or projection get in each other's way. Two overlap when one is the other or leads to it;
 * they conflict when one takes for a list what the other takes for a map. Any overlap is reported before any conflict
 * (observed: public suites before 2024), of the first path in the text that clashes with an earlier one.
 *
 * The paths are put into a tree one by one, so that thousands of them cost no more than their elements.
 */
export function pathClash(paths: readonly DocumentPath[]): string | undefined {
  const root = newNode(0);
  let conflict: string | undefined;
  for (const [i, path] of paths.entries()) {
    let node = root;
    for (const element of path) {
      if (node.end !== undefined) return clashText('overlap', paths[node.end]!, path);
      const other = typeof element === 'number' ? node.byName : node.byIndex;
      if (other !== undefined) conflict ??= clashText('conflict', paths[other]!, path);
      if (typeof element === 'number') node.byIndex ??= i;
      else node.byName ??= i;
      let child = node.children.get(element);
      if (child === undefined) {
        child = newNode(i);
        node.children.set(element, child);
      }
      node = child;
    }
    if (node.end !== undefined || node.children.size > 0) {
      return clashText('overlap', paths[node.first]!, path);
    }
    node.end = i;
  }
  return conflict;
}

/** Paths are named by their place in the text. */
interface Node {
  readonly children: Map<string | number, Node>;
  /** The first path that passes here. */
  readonly first: number;
  /** The path that ends here. */
  end: number | undefined;
  /** The first paths that go on with a name, and with an index. */
  byName: number | undefined;
  byIndex: number | undefined;
}

function newNode(first: number): Node {
  return { children: new Map(), first, end: undefined, byName: undefined, byIndex: undefined };
}

function clashText(clash: 'overlap' | 'conflict', one: DocumentPath, two: DocumentPath): string {
  return `Two document paths ${clash} with each other; must remove or rewrite one of these paths; path one: ${pathText(one)}, path two: ${pathText(two)}`;
}
