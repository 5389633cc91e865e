import { control } from '../../data/api.ts';
import { region } from '../../data/connection.ts';
import type { Recovery } from '../../data/past.ts';
import { usePolled } from '../../data/polled.ts';
import { readSeries } from '../../data/series.ts';

const columns = 120;

/** The window of recovery as a line of time, with the writes of each stretch above it, and a handle to move. */
export function Timeline({
  table,
  recovery: { fromMs, toMs },
  atMs,
  onMove,
}: {
  readonly table: string;
  readonly recovery: Recovery;
  readonly atMs: number;
  readonly onMove: (atMs: number) => void;
}) {
  const spanMs = Math.max(1_000, toMs - fromMs);
  const step = Math.max(1, Math.ceil(spanMs / 60_000 / columns));
  // The line moves on with the clock; the series need not be asked for at every second.
  const minute = Math.floor(fromMs / 60_000);
  // Of the last minutes the seconds are known too.
  const isShort = spanMs <= 300_000;
  const seconds = usePolled(`seconds ${table} ${isShort}`, 2_000, async (signal) =>
    isShort ? readSeconds(table, signal) : undefined,
  );
  const polled = usePolled(`writes ${table} ${minute} ${step}`, 15_000, (signal) =>
    readSeries(
      { table, metric: 'ConsumedWriteCapacityUnits', from: String(minute * 60_000), step: String(step) },
      signal,
    ),
  );
  const points = new Map<number, number>(seconds.value);
  const stepMs = isShort ? 1_000 : step * 60_000;
  for (const one of polled.value?.series ?? [])
    if (!isShort && Object.keys(one.dimensions).every((name) => name === 'TableName'))
      for (const { at, sum } of one.points) points.set(at, (points.get(at) ?? 0) + sum);
  const most = Math.max(1, ...points.values());
  const place = (ms: number) => ((ms - fromMs) / spanMs) * 100;
  return (
    <div class="timeline">
      <svg viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
        {[...points].map(([at, sum]) => {
          const from = Math.max(0, place(at));
          const width = Math.max(0.3, Math.min(100, place(at + stepMs)) - from - 0.1);
          const height = Math.max(0.5, (sum / most) * 24);
          return from > 100 ? null : (
            <rect
              key={at}
              x={from}
              y={24 - height}
              width={width}
              height={height}
              class={at > atMs ? 'after' : ''}
            />
          );
        })}
      </svg>
      <input
        type="range"
        aria-label="Moment"
        aria-valuetext={timeText(atMs)}
        min={fromMs}
        max={toMs}
        step={1_000}
        value={atMs}
        onInput={(event) => onMove(Number(event.currentTarget.value))}
      />
      <div class="row small faint mono">
        <span>{timeText(fromMs)}</span>
        <span class="grow" />
        <span>{timeText(toMs)}</span>
      </div>
    </div>
  );
}

interface Seconds {
  readonly tables: readonly {
    readonly table: string;
    readonly region: string;
    readonly seconds: readonly { readonly at: number; readonly writeUnits?: number }[];
  }[];
}

async function readSeconds(table: string, signal: AbortSignal): Promise<[number, number][]> {
  const query = new URLSearchParams({ seconds: '300', table });
  const { tables } = await control<Seconds>('GET', `series?${query}`, undefined, signal);
  const own = tables.find((one) => one.region === region.value);
  return (own?.seconds ?? []).map(({ at, writeUnits = 0 }): [number, number] => [at, writeUnits]);
}

/** A second, in the time that logs and the API use. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
