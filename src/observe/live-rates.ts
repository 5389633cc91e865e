import { leastUsedOfLargest } from './fair-drop.ts';

/** How many seconds are kept of each table. */
const liveSeconds = 300;
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

  /** Adds what somebody else has counted. */
  add({ second, ...counted }: LiveSecond): void {
    const at = this.#slot(second);
    for (const [n, name] of numbers.entries()) this.#values[at + n]! += counted[name];
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

/** The rates of all tables; of too many, the account with the most loses those that were idle for the longest time. */
export class LiveRates {
  readonly #own = new TablesRates();
  /** What the other processes of a server tell, apart from what this one tells them. */
  readonly #others = new TablesRates();
  /** Each other process's latest second that it has told whole. */
  readonly #told = new Map<number, number>();

  of(account: string, region: string, table: string): TableRates {
    return this.#own.of(account, region, table);
  }

  /** The tables that this process or another one has seen. */
  tables(): readonly TableName[] {
    const ids = new Map([...this.#own.all(), ...this.#others.all()]);
    return [...ids.values()].map(({ table, region, account }) => ({ table, region, account }));
  }

  /** The seconds of a table from `from` up to but not including `to`, in all processes of this server, oldest first. */
  read({ table, region, account }: TableName, from: number, to: number): LiveSecond[] {
    const id = idOf(account, region, table);
    const parts = [this.#own, this.#others].flatMap((rates) => rates.get(id)?.read(from, to) ?? []);
    const sums = new Map<number, Record<LiveNumber, number> & { second: number }>();
    for (const part of parts) {
      const sum = sums.get(part.second);
      if (sum === undefined) sums.set(part.second, { ...part });
      else for (const name of numbers) sum[name] += part[name];
    }
    return [...sums.values()].sort((a, b) => a.second - b.second);
  }

  /** What this process alone counted in a second. */
  share(second: number): SharedSecond {
    const tables = [...this.#own.all()].flatMap(([, each]) => {
      if (each.lastSecond < second) return [];
      const { table, region, account } = each;
      return each.read(second, second + 1).map((counted) => ({ table, region, account, counted }));
    });
    return { second, tables };
  }

  /** Takes in what another process has shared, which tells every second once and in order. */
  take(process: number, { second, tables }: SharedSecond): void {
    for (const { account, region, table, counted } of tables)
      this.#others.of(account, region, table).add(counted);
    this.#told.set(process, second);
  }

  /**
   * The first second that is not whole yet: the current one, or one that another process has still to tell. A process
   * that has been silent for a while is not waited for.
   */
  openSecond(now: number): number {
    let open = now;
    for (const told of this.#told.values())
      if (told < now && now - told <= patienceSeconds) open = Math.min(open, told + 1);
    return open;
  }
}

export interface TableName {
  readonly table: string;
  readonly region: string;
  readonly account: string;
}

/** A second of one process, for the others. */
export interface SharedSecond {
  readonly second: number;
  readonly tables: readonly (TableName & { readonly counted: LiveSecond })[];
}

const patienceSeconds = 10;

class TablesRates {
  readonly #tables = new Map<string, TableRates>();

  of(account: string, region: string, table: string): TableRates {
    const id = idOf(account, region, table);
    let rates = this.#tables.get(id);
    if (rates === undefined) {
      if (this.#tables.size >= tablesMax) this.#dropIdle();
      rates = new TableRates(account, region, table);
      this.#tables.set(id, rates);
    }
    return rates;
  }

  get(id: string): TableRates | undefined {
    return this.#tables.get(id);
  }

  all(): IterableIterator<[string, TableRates]> {
    return this.#tables.entries();
  }

  #dropIdle(): void {
    const dropped = leastUsedOfLargest(
      this.#tables,
      tablesMax / 16,
      ([, { account }]) => account,
      ([, { lastSecond }]) => lastSecond,
    );
    for (const [id] of dropped) this.#tables.delete(id);
  }
}

function idOf(account: string, region: string, table: string): string {
  return `${account}/${region}/${table}`;
}
