import { type CompiledDesign, createTableRequests, type Request, type Values } from '../design/index.ts';
import { Stator } from '../index.ts';
import type { RetryMode } from '../kit/sdk-policies.ts';
import { SimulatedClock } from '../runtime/clock.ts';
import type { VirtualRuntime } from '../runtime/virtual-runtime.ts';
import type { Feed, Job, Started } from './feed.ts';
import { Meter, type Second } from './meter.ts';
import type { Population } from './population.ts';
import { type PatternOutcome, runWorkload } from './runner.ts';
import type { Seeded } from './seeded.ts';
import { storedInstances } from './stored-instances.ts';
import { VirtualTimeline } from './timeline.ts';

/** Units a second that a table or index is ready for; by `orders` or `orders/GSI1`. */
export type WarmThroughput = ReadonlyMap<string, { readonly read: number; readonly write: number }>;

/** The least that the service takes as warm throughput. */
const warmLeast = { read: 12_000, write: 4_000 };

export interface SimulationOptions {
  readonly seed: number;
  readonly startMs: number;
  readonly physics?: 'off' | 'shadow' | 'enforce';
  readonly warm?: WarmThroughput;
}

/** A database in memory whose time is moved by a simulation, with the tables of a design. */
export class Simulation {
  readonly db: Stator;
  readonly clock: SimulatedClock;
  readonly meter = new Meter();
  readonly compiled: CompiledDesign;
  readonly #options: SimulationOptions;
  readonly #methods: Record<string, (input: object) => Promise<unknown>>;

  private constructor(compiled: CompiledDesign, options: SimulationOptions) {
    this.compiled = compiled;
    this.#options = options;
    this.clock = new SimulatedClock(options.startMs);
    this.db = Stator.inMemory({
      clock: this.clock,
      seed: options.seed,
      physics: 'off',
      observer: this.meter,
    });
    this.#methods = this.db as unknown as Record<string, (input: object) => Promise<unknown>>;
  }

  static async open(compiled: CompiledDesign, options: SimulationOptions): Promise<Simulation> {
    const simulation = new Simulation(compiled, options);
    await simulation.#createTables();
    return simulation;
  }

  async #createTables(): Promise<void> {
    const { model, design } = this.compiled;
    for (const request of createTableRequests(model, design)) {
      const warm = (arm: string) => {
        const { read = 0, write = 0 } = this.#options.warm?.get(arm) ?? {};
        return {
          ReadUnitsPerSecond: Math.max(warmLeast.read, Math.ceil(read)),
          WriteUnitsPerSecond: Math.max(warmLeast.write, Math.ceil(write)),
        };
      };
      const table = request.TableName;
      const { ProvisionedThroughput: _, GlobalSecondaryIndexes: globals, ...rest } = request;
      await this.db.createTable({
        ...rest,
        BillingMode: 'PAY_PER_REQUEST',
        WarmThroughput: warm(table),
        ...(globals === undefined
          ? {}
          : {
              GlobalSecondaryIndexes: globals.map(({ ProvisionedThroughput: __, ...index }) => ({
                ...index,
                WarmThroughput: warm(`${table}/${index.IndexName}`),
              })),
            }),
      } as never);
    }
  }

  /** Puts the items of instances. What is loaded is no traffic: nothing of it is judged or counted. */
  async load(instances: Iterable<readonly [entity: string, values: Values]>): Promise<number> {
    let count = 0;
    for (const [entity, values] of instances) {
      const { table, items } = this.compiled.itemsOf(entity, values);
      for (const Item of items) {
        await this.db.putItem({ TableName: table, Item: Item as never });
        count++;
      }
    }
    return count;
  }

  async loadAll(population: Population): Promise<number> {
    return this.load(storedInstances(this.compiled, population));
  }

  /** Sends a request by the fastest door. */
  readonly send = (request: Request, pattern: string): Promise<unknown> => {
    this.meter.pattern = pattern;
    return this.#methods[methodNames[request.operation]]!(request.input);
  };

  /** Runs a feed in simulated time, under the physics that the simulation was opened with. */
  async run(options: {
    readonly feed: Feed;
    readonly clients?: number;
    readonly retry?: RetryMode;
    readonly onCall?: (job: Job, started: Started) => void;
    readonly signal?: AbortSignal | undefined;
  }): Promise<{ readonly outcomes: Map<string, PatternOutcome>; readonly seconds: readonly Second[] }> {
    const { seed, physics = 'enforce' } = this.#options;
    this.db.engine.capacity.modes.setServer({ mode: physics, effects: simulatedEffects });
    this.meter.start(this.db);
    const outcomes = await runWorkload({
      ...options,
      seed,
      timeline: new VirtualTimeline(this.db.engine.runtime as VirtualRuntime),
      send: this.send,
      latencyMs: simulatedLatency,
    });
    this.meter.stop();
    return { outcomes, seconds: this.meter.seconds };
  }

  close(): Promise<void> {
    return this.db.close();
  }
}

/** Effects that are acted out by waiting have no place where time jumps. */
const simulatedEffects = {
  staleReads: false,
  indexLag: false,
  transactionConflicts: false,
  timeToLiveDelay: false,
  controlPlanePhases: false,
};

const methodNames = {
  GetItem: 'getItem',
  BatchGetItem: 'batchGetItem',
  Query: 'query',
  PutItem: 'putItem',
  UpdateItem: 'updateItem',
  DeleteItem: 'deleteItem',
  TransactWriteItems: 'transactWriteItems',
} as const;

/** Single-digit milliseconds, as the service promises; transactions take two rounds inside of it. */
export function simulatedLatency({ operation }: Request, random: Seeded): number {
  const base =
    operation === 'TransactWriteItems' ? 8 : operation === 'Query' || operation === 'BatchGetItem' ? 4 : 2.5;
  return base * (0.7 + random.next() * 0.6);
}
