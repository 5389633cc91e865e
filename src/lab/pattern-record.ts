import type { Ending } from '../workload/runner.ts';
import { LatencyCounts } from './latency-counts.ts';

const figures = ['calls', 'answered', 'throttles', 'retries', 'gaveUp', 'failed', 'conflicts'] as const;
type Figure = (typeof figures)[number];

/** What happened to the calls of one pattern, by interval. */
export class PatternRecord {
  readonly name: string;
  requests = 0;
  conditionFailed = 0;
  stale = 0;
  readonly latencies = new LatencyCounts();
  /** Units by arm, in all and in each interval. */
  readonly units = new Map<string, { read: number; write: number; readonly series: [number, number][] }>();
  readonly errors = new Map<string, { count: number; readonly message: string }>();
  readonly series: Readonly<Record<Figure | 'p99Ms', number[]>>;
  readonly #now: Record<Figure, number> = {
    calls: 0,
    answered: 0,
    throttles: 0,
    retries: 0,
    gaveUp: 0,
    failed: 0,
    conflicts: 0,
  };
  readonly #interval = new LatencyCounts();
  readonly #unitsNow = new Map<string, [number, number]>();
  #intervals: number;

  constructor(name: string, intervalsBefore: number) {
    this.name = name;
    this.#intervals = intervalsBefore;
    const empty = () => new Array<number>(intervalsBefore).fill(0);
    this.series = {
      calls: empty(),
      answered: empty(),
      throttles: empty(),
      retries: empty(),
      gaveUp: empty(),
      failed: empty(),
      conflicts: empty(),
      p99Ms: empty(),
    };
  }

  began(): void {
    this.#now.calls++;
  }

  sent(): void {
    this.requests++;
  }

  throttled(isRetried: boolean): void {
    this.#now.throttles++;
    if (isRetried) this.#now.retries++;
  }

  ended(ending: Ending, tookMs: number): void {
    this.#interval.add(tookMs);
    if (ending === 'answered') this.#now.answered++;
    else if (ending === 'gaveUp') this.#now.gaveUp++;
    else if (ending === 'conflict') this.#now.conflicts++;
    else if (ending === 'conditionFailed') this.conditionFailed++;
    else this.#now.failed++;
  }

  /** Whether the error is the first of its name. */
  noteError({ name, message }: Error): boolean {
    const known = this.errors.get(name);
    if (known === undefined) this.errors.set(name, { count: 1, message });
    else known.count++;
    return known === undefined;
  }

  spend(arm: string, access: 'read' | 'write', units: number): void {
    let known = this.#unitsNow.get(arm);
    if (known === undefined) {
      known = [0, 0];
      this.#unitsNow.set(arm, known);
      this.units.set(arm, {
        read: 0,
        write: 0,
        series: Array.from({ length: this.#intervals }, () => [0, 0]),
      });
    }
    known[access === 'read' ? 0 : 1] += units;
  }

  close(): void {
    this.#intervals++;
    for (const figure of figures) {
      this.series[figure].push(this.#now[figure]);
      this.#now[figure] = 0;
    }
    this.series.p99Ms.push(this.#interval.percentile(0.99));
    this.latencies.join(this.#interval);
    this.#interval.clear();
    for (const [arm, now] of this.#unitsNow) {
      const all = this.units.get(arm)!;
      all.read += now[0];
      all.write += now[1];
      all.series.push([now[0], now[1]]);
      now[0] = 0;
      now[1] = 0;
    }
  }

  total(figure: Figure): number {
    return this.series[figure].reduce((sum, one) => sum + one, 0);
  }
}
