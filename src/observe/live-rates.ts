/** How many seconds are kept of each table. */
export const liveSeconds = 300;
const tablesMax = 1_000;
const numbers = [
  'requests',
  'readUnits',
  'writeUnits',
  'throttles',
  'shadowThrottles',
  'errors',
  'milliseconds',
] as const;

export type LiveNumber = (typeof numbers)[number];
export type LiveSecond = Readonly<Record<LiveNumber, number>> & { readonly second: number };

/** What happened to one table, second by second: a ring of the last five minutes. */
export class TableRates {
  readonly table: string;
  readonly region: string;
  readonly account: string;
  readonly #values = new Float64Array(liveSeconds * numbers.length);
  readonly #seconds = new Float64Array(liveSeconds);
  #second = -1;
  #at = 0;

  constructor(account: string, region: string, table: string) {
    this.account = account;
    this.region = region;
    this.table = table;
  }

  get lastSecond(): number {
    return this.#second;
  }

  request(second: number, isError: boolean, milliseconds: number): void {
    const at = this.#slot(second);
    const values = this.#values;
    values[at]! += 1;
    if (isError) values[at + 5]! += 1;
    values[at + 6]! += milliseconds;
  }

  units(second: number, access: 'read' | 'write', units: number): void {
    this.#values[this.#slot(second) + (access === 'read' ? 1 : 2)]! += units;
  }

  throttle(second: number, isEnforced: boolean): void {
    this.#values[this.#slot(second) + (isEnforced ? 3 : 4)]! += 1;
  }

  /** The seconds with values from `from` up to but not including `to`, oldest first. */
  read(from: number, to: number): LiveSecond[] {
    const found: LiveSecond[] = [];
    for (let i = 0; i < liveSeconds; i++) {
      const second = this.#seconds[i]!;
      if (second === 0 || second < from || second >= to) continue;
      const one: Record<string, number> = { second };
      for (const [n, name] of numbers.entries()) one[name] = this.#values[i * numbers.length + n]!;
      found.push(one as unknown as LiveSecond);
    }
    return found.sort((a, b) => a.second - b.second);
  }

  #slot(second: number): number {
    if (second === this.#second) return this.#at;
    const slot = second % liveSeconds;
    this.#at = slot * numbers.length;
    this.#second = second;
    if (this.#seconds[slot] !== second) {
      this.#seconds[slot] = second;
      this.#values.fill(0, this.#at, this.#at + numbers.length);
    }
    return this.#at;
  }
}

/** The rates of all tables; of too many, those that were idle for the longest time are dropped. */
export class LiveRates {
  readonly #tables = new Map<string, TableRates>();

  of(account: string, region: string, table: string): TableRates {
    const id = `${account}/${region}/${table}`;
    let rates = this.#tables.get(id);
    if (rates === undefined) {
      if (this.#tables.size >= tablesMax) this.#dropIdle();
      rates = new TableRates(account, region, table);
      this.#tables.set(id, rates);
    }
    return rates;
  }

  all(): IterableIterator<TableRates> {
    return this.#tables.values();
  }

  #dropIdle(): void {
    const byUse = [...this.#tables].sort(([, a], [, b]) => a.lastSecond - b.lastSecond);
    for (const [id] of byUse.slice(0, tablesMax / 16)) this.#tables.delete(id);
  }
}
