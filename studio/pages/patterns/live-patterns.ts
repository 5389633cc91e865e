import { useEffect, useRef } from 'preact/hooks';
import type { ReportedPattern } from '../../../src/observe/patterns/report-patterns.ts';
import { control } from '../../data/api.ts';
import { serverClock } from '../../data/physics.ts';
import { type Polled, usePolled } from '../../data/polled.ts';

export interface PatternReport {
  readonly dropped: number;
  readonly patterns: readonly ReportedPattern[];
}

interface Look extends PatternReport {
  /** Requests of the last one to two minutes by pattern, where there are not two looks to compare yet. */
  readonly before: ReadonlyMap<string, number>;
  readonly beforeSeconds: number;
}

/** What a pattern did, all its operations together. */
export interface LivePattern {
  readonly requests: number;
  /** Requests a second of the last minute or so. */
  readonly perSecond: number | undefined;
  /** Units of one request. */
  readonly units: number;
  readonly p99: number | undefined;
  readonly failed: number;
}

const lookMs = 3_000;
/** Looks that are further apart than this make a rate; until then the minutes of the server do. */
const apartMs = 15_000;
/** Rates are about this long. */
const windowMs = 60_000;

/** The patterns of the last hour, asked for again and again, and the rate of each since the page was opened. */
export function usePatterns(table: string): {
  readonly polled: Polled<PatternReport>;
  readonly byName: ReadonlyMap<string, LivePattern>;
} {
  const looks = useRef<{ atMs: number; counts: ReadonlyMap<string, number> }[]>([]);
  const polled = usePolled(`patterns ${table}`, lookMs, async (signal): Promise<Look> => {
    const ask = (minutes: number) =>
      control<PatternReport>('GET', `patterns?minutes=${minutes}`, undefined, signal);
    if (looks.current.length > 0) return { ...(await ask(60)), before: new Map(), beforeSeconds: 0 };
    const [hour, recent, { nowMs }] = await Promise.all([ask(60), ask(2), serverClock(signal)]);
    const before = new Map(
      [...namedIn(recent)].map(([name, all]): [string, number] => [name, total(all, 'requests')]),
    );
    return { ...hour, before, beforeSeconds: 60 + (nowMs % 60_000) / 1_000 };
  });
  const sums = namedIn(polled.value);
  const recent = useRef<Look | undefined>(undefined);
  if (polled.value !== undefined && polled.value.beforeSeconds > 0) recent.current = polled.value;
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
            seconds < apartMs / 1_000
              ? recent.current && (recent.current.before.get(name) ?? 0) / recent.current.beforeSeconds
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

/** The patterns whose callers gave them a name, with all their operations. */
function namedIn(report: PatternReport | undefined): Map<string, ReportedPattern[]> {
  const found = new Map<string, ReportedPattern[]>();
  for (const one of report?.patterns ?? [])
    if (one.source === 'header' || one.source === 'app')
      found.set(one.name, [...(found.get(one.name) ?? []), one]);
  return found;
}

function total(all: readonly ReportedPattern[], name: 'requests' | 'readUnits' | 'writeUnits'): number {
  return all.reduce((sum, one) => sum + one[name], 0);
}
