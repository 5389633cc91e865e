import type { Stator, StatorOptions } from '../index.ts';

type Observer = NonNullable<StatorOptions['observer']>;
type RequestEvent = Parameters<NonNullable<Observer['request']>>[0];

/** Units consumed by one pattern on one table or index. */
export interface ArmUnits {
  /** `orders` or `orders/GSI1`. */
  readonly arm: string;
  read: number;
  write: number;
}

/** What happened within one second. */
export interface Second {
  readonly second: number;
  requests: number;
  throttles: number;
  readonly arms: Map<string, ArmUnits>;
}

/** Adds up what a database charges, by pattern and by second. It is the database's observer. */
export class Meter implements Observer {
  readonly patterns = new Map<string, Map<string, ArmUnits>>();
  readonly seconds: Second[] = [];
  /** The pattern whose request is on its way. */
  pattern: string | undefined;
  #startMs = 0;
  #db: Stator | undefined;
  #at: Second | undefined;

  start(db: Stator): void {
    this.#db = db;
    this.#startMs = db.nowMs();
  }

  stop(): void {
    this.#db = undefined;
  }

  request(event: RequestEvent): void {
    const { charges, outcome } = event;
    if (this.#db === undefined || this.pattern === undefined) return;
    const second = this.#second();
    second.requests++;
    if (outcome.kind === 'refused' && /Throttl|ThroughputExceeded|RequestLimit/.test(shown(outcome.error)))
      second.throttles++;
    let own = this.patterns.get(this.pattern);
    if (own === undefined) {
      own = new Map();
      this.patterns.set(this.pattern, own);
    }
    for (const { table, access, consumed } of charges) {
      const name = table.record.description.tableName;
      add(own, second, name, access, consumed.table);
      // A local index has no throughput of its own, but is told apart all the same.
      for (const index of consumed.indexes) add(own, second, `${name}/${index.name}`, access, index.units);
    }
  }

  #second(): Second {
    const at = Math.floor((this.#db!.nowMs() - this.#startMs) / 1000);
    if (this.#at?.second === at) return this.#at;
    while (this.seconds.length <= at)
      this.seconds.push({ second: this.seconds.length, requests: 0, throttles: 0, arms: new Map() });
    this.#at = this.seconds[at]!;
    return this.#at;
  }
}

function add(
  own: Map<string, ArmUnits>,
  second: Second,
  arm: string,
  access: 'read' | 'write',
  units: number,
): void {
  if (units === 0) return;
  for (const arms of [own, second.arms]) {
    const known = arms.get(arm);
    if (known !== undefined) known[access] += units;
    else arms.set(arm, { arm, read: 0, write: 0, [access]: units });
  }
}

function shown(error: { readonly name: string; readonly fields?: unknown }): string {
  return error.fields === undefined ? error.name : `${error.name} ${JSON.stringify(error.fields)}`;
}
