import type { Request } from '../design/index.ts';
import { count } from '../report/figures.ts';
import { runWorkload, type Watcher } from '../workload/runner.ts';
import { simulatedLatency } from '../workload/simulate.ts';
import { VirtualTimeline } from '../workload/timeline.ts';
import type { LabRequest } from './actions.ts';
import { intervalSeconds } from './interval.ts';
import { LabDatabase } from './lab-database.ts';
import type { LabMeter } from './lab-meter.ts';
import type { RunReport } from './lab-report.ts';
import type { LabSource } from './lab-source.ts';
import { Moments } from './moments.ts';
import { reportRun } from './report-run.ts';
import { Sampler } from './sampler.ts';

/** A request of a run, and what became of it: for whoever compares runs. */
export interface SentRequest {
  /** Requests are numbered as they are sent, and told of as they end. */
  readonly number: number;
  readonly atMs: number;
  readonly pattern: string;
  readonly request: LabRequest;
  readonly answer: unknown;
  readonly error: Error | undefined;
}

export interface LabRunOptions {
  readonly seed: number;
  readonly scale: number;
  readonly physics?: 'off' | 'enforce';
  /** How much of the simulated time is over, from 0 to 1, and how many requests were made. */
  readonly onProgress?: (share: number, requests: number) => void;
  readonly onSent?: (sent: SentRequest) => void;
  /** Given the database when the traffic is over, before it is closed. */
  readonly onEnd?: (database: LabDatabase) => void | Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/** Runs one source in simulated time. */
export async function runSource(source: LabSource, options: LabRunOptions): Promise<RunReport> {
  const { seed, scale, physics = 'enforce', signal } = options;
  const { startMs, seconds } = source;
  const database = new LabDatabase(source.tables, { seed, startMs, physics });
  try {
    await database.createTables();
    const loaded = await source.load(database);
    const { meter, clock } = database;
    const nowMs = () => clock.nowMicros() / 1000;
    const moments = new Moments(startMs, nowMs);
    await database.begin();
    const sampler = new Sampler(database, moments);
    const timeline = new VirtualTimeline(database.runtime);
    const length = intervalSeconds(seconds);
    const step = Math.min(length, 60);
    let requests = 0;
    const tick = (second: number) => {
      timeline.schedule(second * 1000, () => {
        if (second % length === 0 || second === seconds) {
          meter.close();
          const inMinute = second % 60;
          sampler.sample(inMinute === 0 ? 60 : second === seconds && inMinute >= 5 ? inMinute : undefined);
        } else if (second % 60 === 0) sampler.keys();
        sampler.capacities();
        options.onProgress?.(Math.min(1, second / seconds), requests);
        const next = (Math.floor(second / step) + 1) * step;
        if (second < seconds) tick(Math.min(next, seconds));
        // Retries go on after the traffic, and so do consumers that lag behind.
        else if (timeline.waiting > 0) tick(next);
      });
    };
    tick(Math.min(step, seconds));
    const feed = await source.feed({ seed, startMs, scale, onLag: (pattern, ms) => meter.lag(pattern, ms) });
    await runWorkload({
      timeline,
      feed,
      seed,
      clients: source.clients,
      retry: source.retry,
      attempts: source.attempts,
      latencyMs: simulatedLatency,
      watch: watching(meter, source, moments),
      onCall: ({ pattern }) => meter.began(pattern),
      send: senderOf(database, options, () => requests++),
      ...(signal && { signal }),
    });
    signal?.throwIfAborted();
    await options.onEnd?.(database);
    return reportRun({ source, database, sampler, moments, loaded, intervalSeconds: length });
  } finally {
    await database.close();
  }
}

function senderOf(database: LabDatabase, { onSent }: LabRunOptions, count: () => void) {
  const { send, clock } = database;
  const plain = (request: Request, pattern: string) => {
    count();
    return send(request as unknown as LabRequest, pattern);
  };
  if (onSent === undefined) return plain;
  let number = 0;
  return (request: Request, pattern: string) => {
    const atMs = clock.nowMicros() / 1000;
    const base = { number: number++, atMs, pattern, request: request as unknown as LabRequest };
    return plain(request, pattern).then(
      (answer) => {
        onSent({ ...base, answer, error: undefined });
        return answer;
      },
      (error: Error) => {
        onSent({ ...base, answer: undefined, error });
        throw error;
      },
    );
  };
}

/** Collects what is worth telling while calls and refusals happen. */
function watching(meter: LabMeter, { times }: LabSource, moments: Moments): Watcher {
  meter.onThrottle = (arm, event) => moments.throttled(arm, event);
  meter.onFirstError = (pattern, { name, message }) =>
    moments.add('error', `${pattern} fails with ${name}: ${message}`);
  meter.onConflict = (pattern, { name }) =>
    moments.once(`conflict ${pattern}`, 'conflict', `${pattern} meets a transaction under way: ${name}.`);
  meter.onLag = (pattern, ms) => {
    if (ms >= lagWorthTelling)
      moments.once(`lag ${pattern}`, 'lag', `${pattern} falls ${count(ms / 1000)} seconds behind its table.`);
  };
  const left = new Map(times);
  const { watcher } = meter;
  if (left.size === 0) return watcher;
  return {
    ...watcher,
    ended(pattern, ...others) {
      watcher.ended!(pattern, ...others);
      const now = left.get(pattern);
      if (now === undefined) return;
      left.set(pattern, now - 1);
      if (now === 1) moments.add('done', `${pattern} is done: ${count(times.get(pattern)!)} calls.`);
    },
  };
}

const lagWorthTelling = 5_000;
