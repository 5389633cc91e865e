import { type App, client } from '../../src/client/index.ts';
import {
  compile,
  createTableRequests,
  type ItemJson,
  type MigrationPlan,
  type Model,
  type ModelTypes,
  planMigration,
  type Values,
} from '../../src/design/index.ts';
import { Stator } from '../../src/index.ts';
import {
  Migration,
  type MigrationCalls,
  type MigrationOperation,
  type MigrationOptions,
  sdkCalls,
} from '../../src/migrate/index.ts';
import { seededRandom } from '../seeded-random.ts';
import type { first } from './tracking-models.ts';

type FirstApp = App<NonNullable<(typeof first)['types']>>;

/** The runner's process ends here. */
export class Killed extends Error {}

/** Before which call of the runner it dies, and whether the service still gets that call. */
export interface Death {
  readonly at: number;
  readonly reaches: boolean;
}

const refreshMs = 5_000;

/**
 * A database, two programs that write and read all the time, and runners of a migration that die where they are told to.
 * Time passes only where somebody waits. Each program learns of a phase in its own time.
 */
export class SimulatedMigration implements AsyncDisposable {
  readonly plan: MigrationPlan;
  readonly db: Stator;
  readonly #random: () => number;
  readonly #programs: Program[];
  /** All shipments and events that there should be. */
  readonly shipments = new Map<string, Values>();
  readonly events = new Map<string, Values>();
  readonly troubles: string[] = [];
  nowMs = Date.UTC(2026, 10, 18);
  calls = 0;
  /** Calls of the runner that wrote items other than its own records. */
  writes = 0;
  #death: Death | undefined;
  #isDead = false;
  /** Answers an operation with an error instead of doing it. */
  refuse: ((operation: MigrationOperation, input: object) => Error | undefined) | undefined;

  static async begin(from: Model, to: Model, seed: number, items = 40): Promise<SimulatedMigration> {
    const db = Stator.inMemory({ physics: 'off', seed });
    const plan = planMigration({ model: from }, { model: to });
    for (const request of createTableRequests(from, plan.from.design)) await db.createTable(request as never);
    const simulated = new SimulatedMigration(db, plan, to, seed);
    const old = compile(from, plan.from.design);
    for (let n = 0; n < items; n++) {
      const [shipment, event] = [simulated.shipment(n), simulated.event(n)];
      for (const [entity, values] of [
        ['Shipment', shipment],
        ['Event', event],
      ] as const)
        for (const Item of old.itemsOf(entity, values).items)
          await db.putItem({ TableName: 'tracking', Item: Item as never });
      simulated.shipments.set(shipment.shipmentId as string, shipment);
      simulated.events.set(event.eventId as string, event);
    }
    return simulated;
  }

  private constructor(db: Stator, plan: MigrationPlan, to: Model, seed: number) {
    this.db = db;
    this.plan = plan;
    const random = seededRandom(seed);
    this.#random = () => random.next();
    this.#programs = [0, 1].map((which) => new Program(this, to, which, seed));
  }

  shipment(n: number): Values {
    return {
      shipmentId: `S${n}`,
      createdAt: new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString(),
      ...{ customer: `C${n % 7}`, code: `K${n}`, status: n % 3 === 0 ? 'OPEN' : 'CLOSED', total: n },
    };
  }

  event(n: number): Values {
    const at = new Date(Date.UTC(2026, 0, 2) + n * 1_000).toISOString();
    return { shipmentId: `S${n % 3}`, eventId: `E${n}`, at, place: 'Hall' };
  }

  /** A runner of its own, as another process would be. */
  runner(death?: Death, options: Partial<MigrationOptions> = {}): Migration {
    this.#death = death;
    this.#isDead = false;
    this.calls = 0;
    const sdk = sdkCalls(this.db.client() as never);
    const calls: MigrationCalls = {
      call: async <Answer>(operation: MigrationOperation, input: object): Promise<Answer> => {
        if (this.#isDead) throw new Killed();
        const dies = this.#death !== undefined && ++this.calls >= this.#death.at;
        if (dies) this.#isDead = true;
        if (dies && !this.#death!.reaches) throw new Killed();
        await this.#step();
        const refused = this.refuse?.(operation, input);
        if (refused !== undefined) throw refused;
        const answer = await sdk.call<Answer>(operation, input);
        if (this.#isDead) throw new Killed();
        if (
          /^(UpdateItem|TransactWriteItems)$/.test(operation) &&
          !JSON.stringify(input).includes('_stator#')
        )
          this.writes++;
        return answer;
      },
    };
    return new Migration(this.plan, {
      calls,
      surroundings: {
        now: () => this.nowMs,
        wait: async (ms) => {
          this.nowMs += ms;
          // Work in the background of the database is not on this clock.
          await new Promise<void>((resolve) => setTimeout(resolve, 1));
          await this.#step();
        },
        random: this.#random,
      },
      owner: `runner ${this.#random()}`,
      isGone: () => true,
      signal: new AbortController().signal,
      ...{ readRate: 1e5, writeRate: 1e5, segments: 3, width: 4, samples: 10 },
      ...{ settleMs: 2 * refreshMs + 1_000, pollMs: 5 },
      ...options,
    });
  }

  /** Runs until somebody says that it is done; a dead runner is followed by the next. */
  async survive(run: (runner: Migration) => Promise<unknown>, deaths: readonly Death[]): Promise<number> {
    let died = 0;
    for (const death of deaths) {
      try {
        await run(this.runner(death));
        return died;
      } catch (error) {
        if (!this.#isDead) throw error;
        died++;
      }
    }
    await run(this.runner());
    return died;
  }

  async #step(): Promise<void> {
    this.nowMs += 37;
    for (const program of this.#programs) if (this.#random() < 0.35) await program.step();
  }

  /** Waits for what the programs have begun. */
  async rest(): Promise<void> {
    for (const program of this.#programs) await program.rest();
  }

  /** What the table should hold by one of the two designs, and what it does hold. */
  async compare(version: 'from' | 'to'): Promise<{ readonly wanted: string[]; readonly found: string[] }> {
    await this.rest();
    const compiled = compile(this.plan[version].model, this.plan[version].design);
    const wanted: string[] = [];
    for (const [entity, all] of [
      ['Shipment', this.shipments],
      ['Event', this.events],
    ] as const)
      for (const values of all.values())
        for (const item of compiled.itemsOf(entity, values).items) wanted.push(shown(item));
    const { Items = [] } = await this.db.scan({ TableName: 'tracking', ConsistentRead: true });
    const items = (Items as unknown as ItemJson[]).filter(
      ({ PK }) => !(PK !== undefined && 'S' in PK && PK.S.startsWith('_stator#')),
    );
    return { wanted: wanted.sort(), found: items.map(shown).sort() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rest();
    await this.db.close();
  }
}

function shown(item: ItemJson): string {
  return JSON.stringify(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A program that writes its own shipments, and reads what it wrote. */
class Program {
  readonly #world: SimulatedMigration;
  readonly #app: FirstApp;
  readonly #random: () => number;
  readonly #which: number;
  #next: number;
  #running: Promise<void> = Promise.resolve();

  constructor(world: SimulatedMigration, model: Model, which: number, seed: number) {
    this.#world = world;
    this.#which = which;
    const random = seededRandom(seed * 31 + which);
    this.#random = () => random.next();
    this.#next = 1_000 + which;
    this.#app = client<ModelTypes>(model, {
      client: world.db.client(),
      migration: { plan: world.plan, refreshMs },
      now: () => world.nowMs,
      wait: async () => {},
    }) as unknown as FirstApp;
  }

  /** Begins the next call when the one before has ended; the runner does not wait for it. */
  async step(): Promise<void> {
    const before = this.#running;
    this.#running = before.then(() => this.#act());
    if (this.#random() < 0.6) await this.#running;
  }

  rest(): Promise<void> {
    return this.#running;
  }

  async #act(): Promise<void> {
    try {
      await this.#call();
    } catch (error) {
      this.#world.troubles.push(String(error));
    }
  }

  async #call(): Promise<void> {
    const { shipments, events } = this.#world;
    const { patterns } = this.#app;
    const mine = [...shipments.keys()].filter((id) => Number(id.slice(1)) % 2 === this.#which);
    const some = mine[Math.floor(this.#random() * mine.length)];
    switch (Math.floor(this.#random() * 7)) {
      case 0: {
        const values = this.#world.shipment(this.#next);
        this.#next += 2;
        await patterns.register(values as never);
        shipments.set(values.shipmentId as string, values);
        return;
      }
      case 1: {
        if (some === undefined) return;
        const values = shipments.get(some)!;
        const changed = { status: this.#random() < 0.5 ? 'OPEN' : 'CLOSED', total: this.#next } as const;
        const { shipmentId, createdAt } = values as {
          readonly shipmentId: string;
          readonly createdAt: string;
        };
        await patterns.close({ shipmentId, createdAt, ...changed });
        shipments.set(some, { ...values, ...changed });
        return;
      }
      case 2: {
        if (some === undefined || mine.length < 10) return;
        await patterns.forget({ shipmentId: some });
        shipments.delete(some);
        return;
      }
      case 3: {
        const values = this.#world.event(this.#next);
        this.#next += 2;
        await patterns.scan(values as never);
        events.set(values.eventId as string, values);
        return;
      }
      case 4: {
        const own = [...events.values()].filter(
          ({ eventId }) => Number(String(eventId).slice(1)) % 2 === this.#which,
        );
        const event = own[Math.floor(this.#random() * own.length)];
        if (event === undefined || own.length < 10) return;
        await this.#app.entities.Event.delete(event as never);
        events.delete(event.eventId as string);
        return;
      }
      case 5: {
        if (some === undefined) return;
        const found = await patterns.shipmentById({ shipmentId: some });
        if (found?.total !== shipments.get(some)!.total) throw new Error(`${some} reads ${found?.total}`);
        return;
      }
      default: {
        const of = `S${Math.floor(this.#random() * 3)}`;
        const wanted = [...events.values()]
          .filter(({ shipmentId }) => shipmentId === of)
          .map(({ eventId }) => eventId);
        const found = (await patterns.history({ shipmentId: of }).all()).map(({ eventId }) => eventId);
        const known = (id: unknown) => events.has(id as string);
        const missed = wanted.filter(known).filter((id) => !found.includes(id as string));
        if (missed.length > 0 || new Set(found).size !== found.length)
          throw new Error(
            `history of ${of} misses ${missed.join()} of ${wanted.length}, has ${found.length}`,
          );
      }
    }
  }
}
