import { Connection } from './connection.ts';
import { processorSeconds } from './process-figures.ts';

/** What a stretch of requests came to. */
export interface Load {
  readonly operations: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** A hash of every item as read, without its version; only after `check`. */
  readonly hash: string;
  /** The shares of one core that were used: where the load generator's is near 1, the server was not the limit. */
  readonly loadCpu: number;
  readonly serverCpu: number | null;
  /** How long the load generator itself once did nothing, in milliseconds; only where it keeps a pace. */
  readonly ownPause: number;
}

/** Requests by turn, and what is to be done with their answers. */
export interface Turns {
  /** What becomes of the turn that would come next. */
  verdict(turn: number, now: number): Verdict;
  request(turn: number): Buffer;
  onAnswer(turn: number, status: number, body: Buffer): void;
}

export type Verdict = 'stop' | 'unmeasured' | 'measured';

export interface Target {
  readonly port: number;
  /** The server's process. */
  readonly pid: number;
  readonly connections: number;
}

/** Sends requests on all connections, one at a time on each, until it is told to stop. */
export async function runLap(
  { port, pid, connections: count }: Target,
  turns: Turns,
  secondsMax: number,
): Promise<Load & { readonly turns: number }> {
  const figures = new Figures(pid);
  let turn = 0;
  await withConnections(port, count, secondsMax, (connection) => {
    return new Promise<void>((resolve, reject) => {
      let current = 0;
      let sentAt = 0;
      let verdict: Verdict;
      const next = (now: number) => {
        current = turn;
        verdict = turns.verdict(current, now);
        if (verdict === 'stop') return resolve();
        turn++;
        if (verdict === 'measured') figures.begin(now);
        sentAt = now;
        connection.send(turns.request(current));
      };
      connection.listen((status, body) => {
        const now = performance.now();
        if (verdict === 'measured') figures.add(now - sentAt, now);
        turns.onAnswer(current, status, body);
        next(now);
      }, reject);
      next(performance.now());
    });
  });
  return { ...figures.load(), turns: turn };
}

/** Opens connections, lets each do its work, and closes them whatever happens. */
export async function withConnections(
  port: number,
  count: number,
  secondsMax: number,
  work: (connection: Connection, at: number) => Promise<void>,
): Promise<void> {
  const connections = await Promise.all(Array.from({ length: count }, () => Connection.open(port)));
  let deadline: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error(`The server did not answer within ${secondsMax} s`));
    deadline = setTimeout(fail, secondsMax * 1_000);
  });
  try {
    await Promise.race([Promise.all(connections.map(work)), late]);
  } finally {
    clearTimeout(deadline);
    for (const connection of connections) connection.close();
  }
}

/** Collects how long requests took, and what they cost the two processes. */
export class Figures {
  readonly #pid: number;
  readonly #latencies: number[] = [];
  #first: number | undefined;
  #last = 0;
  #before: Used | undefined;

  constructor(pid: number) {
    this.#pid = pid;
  }

  /** Called with the time of every measured request; the first begins the measurement. */
  begin(now: number): void {
    if (this.#first !== undefined) return;
    this.#first = now;
    this.#before = used(this.#pid);
  }

  add(latencyMs: number, now: number): void {
    this.#latencies.push(latencyMs);
    this.#last = now;
  }

  load(): Load {
    const after = used(this.#pid);
    const sorted = Float64Array.from(this.#latencies).sort();
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    const seconds = (this.#last - (this.#first ?? 0)) / 1_000;
    return {
      operations: sorted.length,
      seconds,
      p50: at(0.5),
      p99: at(0.99),
      max: at(1),
      hash: '',
      loadCpu: (after.load - (this.#before?.load ?? 0)) / seconds,
      serverCpu:
        after.server === undefined || this.#before?.server === undefined
          ? null
          : (after.server - this.#before.server) / seconds,
      ownPause: 0,
    };
  }
}

/** Seconds of processor time. */
interface Used {
  readonly load: number;
  readonly server: number | undefined;
}

function used(pid: number): Used {
  const { user, system } = process.cpuUsage();
  return { load: (user + system) / 1e6, server: processorSeconds(pid) };
}
