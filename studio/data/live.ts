import { batch, signal } from '@preact/signals';
import { control } from './api.ts';
import { region, send } from './connection.ts';

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

const pointsMax = 120;

/** What the physical model says of a table; `minutes` where there is no feed of seconds. */
export interface LivePhysics {
  readonly table: string;
  readonly mode: 'off' | 'shadow' | 'enforce';
  readonly refused: number;
  readonly minutes?: readonly MinuteLoad[];
}

interface MinuteLoad {
  readonly minute: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly refusedReads: number;
  readonly refusedWrites: number;
}

interface Rates {
  readonly now: number;
  readonly tables: readonly {
    readonly table: string;
    readonly seconds: readonly { readonly at: number }[];
  }[];
}

/**
 * One line of JSON a second from `GET /_stator/live`, until the signal or the server ends it. Answers false where the
 * server has no such feed.
 */
export async function readFeed(take: (line: unknown) => void, ending: AbortSignal): Promise<boolean> {
  const response = await send({ method: 'GET', path: '/_stator/live', signal: ending });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    return false;
  }
  for await (const line of linesOf(response.body)) {
    if (ending.aborted) return true;
    take(line);
  }
  return true;
}

/** Begins the lines anew with the seconds of the last minutes. Without a feed they stay as they are. */
export async function readLastSeconds(ending: AbortSignal): Promise<void> {
  const before = await lastSeconds(ending);
  if (ending.aborted) return;
  batch(() => {
    // What the model said of minutes is no beginning for a line of seconds.
    liveTables.value = new Map(
      [...liveTables.value].map(([name, table]) => [name, { ...table, points: [] }]),
    );
    latestMs = 0;
    for (const second of before) takeSecond(second);
  });
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
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
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

let latestMs = 0;

/** Takes a second of the feed: numbers by table, of those that had any. */
export function takeSecond(line: unknown): void {
  const { at, tables } = line as { at?: number; tables?: readonly Record<string, unknown>[] };
  if (!Array.isArray(tables)) return;
  // The last seconds and the feed overlap. A clock that was set back begins anew.
  if (at !== undefined && at <= latestMs && latestMs - at < pointsMax * 1_000) return;
  latestMs = at ?? latestMs;
  liveSource.value = 'feed';
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

/** Takes what the physical model knows of tables: modes, refusals, and without a feed the load by minute. */
export function takePhysics(physics: readonly LivePhysics[] | undefined): void {
  if (physics === undefined) {
    if (liveSource.value === 'model') liveSource.value = 'none';
    return;
  }
  const isFed = liveSource.value === 'feed';
  const next = new Map(liveTables.value);
  for (const { table, mode, refused, minutes } of physics) {
    const points = minutes === undefined || isFed ? (next.get(table)?.points ?? []) : minutesOf(minutes);
    next.set(table, { mode, refused, points });
  }
  const shadow = physics.reduce((sum, { mode, refused }) => sum + (mode === 'enforce' ? 0 : refused), 0);
  batch(() => {
    liveTables.value = next;
    if (isFed) liveTotals.value = { ...liveTotals.value, shadow };
    else {
      liveSource.value = 'model';
      liveTotals.value = { requestsPerSecond: undefined, throttledPerSecond: 0, shadow };
    }
  });
}

/** The last hour by minute, with zeros between, so that the line has a shape. */
function minutesOf(minutes: readonly MinuteLoad[]): LivePoint[] {
  const byMinute = new Map<number, LivePoint>();
  for (const { minute, readUnits, writeUnits, refusedReads, refusedWrites } of minutes) {
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
