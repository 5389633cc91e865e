/**
 * What many clients did and saw, each on its own. A history is about keys that hold lists; every value is appended at
 * most once, so that a list tells in which order its appends were done.
 */
export interface Transaction {
  readonly id: number;
  readonly client: number;
  /** When it was sent and when it was answered, on one counter that all clients share. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly appends: readonly Append[];
  /** Whole lists that it saw. */
  readonly reads: readonly Read[];
  /** Lists whose lengths it saw, because it was done only if they had them. */
  readonly checks: readonly Check[];
  readonly outcome: 'done' | 'refused';
}

export interface Append {
  readonly key: string;
  readonly value: number;
}

export interface Read {
  readonly key: string;
  readonly list: readonly number[];
}

export interface Check {
  readonly key: string;
  readonly length: number;
}

export type Plan = Pick<Transaction, 'appends' | 'checks'>;

/** Takes down what clients do, while they do it. */
export class History {
  readonly transactions: Transaction[] = [];
  #time = 0;
  #values = 0;
  #ids = 0;

  /** A value that nobody has appended yet. */
  newValue(): number {
    this.#values++;
    return this.#values;
  }

  /** Records one transaction; `run` answers what it read, or undefined when it was refused. */
  async record(client: number, plan: Plan, run: () => Promise<readonly Read[] | undefined>): Promise<void> {
    this.#time++;
    const startedAt = this.#time;
    const reads = await run();
    this.#time++;
    this.#ids++;
    this.transactions.push({
      id: this.#ids,
      client,
      startedAt,
      endedAt: this.#time,
      ...plan,
      reads: reads ?? [],
      outcome: reads === undefined ? 'refused' : 'done',
    });
  }
}
