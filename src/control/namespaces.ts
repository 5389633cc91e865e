/** The methods of a database that namespaces use. */
export interface Controllable {
  readonly isForkable: boolean;
  fork(): this;
  restore(from: this): void;
  close(): Promise<void>;
}

/**
 * The limit of namespaces. Every test suite may use one; the limit only keeps a runaway loop from filling the memory.
 */
export const namespacesMax = 10_000;

/**
 * The databases behind one server. A request goes to the base, unless its access key has a namespace: a fork of the
 * base. Test suites in any language can thus share a server without seeing each other's data.
 */
export class Namespaces<Database extends Controllable> {
  readonly base: Database;
  readonly #byAccessKey = new Map<string, Database>();
  #snapshot: Database | undefined;

  constructor(base: Database) {
    this.base = base;
  }

  get accessKeyIds(): string[] {
    return [...this.#byAccessKey.keys()];
  }

  get hasSnapshot(): boolean {
    return this.#snapshot !== undefined;
  }

  /** The database for requests with this access key. */
  databaseOf(accessKeyId: string): Database {
    // Every request calls this, and nearly always there are no namespaces.
    if (this.#byAccessKey.size === 0) return this.base;
    return this.#byAccessKey.get(accessKeyId) ?? this.base;
  }

  namespace(accessKeyId: string): Database | undefined {
    return this.#byAccessKey.get(accessKeyId);
  }

  /**
   * Gives an access key a fresh database: a fork of the snapshot, or of the base if there is no snapshot. Returns
   * whether the namespace is new.
   */
  reset(accessKeyId: string): boolean {
    const from = this.#snapshot ?? this.base;
    const existing = this.#byAccessKey.get(accessKeyId);
    if (existing !== undefined) existing.restore(from);
    else this.#byAccessKey.set(accessKeyId, from.fork());
    return existing === undefined;
  }

  /** Removes a namespace. Returns whether it existed. From then on the access key sees the base. */
  async remove(accessKeyId: string): Promise<boolean> {
    const existing = this.#byAccessKey.get(accessKeyId);
    if (existing === undefined) return false;
    this.#byAccessKey.delete(accessKeyId);
    await existing.close();
    return true;
  }

  /** Saves the base as it is now; resets go back to it. */
  takeSnapshot(): void {
    const before = this.#snapshot;
    this.#snapshot = this.base.fork();
    void before?.close();
  }

  /** Resets the base itself to the snapshot. Returns false if there is none. */
  resetBase(): boolean {
    if (this.#snapshot === undefined) return false;
    this.base.restore(this.#snapshot);
    return true;
  }

  async close(): Promise<void> {
    const databases = [...this.#byAccessKey.values(), ...(this.#snapshot ? [this.#snapshot] : [])];
    this.#byAccessKey.clear();
    this.#snapshot = undefined;
    await Promise.all(databases.map((database) => database.close()));
  }
}
