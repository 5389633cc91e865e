import { AsyncLocalStorage } from 'node:async_hooks';
import type { MaybePromise, Store } from '../../src/storage/store.ts';
import { seededRandom } from '../seeded-random.ts';
import { type Call, InterceptedStore } from './intercepted-store.ts';

/**
 * Lets concurrent clients of a store go on one call at a time, in an order somebody else chooses.
 *
 * Every call made during `run` is parked. When nothing more can happen by itself (all clients are parked, ended, or
 * wait for one another), one parked call is chosen and let through; its answer brings its client to its next call.
 * With a store that answers from memory the choices determine everything that happens, so a seed, or a list of
 * choices, replays a run exactly. Clients must wait for nothing but the store and each other: no timers, no I/O.
 *
 * What stands above the store may keep state of its own, such as a cache, and then it matters what happened between
 * the moment a call took effect and the moment its caller learned of it. With `answersLater` that moment is chosen
 * too: the answer is parked as the call was.
 */
export class Scheduler {
  /** What was let through so far, such as `left get` or, with `answersLater`, `left get answered`. */
  readonly trace: string[] = [];
  readonly #choose: Choose;
  readonly #answersLater: boolean;
  readonly #client = new AsyncLocalStorage<string>();
  readonly #parked: Parked[] = [];
  #running = false;

  constructor(choose: Choose, { answersLater = false }: SchedulerOptions = {}) {
    this.#choose = choose;
    this.#answersLater = answersLater;
  }

  /** A store whose calls this scheduler orders. Outside `run`, to prepare and to check, calls pass at once. */
  store(inner: Store): Store {
    return new ScheduledStore(inner, (call, run) => this.#pass(call, run));
  }

  /** Runs clients to their ends and answers what they returned; a client's error is thrown after all have ended. */
  async run<T>(clients: Readonly<Record<string, () => Promise<T>>>): Promise<T[]> {
    this.#running = true;
    const waiting = new Set(Object.keys(clients));
    const ends = Object.entries(clients).map(([name, client]) =>
      this.#client.run(name, client).finally(() => waiting.delete(name)),
    );
    const settled = Promise.allSettled(ends);
    try {
      for (;;) {
        await quiet();
        if (this.#parked.length > 0) await this.#letOneThrough();
        else if (waiting.size === 0) break;
        else throw new Error(`No call is left that could wake ${[...waiting].join(', ')}: they wait forever`);
      }
    } finally {
      this.#running = false;
    }
    await settled;
    return Promise.all(ends);
  }

  #pass<T>(call: Call, run: () => MaybePromise<T>): MaybePromise<T> {
    if (!this.#running) return run();
    const name = `${this.#client.getStore() ?? 'background'} ${call.method}`;
    return new Promise<T>((resolve, reject) => {
      const act = async () => {
        let answer: () => void;
        try {
          const result = await run();
          answer = () => resolve(result);
        } catch (error) {
          answer = () => reject(error);
        }
        if (this.#answersLater) this.#parked.push({ name: `${name} answered`, act: async () => answer() });
        else answer();
      };
      this.#parked.push({ name, act });
    });
  }

  async #letOneThrough(): Promise<void> {
    const [parked] = this.#parked.splice(this.#choose(this.#parked.length), 1);
    this.trace.push(parked!.name);
    await parked!.act();
  }
}

export interface SchedulerOptions {
  readonly answersLater?: boolean;
}

/** Chooses one of `count` parked calls, which stand in the order in which they arrived. */
export type Choose = (count: number) => number;

/** Prepares a store, runs clients on it under the scheduler, and throws when what they left behind is wrong. */
export type Scenario = (scheduler: Scheduler) => Promise<void>;

interface Parked {
  readonly name: string;
  readonly act: () => Promise<void>;
}

class ScheduledStore extends InterceptedStore {
  readonly #pass: <T>(call: Call, run: () => MaybePromise<T>) => MaybePromise<T>;

  constructor(inner: Store, pass: <T>(call: Call, run: () => MaybePromise<T>) => MaybePromise<T>) {
    super(inner);
    this.#pass = pass;
  }

  protected override intercept<T>(call: Call, run: () => MaybePromise<T>): MaybePromise<T> {
    return this.#pass(call, run);
  }
}

/** Runs a scenario in the order that a seed gives and answers the order. A failure names the seed to run again. */
export async function runSeed(
  scenario: Scenario,
  seed: number,
  options?: SchedulerOptions,
): Promise<readonly string[]> {
  const random = seededRandom(seed);
  return runOrder(scenario, (count) => random.below(count), `seed ${seed}`, options);
}

/** Runs a scenario in the order of a list of choices, as a failure of `runEveryOrder` names it. */
export async function runChoices(
  scenario: Scenario,
  choices: readonly number[],
  options?: SchedulerOptions,
): Promise<readonly string[]> {
  let step = 0;
  return runOrder(scenario, () => choices[step++] ?? 0, `choices ${choices.join(' ')}`, options);
}

/**
 * Runs a scenario in every order there is and answers all orders. Their number grows fast: three clients with two
 * calls each have 90, with three calls each 1,680.
 */
export async function runEveryOrder(
  scenario: Scenario,
  { ordersMax = 10_000, ...options }: SchedulerOptions & { readonly ordersMax?: number } = {},
): Promise<(readonly string[])[]> {
  const orders: (readonly string[])[] = [];
  for (let prefix: number[] | undefined = []; prefix !== undefined; ) {
    if (orders.length === ordersMax) throw new Error(`The scenario has more than ${ordersMax} orders`);
    const taken: { choice: number; count: number }[] = [];
    const given: readonly number[] = prefix;
    const choose = (count: number) => {
      const choice = given[taken.length] ?? 0;
      taken.push({ choice, count });
      return choice;
    };
    orders.push(await runOrder(scenario, choose, () => `choices ${choicesOf(taken)}`, options));
    prefix = nextPrefix(taken);
  }
  return orders;
}

async function runOrder(
  scenario: Scenario,
  choose: Choose,
  name: string | (() => string),
  options?: SchedulerOptions,
): Promise<readonly string[]> {
  const scheduler = new Scheduler(choose, options);
  try {
    await scenario(scheduler);
  } catch (cause) {
    const order = typeof name === 'string' ? name : name();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Wrong under ${order} (${scheduler.trace.join(', ')}): ${reason}`, { cause });
  }
  return scheduler.trace;
}

/** Depth first: the last choice that has an alternative takes it, and what came after starts anew. */
function nextPrefix(taken: readonly { choice: number; count: number }[]): number[] | undefined {
  const last = taken.findLastIndex(({ choice, count }) => choice + 1 < count);
  if (last < 0) return undefined;
  return [...taken.slice(0, last).map(({ choice }) => choice), taken[last]!.choice + 1];
}

function choicesOf(taken: readonly { choice: number }[]): string {
  return taken.map(({ choice }) => choice).join(' ');
}

/** One turn of the event loop: every promise that can be settled by now has woken whoever waited for it. */
function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
