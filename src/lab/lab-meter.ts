import type { Capacity } from '../engine/capacity/capacity.ts';
import type { Observer, RequestEvent, ThrottleEvent } from '../engine/events.ts';
import { entryPrefixBytes } from '../engine/store-keys.ts';
import { hashBytes } from '../model/keys/keys.ts';
import { placeOf } from '../physics/place.ts';
import type { Ending, Watcher } from '../workload/runner.ts';
import { ArmRecord } from './arm-record.ts';
import { LatencyCounts } from './latency-counts.ts';
import { PatternRecord } from './pattern-record.ts';

const hashAt = entryPrefixBytes;
const sortAt = entryPrefixBytes + hashBytes;

type Table = RequestEvent['charges'][number]['table'];

/**
 * Counts everything that a report shows, by interval of simulated time: what happens to calls, as their watcher, and what
 * is charged and refused, as the database's observer.
 */
export class LabMeter implements Observer {
  readonly patterns = new Map<string, PatternRecord>();
  readonly arms = new Map<string, ArmRecord>();
  readonly lags = new Map<
    string,
    { readonly all: LatencyCounts; readonly series: number[]; worst: number }
  >();
  #capacity: Capacity | undefined;
  #interval = 0;
  onFirstError: ((pattern: string, error: Error) => void) | undefined;
  onConflict: ((pattern: string, error: Error) => void) | undefined;
  onLag: ((pattern: string, ms: number) => void) | undefined;
  onThrottle: ((arm: string, event: ThrottleEvent) => void) | undefined;

  /** Counting begins: what was loaded before is no traffic. */
  start(capacity: Capacity): void {
    this.#capacity = capacity;
  }

  request({ charges, isStale, pattern = '' }: RequestEvent): void {
    const capacity = this.#capacity;
    if (capacity === undefined) return;
    const own = this.#patternOf(pattern);
    if (isStale) own.stale++;
    for (let i = 0; i < charges.length; i++) {
      const { table, access, consumed } = charges[i]!;
      const { first, last, indexes } = consumed;
      if (consumed.table > 0) {
        const arm = this.armOf(table, undefined);
        own.spend(arm.name, access, consumed.table);
        this.#spend(arm, table, undefined, access, consumed.table, first ?? indexes[0]?.first, last);
      }
      for (let at = 0; at < indexes.length; at++) {
        const index = indexes[at]!;
        const isLocal = index.kind === 'local';
        const arm = this.armOf(table, isLocal ? undefined : index.name);
        own.spend(arm.name, access, index.units);
        this.#spend(
          arm,
          table,
          isLocal ? undefined : index.name,
          access,
          index.units,
          index.last,
          index.first,
        );
      }
    }
  }

  throttled(event: ThrottleEvent): void {
    if (this.#capacity === undefined) return;
    const { table, index, verdict } = event;
    const arm = this.armOf(table, index?.schema.name);
    arm.throttle(verdict.partitionId);
    this.onThrottle?.(arm.name, event);
  }

  armOf(table: Table, index: string | undefined): ArmRecord {
    const { tableName } = table.record.description;
    const name = index === undefined ? tableName : `${tableName}/${index}`;
    const known = this.arms.get(name);
    if (known !== undefined) return known;
    const fresh = new ArmRecord(name, this.#interval);
    this.arms.set(name, fresh);
    return fresh;
  }

  /** A page counts where it began: where it ended matters to few pictures. */
  #spend(
    arm: ArmRecord,
    table: Table,
    index: string | undefined,
    access: 'read' | 'write',
    units: number,
    key: Uint8Array | undefined,
    other: Uint8Array | undefined,
  ): void {
    const at = key ?? other;
    const map = at && this.#capacity!.mapOf(table, index);
    const partition = map === undefined ? 0 : map.idAt(map.find(placeOf(at!, hashAt), at!, sortAt));
    arm.spend(partition, access, units);
  }

  began(pattern: string): void {
    this.#patternOf(pattern).began();
  }

  /** What the runner tells of calls. */
  readonly watcher: Watcher = {
    sent: (pattern) => this.#patternOf(pattern).sent(),
    throttled: (pattern, isRetried) => this.#patternOf(pattern).throttled(isRetried),
    ended: (pattern, ending, tookMs, error) => this.#ended(pattern, ending, tookMs, error),
  };

  #ended(pattern: string, ending: Ending, tookMs: number, error: Error | undefined): void {
    const record = this.#patternOf(pattern);
    record.ended(ending, tookMs);
    if (ending === 'conflict') this.onConflict?.(pattern, error!);
    if (ending === 'failed' && record.noteError(error!)) this.onFirstError?.(pattern, error!);
  }

  lag(pattern: string, ms: number): void {
    let known = this.lags.get(pattern);
    if (known === undefined) {
      known = { all: new LatencyCounts(), series: new Array<number>(this.#interval).fill(0), worst: 0 };
      this.lags.set(pattern, known);
    }
    known.all.add(ms);
    known.worst = Math.max(known.worst, ms);
    this.onLag?.(pattern, ms);
  }

  /** Ends an interval. */
  close(): void {
    this.#interval++;
    for (const record of this.patterns.values()) record.close();
    for (const arm of this.arms.values()) arm.close();
    for (const lag of this.lags.values()) {
      lag.series.push(lag.worst);
      lag.worst = 0;
    }
  }

  #patternOf(name: string): PatternRecord {
    const known = this.patterns.get(name);
    if (known !== undefined) return known;
    const fresh = new PatternRecord(name, this.#interval);
    this.patterns.set(name, fresh);
    return fresh;
  }
}
