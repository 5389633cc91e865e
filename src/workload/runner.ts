import { type Answer, type Done, isDone, type Page, type Request, type Round } from '../design/index.ts';
import { cancellationCodes, classOfError, type ErrorClass, sdkClassOf } from '../kit/error-class.ts';
import { defaultRetryMode, type RetryMode, sdkPolicies } from '../kit/sdk-policies.ts';
import { SdkRetries } from '../kit/sdk-retries.ts';
import type { Feed, Job, Started } from './feed.ts';
import { Seeded } from './seeded.ts';
import type { Timeline } from './timeline.ts';

/** How a call ended. */
export type Ending = 'answered' | 'gaveUp' | 'conditionFailed' | 'conflict' | 'failed';

/** Is told of what happens while a workload runs. */
export interface Watcher {
  sent?(pattern: string): void;
  throttled?(pattern: string, isRetried: boolean): void;
  /** `error` is what ended the call. */
  ended?(pattern: string, ending: Ending, tookMs: number, error: Error | undefined): void;
}

export interface RunOptions {
  readonly timeline: Timeline;
  readonly feed: Feed;
  /** Sends one request once; whoever gives it must not try again by itself. */
  readonly send: (request: Request, pattern: string) => Promise<unknown>;
  readonly seed: number;
  /** SDK clients that calls are spread over. */
  readonly clients?: number;
  readonly retry?: RetryMode;
  /** How often a client tries in all; as often as its mode does, unless given. */
  readonly attempts?: number;
  readonly watch?: Watcher;
  /**
   * How long a request takes in all, in milliseconds; at least as long as the database acts out. Nothing where the time is
   * real.
   */
  readonly latencyMs?: (request: Request, random: Seeded) => number;
  /** Calls under way at most; those that come above it are counted as dropped. */
  readonly inFlightMax?: number;
  readonly onCall?: (job: Job, started: Started) => void;
  readonly signal?: AbortSignal | undefined;
}

/** What became of the calls of one pattern. */
export interface PatternOutcome {
  readonly pattern: string;
  calls: number;
  answered: number;
  /** Calls for which there was nothing to ask: no instance in the state that the pattern changes. */
  idle: number;
  /** Calls whose condition did not hold: somebody else was faster. */
  conditionFailed: number;
  /** Calls that were given up because of throttling. */
  throttledCalls: number;
  failed: number;
  dropped: number;
  requests: number;
  /** Requests that were refused by throttling, retries included. */
  throttles: number;
  retries: number;
  roundTrips: number;
  items: number;
  pages: number;
  /** Errors other than the above, by name. */
  readonly errors: Map<string, number>;
  /** A sample of the times that calls took. */
  readonly latencies: number[];
  seen: number;
}

const latenciesKept = 5_000;

/** Runs a workload on a timeline and answers what became of it, by pattern. */
export async function runWorkload(options: RunOptions): Promise<Map<string, PatternOutcome>> {
  const runner = new Runner(options);
  await runner.run();
  return runner.outcomes;
}

class Runner {
  readonly outcomes = new Map<string, PatternOutcome>();
  readonly #options: RunOptions;
  readonly #clients: readonly SdkRetries[];
  readonly #random: Seeded;
  #turn = 0;
  #inFlight = 0;

  constructor(options: RunOptions) {
    const { clients = 8, retry = defaultRetryMode, seed } = options;
    const mode = sdkPolicies[retry];
    const policy = retry === 'none' ? mode : { ...mode, attemptsMax: options.attempts ?? mode.attemptsMax };
    this.#options = options;
    this.#random = new Seeded(seed, 'runner');
    this.#clients = Array.from({ length: clients }, (_, at) => {
      const random = new Seeded(seed, 'client', at);
      return new SdkRetries(policy, () => random.next());
    });
  }

  async run(): Promise<void> {
    this.#comeNext();
    await this.#options.timeline.finish(this.#options.signal);
  }

  #comeNext(): void {
    const { feed, timeline } = this.#options;
    const job = feed.next();
    if (job === undefined) return;
    timeline.schedule(job.atMs, () => {
      this.#comeNext();
      return this.#begin(job);
    });
  }

  #outcome(pattern: string): PatternOutcome {
    const known = this.outcomes.get(pattern);
    if (known !== undefined) return known;
    const fresh: PatternOutcome = {
      pattern,
      ...{ calls: 0, answered: 0, idle: 0, conditionFailed: 0, throttledCalls: 0, failed: 0, dropped: 0 },
      ...{ requests: 0, throttles: 0, retries: 0, roundTrips: 0, items: 0, pages: 0, seen: 0 },
      errors: new Map(),
      latencies: [],
    };
    this.outcomes.set(pattern, fresh);
    return fresh;
  }

  #begin(job: Job): void | Promise<void> {
    const outcome = this.#outcome(job.pattern);
    const { inFlightMax = 100_000, onCall, timeline } = this.#options;
    outcome.calls++;
    if (this.#inFlight >= inFlightMax) {
      outcome.dropped++;
      return;
    }
    const started = job.begin();
    if (started === undefined) {
      outcome.idle++;
      return;
    }
    onCall?.(job, started);
    this.#inFlight++;
    const client = this.#clients[this.#turn++ % this.#clients.length]!;
    return this.#round(new Running(outcome, started, client, timeline.nowMs()), started.round);
  }

  #round(call: Running, round: Round<unknown> | Done<unknown>): void | Promise<void> {
    if (isDone(round)) {
      this.#answered(call, round.result);
      return;
    }
    call.outcome.roundTrips++;
    call.round = round;
    call.answers = new Array(round.requests.length);
    call.open = round.requests.length;
    call.endMs = this.#options.timeline.nowMs();
    if (round.requests.length === 1) return this.#send(call, 0, 1);
    return this.#sendAll(call, round.requests.length);
  }

  async #sendAll(call: Running, count: number): Promise<void> {
    const sent: (void | Promise<void>)[] = [];
    for (let at = 0; at < count; at++) sent.push(this.#send(call, at, 1));
    await Promise.all(sent);
  }

  /** `lastError` is the class of the error after which this attempt is made. */
  #send(call: Running, at: number, attempts: number, lastError?: ErrorClass): void | Promise<void> {
    const { timeline } = this.#options;
    const waitMs = call.client.waitMs(timeline.nowMs());
    if (waitMs <= 0) return this.#attempt(call, at, attempts, lastError);
    timeline.schedule(timeline.nowMs() + waitMs, () => this.#attempt(call, at, attempts, lastError));
  }

  async #attempt(call: Running, at: number, attempts: number, lastError?: ErrorClass): Promise<void> {
    const { timeline, send, latencyMs } = this.#options;
    const { outcome, client } = call;
    const request = call.round!.requests[at]!;
    outcome.requests++;
    this.#options.watch?.sent?.(outcome.pattern);
    const sentMs = timeline.nowMs();
    let answer: Answer;
    try {
      answer = (await send(request, outcome.pattern)) as Answer;
    } catch (error) {
      const tookMs = latencyMs?.(request, this.#random) ?? 0;
      return this.#refused(call, at, attempts, error, Math.max(timeline.nowMs(), sentMs + tookMs));
    }
    const tookMs = latencyMs?.(request, this.#random) ?? 0;
    const endMs = Math.max(timeline.nowMs(), sentMs + tookMs);
    client.succeeded(timeline.nowMs(), lastError);
    call.answers[at] = answer;
    call.endMs = Math.max(call.endMs, endMs);
    if (--call.open > 0 || call.isOver) return;
    return this.#next(call);
  }

  /** All requests of a round are answered: the next one begins when the last of them has come back. */
  #next(call: Running): void | Promise<void> {
    const { timeline } = this.#options;
    const next = call.round!.next(call.answers);
    if (isDone(next)) {
      this.#answered(call, next.result);
      return;
    }
    if (call.endMs <= timeline.nowMs()) return this.#round(call, next);
    timeline.schedule(call.endMs, () => this.#round(call, next));
  }

  #refused(call: Running, at: number, attempts: number, error: unknown, nowMs: number): void | Promise<void> {
    const { timeline, watch } = this.#options;
    const { outcome, client } = call;
    let ending: Ending = 'failed';
    const kind = classOfError(error);
    const pauseMs = client.failed(timeline.nowMs(), sdkClassOf(error), attempts);
    const isRetried = pauseMs !== undefined && !call.isOver;
    if (kind === 'throttled') {
      outcome.throttles++;
      watch?.throttled?.(outcome.pattern, isRetried);
    }
    if (isRetried) {
      outcome.retries++;
      timeline.schedule(nowMs + pauseMs, () => this.#send(call, at, attempts + 1, kind));
      return;
    }
    if (kind === 'throttled') {
      if (!call.isOver) outcome.throttledCalls++;
      ending = 'gaveUp';
    } else if (!call.isOver) {
      if (isConditionFailure(error)) {
        outcome.conditionFailed++;
        ending = isConflict(error) ? 'conflict' : 'conditionFailed';
      } else {
        outcome.failed++;
        const name = (error as Error).name ?? 'Error';
        outcome.errors.set(name, (outcome.errors.get(name) ?? 0) + 1);
      }
    }
    call.open--;
    if (!call.isOver) {
      call.isOver = true;
      this.#inFlight--;
      this.#took(outcome, nowMs - call.startMs);
      watch?.ended?.(outcome.pattern, ending, nowMs - call.startMs, error as Error);
    }
  }

  #answered(call: Running, result: unknown): void {
    const { outcome, started, startMs, endMs } = call;
    outcome.answered++;
    call.isOver = true;
    this.#inFlight--;
    const count = (result as Partial<Page> | undefined)?.count;
    if (count !== undefined) {
      outcome.items += count;
      outcome.pages++;
    }
    this.#took(outcome, endMs - startMs);
    this.#options.watch?.ended?.(outcome.pattern, 'answered', endMs - startMs, undefined);
    const following = started.done?.(result);
    if (following !== undefined)
      this.#options.timeline.schedule(following.atMs, () => this.#begin(following));
  }

  /** Keeps an even sample of all times. */
  #took(outcome: PatternOutcome, ms: number): void {
    outcome.seen++;
    if (outcome.latencies.length < latenciesKept) outcome.latencies.push(ms);
    else {
      const at = this.#random.below(outcome.seen);
      if (at < latenciesKept) outcome.latencies[at] = ms;
    }
  }
}

/** A call under way. */
class Running {
  readonly outcome: PatternOutcome;
  readonly started: Started;
  readonly client: SdkRetries;
  readonly startMs: number;
  round: Round<unknown> | undefined;
  answers: Answer[] = [];
  open = 0;
  endMs = 0;
  isOver = false;

  constructor(outcome: PatternOutcome, started: Started, client: SdkRetries, startMs: number) {
    this.outcome = outcome;
    this.started = started;
    this.client = client;
    this.startMs = startMs;
    this.endMs = startMs;
  }
}

interface Refused {
  readonly name?: string;
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
}

export function isConditionFailure(error: unknown): boolean {
  const { name, CancellationReasons } = error as Refused;
  return (
    name === 'ConditionalCheckFailedException' ||
    isConflict(error) ||
    CancellationReasons?.some(({ Code }) => Code === 'ConditionalCheckFailed') === true
  );
}

/** Whether a call met a transaction that was under way. */
function isConflict(error: unknown): boolean {
  return classOfError(error) === 'conflict' || cancellationCodes(error).includes('TransactionConflict');
}

/** The time at which so many of a hundred calls were done. */
export function percentile(latencies: readonly number[], share: number): number {
  if (latencies.length === 0) return 0;
  const sorted = [...latencies].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}
