/** What the control API needs of a database. */
export interface Controllable {
  readonly isForkable: boolean;
  fork(): this;
  restore(from: this): void;
  close(): Promise<void>;
}

/** Every suite of tests needs one; the bound only keeps a loop that makes them by mistake from filling the memory. */
export const namespacesMax = 10_000;

/**
 * The databases behind one server. Requests go to the base, unless their access key has a namespace: a fork of its
 * own, so that test suites in any language share a server without seeing each other.
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

  /** The database that requests with this access key see. */
  databaseOf(accessKeyId: string): Database {
    // Nearly always there are none, and this is asked with every request.
    if (this.#byAccessKey.size === 0) return this.base;
    return this.#byAccessKey.get(accessKeyId) ?? this.base;
  }

  namespace(accessKeyId: string): Database | undefined {
    return this.#byAccessKey.get(accessKeyId);
  }

  /**
   * Gives an access key a fresh database: the base as it was at the snapshot, or as it is now when there is none.
   * Answers whether the namespace is new.
   */
  reset(accessKeyId: string): boolean {
    const from = this.#snapshot ?? this.base;
    const existing = this.#byAccessKey.get(accessKeyId);
    if (existing !== undefined) existing.restore(from);
    else this.#byAccessKey.set(accessKeyId, from.fork());
    return existing === undefined;
  }

  /** Answers whether there was one. From then on the access key sees the base. */
  async remove(accessKeyId: string): Promise<boolean> {
    const existing = this.#byAccessKey.get(accessKeyId);
    if (existing === undefined) return false;
    this.#byAccessKey.delete(accessKeyId);
    await existing.close();
    return true;
  }

  /** From now on resets lead to the base as it is at this moment. */
  takeSnapshot(): void {
    const before = this.#snapshot;
    this.#snapshot = this.base.fork();
    void before?.close();
  }

  /** Puts the base itself back to the snapshot; answers false when there is none. */
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
