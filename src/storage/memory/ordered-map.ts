/**
 * An ordered map from strings to values that can be copied in constant time.
 *
 * It is a B+ tree whose nodes are shared between copies. Every map owns the nodes that carry its `owner` mark
 * and may change those in place; any other node it copies first. `copy()` gives both maps a new mark, so that
 * from then on neither changes what the other sees, and each pays only for the paths it writes to.
 *
 * Keys are strings whose characters are bytes (`byteString`): V8 compares those as fast as memory, orders them as
 * unsigned bytes, and keeps them in one piece.
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

  /** A map of the same content; from here on the two never see each other's changes. */
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

  /** Where a key stands. Any change to the map but `replace` may make the place wrong. */
  find(key: string): Place<V> | undefined {
    let node = this.#root;
    while ('children' in node) node = node.children[childIndex(node.keys, key)]!;
    const at = placeOf(node, key);
    return at === nowhere ? undefined : { leaf: node, at };
  }

  /** Puts another value in a place; answers false, and does nothing, when other maps share it. */
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

  /** Removes a key; answers whether it was there. */
  delete(key: string): boolean {
    if (this.get(key) === undefined) return false;
    this.#root = this.#owned(this.#root);
    this.#remove(this.#root, key);
    if ('children' in this.#root && this.#root.children.length === 1) this.#root = this.#root.children[0]!;
    this.#size--;
    return true;
  }

  /**
   * Visits the entries with `from <= key < to` in order, or from the last to the first, until `visit` answers
   * false. The map must not be changed during the visit.
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

  /** Splits the nodes that have become too long on the way to a key, all of them this map's own. */
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
   * Splits a leaf in halves; or before its last entry, when keys arrive in order there, so that what is loaded in
   * order fills its leaves.
   */
  #splitLeaf(node: Leaf<V>, isRun: boolean): Split<V> {
    const last = node.keys.length - 1;
    const goesOn = isRun && node.grewAt === last;
    const at = goesOn ? last : node.keys.length >> 1;
    const keys = node.keys.splice(at);
    const marks = node.marks.splice(at);
    const right = newLeaf(this.#owner, keys, marks, node.values.splice(at), goesOn ? 0 : nowhere);
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
    if (lengthOf(child) < nodeLengthMin) this.#mend(node, at);
  }

  /** Joins a child that became small with a neighbour, when both fit into one node. */
  #mend(parent: Branch<V>, at: number): void {
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

/** The characters of the string are the bytes; see `OrderedMap`. */
export function byteString(bytes: Uint8Array): string {
  return Buffer.prototype.latin1Slice.call(bytes, 0, bytes.length);
}

/** The way back. */
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
  /** By which a key is found without a look at all those before it (`markOf`). */
  readonly marks: number[];
  readonly values: V[];
  /** Where the last new key was put, unless a split or a removal has moved it. */
  grewAt: number;
}

/** All leaves are made here, so that they have one shape: with every search, V8 has to know where their members are. */
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

/** Wide nodes make reads cheap, narrow ones make a copied path cheap; 64 measured best for both together. */
const nodeLengthMax = 64;
const nodeLengthMin = nodeLengthMax >> 2;

/** No place in a leaf, nor the one before a place. */
const nowhere = -2;

function lengthOf<V>(node: Node<V>): number {
  return 'children' in node ? node.children.length : node.keys.length;
}

/**
 * Where a key stands in its leaf. To look through all marks, which lie side by side, takes fewer visits to memory than
 * a search among keys, each of which lies elsewhere: a third of the time of the whole way down, when nothing of it is in
 * the processor's caches.
 */
function placeOf<V>({ keys, marks }: Leaf<V>, key: string): number {
  const mark = markOf(key);
  for (let i = 0; i < marks.length; i++) if (marks[i] === mark && keys[i] === key) return i;
  return nowhere;
}

/** A number that keys of one leaf seldom have in common, from its end and from further places that differ. */
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
