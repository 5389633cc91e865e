import sortedBtree from 'sorted-btree';

type BTreeClass = typeof sortedBtree.default;
/** The package is CommonJS. Its default import is the module in Node, and the class where a test runner unwraps it. */
const BTree = sortedBtree.default ?? (sortedBtree as unknown as BTreeClass);
type Tree<V> = InstanceType<typeof BTree<string, V>>;

/**
 * An ordered map from strings to values that can be copied in constant time: a B+ tree whose copies share nodes until
 * one of them writes (decision 0020).
 *
 * Keys are strings whose characters are bytes (`byteString`). V8 compares such strings as fast as memory and orders them
 * as unsigned bytes.
 */
export class OrderedMap<V> {
  readonly #tree: Tree<V>;

  constructor(tree: Tree<V> = new BTree<string, V>(undefined, compareStrings)) {
    this.#tree = tree;
  }

  get size(): number {
    return this.#tree.size;
  }

  /** Returns a map with the same content. Neither map sees later changes of the other. */
  copy(): OrderedMap<V> {
    return new OrderedMap(this.#tree.clone());
  }

  get(key: string): V | undefined {
    return this.#tree.get(key);
  }

  set(key: string, value: V): void {
    this.#tree.set(key, value);
  }

  /** Removes a key. Returns whether the map had it. */
  delete(key: string): boolean {
    return this.#tree.delete(key);
  }

  /**
   * Visits the entries with `from <= key < to` in ascending or descending order until `visit` returns false. `visit`
   * must not change the map.
   */
  visit(
    from: string | undefined,
    to: string | undefined,
    reverse: boolean,
    visit: (value: V, key: string) => boolean,
  ): void {
    // The tree fills one array with each entry in turn.
    const shared: (string | V)[] = [];
    const entries = reverse ? this.#tree.entriesReversed(to, shared, true) : this.#tree.entries(from, shared);
    for (const [key, value] of entries) {
      if (reverse ? from !== undefined && key < from : to !== undefined && key >= to) return;
      if (!visit(value, key)) return;
    }
  }
}

function compareStrings(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Turns bytes into a key of an `OrderedMap`: each byte becomes one character. */
export function byteString(bytes: Uint8Array): string {
  return Buffer.prototype.latin1Slice.call(bytes, 0, bytes.length);
}

/**
 * The inverse of `byteString`. The bytes lie in Node's pool, which takes a fifth of the time of an array with memory of its
 * own. The view makes it a plain array, whose `slice` copies.
 */
export function bytesOf(text: string): Uint8Array {
  const { buffer, byteOffset, length } = Buffer.from(text, 'latin1');
  return new Uint8Array(buffer, byteOffset, length);
}
