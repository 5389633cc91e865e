import { batch, effect, signal } from '@preact/signals';
import { control, ServiceError } from './api.ts';
import { epoch, needsCredentials, region, send, serverState } from './connection.ts';

/** What a table did in one second, or at this moment where only minutes are known. */
export interface LivePoint {
  readonly atMs: number;
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Requests that were refused, or that AWS would have refused. */
  readonly throttled: number;
}

export interface LiveTable {
  /** Oldest first, at most a few minutes. */
  readonly points: readonly LivePoint[];
  /** Refusals of the last hour, acted out or in shadow. */
  readonly refused: number;
  readonly mode: 'off' | 'shadow' | 'enforce' | undefined;
}

export interface LiveTotals {
  readonly requestsPerSecond: number | undefined;
  readonly throttledPerSecond: number;
  readonly shadow: number;
}

/** By the name of the table. Empty where the server tells nothing. */
export const liveTables = signal<ReadonlyMap<string, LiveTable>>(new Map());
export const liveTotals = signal<LiveTotals>({
  requestsPerSecond: undefined,
  throttledPerSecond: 0,
  shadow: 0,
});
/** Where the numbers come from: the feed of seconds, the physical model asked now and then, or nowhere. */
export const liveSource = signal<'feed' | 'model' | 'none'>('none');

/** Whether seconds are arriving; the model is then asked for nothing but verdicts. */
let isFed = false;

const pointsMax = 120;
const pollMs = 2_000;

interface PhysicsReport {
  readonly mode: 'off' | 'shadow' | 'enforce';
  readonly tables: readonly {
    readonly table: string;
    readonly region: string;
    readonly mode: 'off' | 'shadow' | 'enforce';
    readonly refused: number;
  }[];
}

interface Rates {
  readonly now: number;
  readonly tables: readonly {
    readonly table: string;
    readonly seconds: readonly { readonly at: number }[];
  }[];
}

interface TablePhysics {
  readonly resources: readonly {
    readonly lastHour: readonly {
      readonly minute: number;
      readonly readUnits: number;
      readonly writeUnits: number;
      readonly refusedReads: number;
      readonly refusedWrites: number;
    }[];
  }[];
}

/** Keeps the live numbers current until the page closes. */
export function watchLive(): void {
  let running = new AbortController();
  effect(() => {
    void epoch.value;
    running.abort();
    running = new AbortController();
    if (needsCredentials.value || serverState.value !== 'up') return;
    void follow(running.signal);
  });
}

/** Never rejects: a feed that ends, for whatever reason, is asked for again. */
async function follow(signal: AbortSignal): Promise<void> {
  void keepAsking(signal);
  while (!signal.aborted) {
    const hasFeed = await readFeed(signal).catch(() => true);
    isFed = false;
    if (!hasFeed) return;
    await pause(pollMs, signal);
  }
}

/** The model knows what the feed does not: modes, and what would have been refused in the last hour. Never rejects. */
async function keepAsking(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pollModel(signal).catch(() => {});
    await pause(isFed ? 2 * pollMs : pollMs, signal);
  }
}

/** One line of JSON a second from `GET /_stator/live`. Answers false where the server has no such feed. */
async function readFeed(signal: AbortSignal): Promise<boolean> {
  const before = await lastSeconds(signal).catch(() => []);
  const response = await send({ method: 'GET', path: '/_stator/live', signal });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    return false;
  }
  liveSource.value = 'feed';
  isFed = true;
  // What the model said of minutes is no beginning for a line of seconds.
  liveTables.value = new Map([...liveTables.value].map(([name, table]) => [name, { ...table, points: [] }]));
  batch(() => {
    for (const second of before) takeSecond(second);
  });
  for await (const line of linesOf(response.body)) {
    if (signal.aborted) return true;
    takeSecond(line);
  }
  return true;
}

/** The seconds before the feed begins, as lines of it. */
async function lastSeconds(signal: AbortSignal): Promise<object[]> {
  const path = `series?seconds=${pointsMax}`;
  const { now, tables } = await control<Rates>('GET', path, undefined, signal);
  return Array.from({ length: pointsMax - 1 }, (_, i) => {
    const at = now - (pointsMax - 1 - i) * 1_000;
    const busy = tables.flatMap(({ seconds, ...table }) =>
      seconds.filter((one) => one.at === at).map((one) => ({ ...table, ...one })),
    );
    return { at, tables: busy };
  });
}

/** The lines of a streamed answer, each parsed. The stream is read no faster than the lines are used. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as never)
    .getReader() as ReadableStreamDefaultReader<string>;
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += value;
      let end = rest.indexOf('\n');
      while (end >= 0) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 1);
        if (line.trim() !== '') yield JSON.parse(line);
        end = rest.indexOf('\n');
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** A second of the feed: numbers by table, of those that had any. */
function takeSecond(line: unknown): void {
  const { at, tables } = line as { at?: number; tables?: readonly Record<string, unknown>[] };
  if (!Array.isArray(tables)) return;
  const next = new Map(liveTables.value);
  let [requests, throttled] = [0, 0];
  const seen = new Set<string>();
  for (const one of tables) {
    const name = String(one.table ?? '');
    if (name === '' || one.region !== region.value) continue;
    seen.add(name);
    const refused = figure(one.throttles) + figure(one.shadowThrottles);
    const point: LivePoint = {
      atMs: at ?? Date.now(),
      requests: figure(one.requests),
      readUnits: figure(one.readUnits),
      writeUnits: figure(one.writeUnits),
      throttled: refused,
    };
    requests += point.requests;
    throttled += figure(one.throttles);
    next.set(name, withPoint(next.get(name), point));
  }
  for (const [name, table] of next) if (!seen.has(name)) next.set(name, withPoint(table, zeroAt(at)));
  liveTables.value = next;
  liveTotals.value = { ...liveTotals.value, requestsPerSecond: requests, throttledPerSecond: throttled };
}

function withPoint(before: LiveTable | undefined, point: LivePoint): LiveTable {
  return {
    mode: before?.mode,
    refused: before?.refused ?? 0,
    points: [...(before?.points ?? []), point].slice(-pointsMax),
  };
}

function zeroAt(atMs = Date.now()): LivePoint {
  return { atMs, requests: 0, readUnits: 0, writeUnits: 0, throttled: 0 };
}

function figure(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** Without a feed: the minutes of the physical model, asked for every few seconds. */
async function pollModel(signal: AbortSignal): Promise<void> {
  if (document.hidden) return;
  try {
    const report = await control<PhysicsReport>('GET', 'physics', undefined, signal);
    const ours = report.tables.filter((one) => one.region === region.value).slice(0, 50);
    const shadow = ours.reduce((sum, { mode, refused }) => sum + (mode === 'enforce' ? 0 : refused), 0);
    // Refusals are shown at once, whether the feed of seconds begins meanwhile or not.
    const known = new Map(liveTables.value);
    for (const { table, mode, refused } of ours)
      known.set(table, { mode, refused, points: known.get(table)?.points ?? [] });
    liveTables.value = known;
    liveTotals.value = { ...liveTotals.value, shadow };
    if (isFed) return;
    liveSource.value = 'model';
    const next = new Map<string, LiveTable>();
    for (const { table, mode, refused } of ours) {
      const path = `physics/${encodeURIComponent(table)}?region=${encodeURIComponent(region.value)}`;
      const one = await control<TablePhysics>('GET', path, undefined, signal);
      if (isFed) return;
      next.set(table, { mode, refused, points: minutesOf(one) });
    }
    liveTables.value = next;
    liveTotals.value = { requestsPerSecond: undefined, throttledPerSecond: 0, shadow };
  } catch (error) {
    // Several workers, or no right to ask: the studio does without.
    if (!(error instanceof ServiceError)) throw error;
    if (!isFed) liveSource.value = 'none';
  }
}

/** The last hour by minute, with zeros between, so that the line has a shape. */
function minutesOf({ resources }: TablePhysics): LivePoint[] {
  const byMinute = new Map<number, LivePoint>();
  for (const { lastHour } of resources)
    for (const { minute, readUnits, writeUnits, refusedReads, refusedWrites } of lastHour) {
      const before = byMinute.get(minute) ?? zeroAt(minute * 60_000);
      byMinute.set(minute, {
        ...before,
        readUnits: before.readUnits + readUnits / 60,
        writeUnits: before.writeUnits + writeUnits / 60,
        throttled: before.throttled + refusedReads + refusedWrites,
      });
    }
  if (byMinute.size === 0) return [];
  const last = Math.max(...byMinute.keys());
  return Array.from({ length: 60 }, (_, i) => {
    const minute = last - 59 + i;
    return byMinute.get(minute) ?? zeroAt(minute * 60_000);
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
