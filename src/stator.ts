import { hash, randomFillSync } from 'node:crypto';
import { dynamoDbService } from './dynamodb-service.ts';
import { type Clock, nowMs } from './engine/clock.ts';
import { Engine } from './engine/engine.ts';
import { type Randomness, seededRandomness } from './engine/randomness.ts';
import { openStore, type StoreChoice } from './open-store.ts';
import { type ListenOptions, type StatorServer, serve } from './server.ts';
import { MemoryStore } from './storage/memory/memory-store.ts';
import type { Store } from './storage/store.ts';
import { openDoor } from './wire/authenticate.ts';
import type { CredentialLookup } from './wire/credentials.ts';
import { RequestHandler } from './wire/request-handler.ts';
import { pooledRandom } from './wire/request-id.ts';

export interface StatorOptions {
  /** Where the data is kept; in memory unless said otherwise. */
  readonly store?: StoreChoice;
  /** The time; a `VirtualClock` lets a test move it. */
  readonly clock?: Clock;
  /** Makes ids and delays repeatable; together with memory and a virtual clock, the whole run. */
  readonly seed?: number;
  /** `shadow` (default): everything happens at once. `enforce`: as slowly, and as busily, as on the service. */
  readonly physics?: 'shadow' | 'enforce';
  /** The Region of callers that name none. */
  readonly region?: string;
  /** Takes lines for the person who runs this; by default they go nowhere. */
  readonly log?: (line: string) => void;
}

/** A database: one Store with an engine on it, and the doors to it. */
export class Stator {
  readonly region: string;
  readonly engine: Engine;
  readonly #store: Store;
  readonly #options: StatorOptions;
  readonly #servers: StatorServer[] = [];
  #handler: RequestHandler | undefined;

  private constructor(store: Store, clock: Clock, random: Randomness, options: StatorOptions) {
    this.#store = store;
    this.#options = options;
    this.region = options.region ?? 'us-east-1';
    this.engine = new Engine({
      store,
      clock,
      random,
      h16,
      physics: options.physics ?? 'shadow',
      log: options.log ?? (() => {}),
    });
  }

  static async open(options: StatorOptions = {}): Promise<Stator> {
    const clock = options.clock ?? systemClock;
    const store = await openStore(options.store ?? 'memory', () => clock.nowMicros());
    const db = new Stator(store, clock, randomnessOf(options.seed), options);
    // What a process that was killed in the middle of a DeleteTable has left behind.
    db.engine.removeDropped();
    return db;
  }

  /**
   * A copy of the whole database, in constant time; the two never see each other's changes. Only for databases in
   * memory. With a seed, the copy's ids and delays follow from the seed given here.
   */
  fork(options: { readonly clock?: Clock; readonly seed?: number } = {}): Stator {
    if (!(this.#store instanceof MemoryStore))
      throw new Error('Only a database in memory can be forked: open it with { store: "memory" }');
    const merged = { ...this.#options, ...options };
    return new Stator(
      this.#store.fork(),
      merged.clock ?? this.engine.clock,
      randomnessOf(merged.seed),
      merged,
    );
  }

  /** The in-process door for whole requests: what an HTTP client sends, without a socket. */
  get requests(): RequestHandler {
    this.#handler ??= new RequestHandler({
      services: [dynamoDbService(() => this.engine)],
      authenticate: openDoor(noCredentials),
      random: pooledRandom(randomFillSync),
      region: this.region,
      log: this.#options.log ?? (() => {}),
    });
    return this.#handler;
  }

  /** Serves this database over HTTP. The server is closed with the database, or by itself before. */
  async listen(options: ListenOptions = {}): Promise<StatorServer> {
    const server = await serve(
      {
        engineOf: () => this.engine,
        region: this.region,
        nowMs: () => nowMs(this.engine.clock),
        log: this.#options.log ?? (() => {}),
      },
      options,
    );
    this.#servers.push(server);
    return server;
  }

  /** Closes the servers, ends what goes on in the background, and closes the Store. */
  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
    await this.engine.close();
    await this.#store.close();
  }
}

const noCredentials: CredentialLookup = () => undefined;

const systemClock: Clock = { nowMicros: () => Date.now() * 1000 };

function randomnessOf(seed: number | undefined): Randomness {
  if (seed !== undefined) return seededRandomness(seed);
  const draw = pooledRandom(randomFillSync);
  return { next: () => draw() / 2 ** 32 };
}

/** SHA-256 cut to 128 bits. */
function h16(bytes: Uint8Array): Uint8Array {
  return hash('sha256', bytes, 'buffer').subarray(0, 16);
}
