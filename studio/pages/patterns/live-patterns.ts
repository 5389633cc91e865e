import { useEffect, useRef } from 'preact/hooks';
import type { ReportedPattern } from '../../../src/observe/patterns/report-patterns.ts';
import { control } from '../../data/api.ts';
import { type Polled, usePolled } from '../../data/polled.ts';

export interface PatternReport {
  readonly dropped: number;
  readonly patterns: readonly ReportedPattern[];
}

/** What a pattern did, all its operations together. */
export interface LivePattern {
  readonly requests: number;
  /** Requests a second while this page was open; undefined until two looks are far enough apart. */
  readonly perSecond: number | undefined;
  /** Units of one request. */
  readonly units: number;
  readonly p99: number | undefined;
  readonly failed: number;
}

const lookMs = 3_000;
/** Rates are about this long. */
const windowMs = 60_000;

/** The patterns of the last hour, asked for again and again, and the rate of each since the page was opened. */
export function usePatterns(table: string): {
  readonly polled: Polled<PatternReport>;
  readonly byName: ReadonlyMap<string, LivePattern>;
} {
  const polled = usePolled(`patterns ${table}`, lookMs, (signal) =>
    control<PatternReport>('GET', 'patterns?minutes=60', undefined, signal),
  );
  const looks = useRef<{ atMs: number; counts: ReadonlyMap<string, number> }[]>([]);
  const sums = new Map<string, ReportedPattern[]>();
  for (const one of polled.value?.patterns ?? [])
    if (one.source === 'header' || one.source === 'app')
      sums.set(one.name, [...(sums.get(one.name) ?? []), one]);
  useEffect(() => {
    if (polled.value === undefined) return;
    const counts = new Map([...sums].map(([name, all]) => [name, total(all, 'requests')]));
    const now = performance.now();
    looks.current = [...looks.current.filter(({ atMs }) => now - atMs < windowMs), { atMs: now, counts }];
  }, [polled.value]);
  const [first] = looks.current;
  const seconds = first === undefined ? 0 : (performance.now() - first.atMs) / 1_000;
  const byName = new Map(
    [...sums].map(([name, all]): [string, LivePattern] => {
      const requests = total(all, 'requests');
      const p99s = all.flatMap(({ latencyMs }) => latencyMs?.p99 ?? []);
      return [
        name,
        {
          requests,
          perSecond:
            seconds < lookMs / 1_000
              ? undefined
              : Math.max(0, requests - (first!.counts.get(name) ?? 0)) / seconds,
          units: (total(all, 'readUnits') + total(all, 'writeUnits')) / Math.max(1, requests),
          p99: p99s.length === 0 ? undefined : Math.max(...p99s),
          failed: all.reduce(
            (sum, { errors }) => sum + Object.values(errors).reduce((more, each) => more + each, 0),
            0,
          ),
        },
      ];
    }),
  );
  return { polled, byName };
}

function total(all: readonly ReportedPattern[], name: 'requests' | 'readUnits' | 'writeUnits'): number {
  return all.reduce((sum, one) => sum + one[name], 0);
}
