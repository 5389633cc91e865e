/**
 * An ordered map from strings to values that can be copied in constant time.
 *
 * It is a B+ tree whose nodes are shared between copies. A map owns the nodes that carry its `owner` mark and changes
 * them in place; it copies any other node before changing it. `copy()` gives both maps a new mark. From then on
 * neither map changes what the other sees, and each copies only the paths it writes to.
 *
 * Keys are strings whose characters are bytes (`byteString`). V8 compares such strings as fast as memory, orders them
 * as unsigned bytes, and stores each in one piece.
 */
export class OrderedMap<V> {
  #root: Node<V>;
  #owner: Owner;
  #size: number;

  constructor(source?: { root: Node<V>; size: number }) {
    this.#owner = {};
    this.#root = source?.root ?? newLeaf(this.#owner, [], [], [], nowhere);
    this.#size = source?.size ?? 0;
  }

  get size(): number {
    return this.#size;
  }

  /** Copies the map. From then on neither map sees the other's changes. */
  copy(): OrderedMap<V> {
    this.#owner = {};
    return new OrderedMap<V>({ root: this.#root, size: this.#size });
  }

  get(key: string): V | undefined {
    let node = this.#root;
    while ('children' in node) node = node.children[childIndex(node.keys, key)]!;
    const at = placeOf(node, key);
    return at === nowhere ? undefined : node.values[at];
  }

  /** Finds the place of a key. The place is valid until the map changes; only `replace` keeps it valid. */
  find(key: string): Place<V> | undefined {
    let node = this.#root;
    while ('children' in node) node = node.children[childIndex(node.keys, key)]!;
    const at = placeOf(node, key);
    return at === nowhere ? undefined : { leaf: node, at };
  }

  /** Replaces the value in a place. Returns false and does nothing if other maps share the leaf. */
  replace({ leaf, at }: Place<V>, value: V): boolean {
    if (leaf.owner !== this.#owner) return false;
    leaf.values[at] = value;
    return true;
  }

  set(key: string, value: V): void {
    this.#root = this.#owned(this.#root);
    let node: Node<V> = this.#root;
    while ('children' in node) {
      const at = childIndex(node.keys, key);
      const child = this.#owned(node.children[at]!);
      node.children[at] = child;
      node = child;
    }
    const place = placeOf(node, key);
    if (place !== nowhere) {
      node.values[place] = value;
      return;
    }
    const at = lowerBound(node.keys, key);
    insertAt(node.keys, at, key);
    insertAt(node.marks, at, markOf(key));
    insertAt(node.values, at, value);
    this.#size++;
    const isRun = at === node.grewAt + 1;
    node.grewAt = at;
    if (node.keys.length > nodeLengthMax) this.#growRoot(this.#splitPath(this.#root, key, isRun));
  }

  /** Removes a key. Returns whether the map had it. */
  delete(key: string): boolean {
    if (this.get(key) === undefined) return false;
    this.#root = this.#owned(this.#root);
    this.#remove(this.#root, key);
    if ('children' in this.#root && this.#root.children.length === 1) this.#root = this.#root.children[0]!;
    this.#size--;
    return true;
  }

  /**
   * Visits the entries with `from <= key < to` in ascending or descending order, until `visit` returns false. The map
   * must not change during the visit.
   */
  visit(
    from: string | undefined,
    to: string | undefined,
    reverse: boolean,
    visit: (value: V, key: string) => boolean,
  ): void {
    if (reverse) visitDown(this.#root, from, to, visit);
    else visitUp(this.#root, from, to, visit);
  }

  #owned<N extends Node<V>>(node: N): N {
    if (node.owner === this.#owner) return node;
    const keys = node.keys.slice();
    const copy: Node<V> =
      'children' in node
        ? { owner: this.#owner, keys, children: node.children.slice() }
        : newLeaf(this.#owner, keys, node.marks.slice(), node.values.slice(), node.grewAt);
    return copy as N;
  }

  /** Splits the nodes on the path to a key that have become too long. This map owns all of them. */
  #splitPath(node: Node<V>, key: string, isRun: boolean): Split<V> | undefined {
    if (!('children' in node)) return this.#splitLeaf(node, isRun);
    const at = childIndex(node.keys, key);
    const split = this.#splitPath(node.children[at]!, key, isRun);
    if (split === undefined) return undefined;
    insertAt(node.keys, at, split.key);
    insertAt(node.children, at + 1, split.right);
    return node.children.length > nodeLengthMax ? this.#splitBranch(node) : undefined;
  }

  #growRoot(split: Split<V> | undefined): void {
    if (split === undefined) return;
    this.#root = { owner: this.#owner, keys: [split.key], children: [this.#root, split.right] };
  }

  /**
   * Splits a leaf in two halves. If keys arrive in ascending order at its end, it splits before the last entry
   * instead, so that loading in order fills the leaves.
   */
  #splitLeaf(node: Leaf<V>, isRun: boolean): Split<V> {
    const last = node.keys.length - 1;
    const isAppending = isRun && node.grewAt === last;
    const at = isAppending ? last : node.keys.length >> 1;
    const keys = node.keys.splice(at);
    const marks = node.marks.splice(at);
    const right = newLeaf(this.#owner, keys, marks, node.values.splice(at), isAppending ? 0 : nowhere);
    node.grewAt = nowhere;
    return { key: right.keys[0]!, right };
  }

  #splitBranch(node: Branch<V>): Split<V> {
    const middle = node.children.length >> 1;
    const right: Branch<V> = {
      owner: this.#owner,
      keys: node.keys.splice(middle),
      children: node.children.splice(middle),
    };
    return { key: node.keys.pop()!, right };
  }

  #remove(node: Node<V>, key: string): void {
    if (!('children' in node)) {
      const at = lowerBound(node.keys, key);
      node.keys.splice(at, 1);
      node.marks.splice(at, 1);
      node.values.splice(at, 1);
      node.grewAt = nowhere;
      return;
    }
    const at = childIndex(node.keys, key);
    const child = this.#owned(node.children[at]!);
    node.children[at] = child;
    this.#remove(child, key);
    if (lengthOf(child) < nodeLengthMin) this.#joinWithNeighbour(node, at);
  }

  /** Joins a small child with a neighbour if both fit into one node. */
  #joinWithNeighbour(parent: Branch<V>, at: number): void {
    if (parent.children.length === 1) return;
    const leftAt = at > 0 ? at - 1 : at;
    const left = parent.children[leftAt]!;
    const right = parent.children[leftAt + 1]!;
    if (lengthOf(left) + lengthOf(right) > nodeLengthMax) return;
    const joined = this.#owned(left);
    if ('children' in joined && 'children' in right) {
      joined.keys.push(parent.keys[leftAt]!, ...right.keys);
      joined.children.push(...right.children);
    } else if (!('children' in joined) && !('children' in right)) {
      joined.keys.push(...right.keys);
      joined.marks.push(...right.marks);
      joined.values.push(...right.values);
    }
    parent.children[leftAt] = joined;
    parent.children.splice(leftAt + 1, 1);
    parent.keys.splice(leftAt, 1);
  }
}

/** Converts bytes to a string with one character per byte; see `OrderedMap`. */
export function byteString(bytes: Uint8Array): string {
  return Buffer.prototype.latin1Slice.call(bytes, 0, bytes.length);
}

/** Converts a `byteString` back to bytes. */
export function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export interface Place<V> {
  readonly leaf: Leaf<V>;
  readonly at: number;
}

type Owner = object;

interface Leaf<V> {
  readonly owner: Owner;
  readonly keys: string[];
  /** The mark of each key (`markOf`), by which a key is found without comparing all keys before it. */
  readonly marks: number[];
  readonly values: V[];
  /** The index of the last inserted key, unless a split or a removal has moved it. */
  grewAt: number;
}

/** Creates every leaf, so that all leaves have one hidden class and V8 finds their members fast in every search. */
function newLeaf<V>(owner: Owner, keys: string[], marks: number[], values: V[], grewAt: number): Leaf<V> {
  return { owner, keys, marks, values, grewAt };
}

interface Branch<V> {
  readonly owner: Owner;
  /** `keys[i]` is a lower bound of `children[i + 1]` and above everything in `children[i]`. */
  readonly keys: string[];
  readonly children: Node<V>[];
}

type Node<V> = Leaf<V> | Branch<V>;

interface Split<V> {
  readonly key: string;
  readonly right: Node<V>;
}

/**
 * The most children or entries of a node. Wide nodes make reads cheap, narrow nodes make a copied path cheap; 64
 * measured best for both together.
 */
const nodeLengthMax = 64;
const nodeLengthMin = nodeLengthMax >> 2;

/** An index that is no place in a leaf, nor the one before a place. */
const nowhere = -2;

function lengthOf<V>(node: Node<V>): number {
  return 'children' in node ? node.children.length : node.keys.length;
}

/**
 * The index of a key in its leaf. The marks lie side by side, so looking through all of them touches less memory than
 * a binary search among the keys, each of which lies elsewhere. With cold processor caches this saves a third of the
 * time of the whole descent.
 */
function placeOf<V>({ keys, marks }: Leaf<V>, key: string): number {
  const mark = markOf(key);
  for (let i = 0; i < marks.length; i++) if (marks[i] === mark && keys[i] === key) return i;
  return nowhere;
}

/**
 * A number that two keys of one leaf seldom share. It combines the end of the key with other positions that often
 * differ.
 */
function markOf(key: string): number {
  const last = key.length - 1;
  const end = key.charCodeAt(last) | (key.charCodeAt(last - 1) << 8);
  return end | (key.charCodeAt(last >> 1) << 16) | ((key.charCodeAt(last >> 2) & 0x3f) << 24);
}

/** The index of the first key that is not below `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the child that may hold `key`. */
function childIndex(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insertAt<T>(array: T[], at: number, value: T): void {
  if (at === array.length) array.push(value);
  else array.splice(at, 0, value);
}

function visitUp<V>(
  node: Node<V>,
  from: string | undefined,
  to: string | undefined,
  visit: (value: V, key: string) => boolean,
): boolean {
  if ('children' in node) {
    const first = from === undefined ? 0 : childIndex(node.keys, from);
    for (let i = first; i < node.children.length; i++) {
      if (to !== undefined && i > 0 && node.keys[i - 1]! >= to) return false;
      if (!visitUp(node.children[i]!, i === first ? from : undefined, to, visit)) return false;
    }
    return true;
  }
  for (let i = from === undefined ? 0 : lowerBound(node.keys, from); i < node.keys.length; i++) {
    const key = node.keys[i]!;
    if (to !== undefined && key >= to) return false;
    if (!visit(node.values[i]!, key)) return false;
  }
  return true;
}

function visitDown<V>(
  node: Node<V>,
  from: string | undefined,
  to: string | undefined,
  visit: (value: V, key: string) => boolean,
): boolean {
  if ('children' in node) {
    const first = to === undefined ? node.children.length - 1 : childIndex(node.keys, to);
    for (let i = first; i >= 0; i--) {
      if (!visitDown(node.children[i]!, from, i === first ? to : undefined, visit)) return false;
      if (from !== undefined && i > 0 && node.keys[i - 1]! <= from) return false;
    }
    return true;
  }
  for (let i = (to === undefined ? node.keys.length : lowerBound(node.keys, to)) - 1; i >= 0; i--) {
    const key = node.keys[i]!;
    if (from !== undefined && key < from) return false;
    if (!visit(node.values[i]!, key)) return false;
  }
  return true;
}
