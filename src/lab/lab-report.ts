/** What a scenario did, as plain data: what `--json` prints and all other reports are made from. */
export interface LabReport {
  readonly format: 'stator-lab-report/1';
  readonly scenario: string;
  readonly description: string;
  readonly seed: number;
  readonly scale: number;
  readonly runs: readonly RunReport[];
  /** The story of an included scenario, with the figures of these runs. */
  readonly story: readonly StoryRow[];
  readonly basis: string;
}

export interface StoryRow {
  readonly when: string;
  readonly what: string;
}

/** One variant of a scenario. Series have one figure for each interval. */
export interface RunReport {
  readonly name: string;
  readonly change: string;
  readonly startAt: string;
  readonly seconds: number;
  readonly intervalSeconds: number;
  readonly clients: number;
  readonly retry: string;
  readonly loaded: number;
  readonly totals: Totals;
  readonly patterns: readonly PatternReport[];
  readonly arms: readonly ArmReport[];
  readonly consumers: readonly ConsumerReport[];
  readonly moments: readonly Moment[];
  readonly verdicts: readonly VerdictReport[];
  readonly findings: readonly LabFinding[];
}

export interface Counts {
  readonly calls: number;
  readonly answered: number;
  readonly requests: number;
  readonly throttles: number;
  readonly retries: number;
  /** Calls that were given up because of throttling. */
  readonly gaveUp: number;
  readonly conditionFailed: number;
  readonly conflicts: number;
  readonly failed: number;
  /** Eventually consistent reads and reads of indexes that showed an older state. */
  readonly stale: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly cost: number;
}

export interface Totals extends Counts {
  /** Answered calls of writes and reads together, by the second of traffic. */
  readonly answeredPerSecond: number;
  /** Units of the table itself in the busiest interval against what it could give, all partitions together. */
  readonly busiestShare: number;
  readonly costPerMillionAnswered: number;
}

export interface PatternReport extends Counts {
  readonly pattern: string;
  readonly does: string;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly costPerMillion: number;
  /** Errors other than throttling and conditions, by name, with the first message. */
  readonly errors: readonly { readonly name: string; readonly count: number; readonly message: string }[];
  readonly series: {
    readonly calls: readonly number[];
    readonly answered: readonly number[];
    readonly throttles: readonly number[];
    readonly retries: readonly number[];
    readonly gaveUp: readonly number[];
    readonly failed: readonly number[];
    readonly conflicts: readonly number[];
    readonly p99Ms: readonly number[];
    readonly cost: readonly number[];
  };
}

/** A table, or one of its indexes, as the place where capacity is consumed. */
export interface ArmReport {
  readonly arm: string;
  readonly mode: 'on-demand' | 'provisioned';
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly throttles: number;
  readonly cost: number;
  readonly partitionsBefore: number;
  readonly partitions: number;
  readonly series: {
    /** Units a second. */
    readonly read: readonly number[];
    readonly write: readonly number[];
    readonly throttles: readonly number[];
    /** Units a second that are provisioned, or could be had with keys spread evenly. */
    readonly readCapacity: readonly number[];
    readonly writeCapacity: readonly number[];
    readonly cost: readonly number[];
  };
  readonly heat: readonly HeatRow[];
  readonly hotKeys: readonly HotKey[];
}

/** A partition at the end of the run: its range of the hash space and its load in each interval. */
export interface HeatRow {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  /** The interval in which it was cut off from the partition above it in the list; 0 for those from the start. */
  readonly since: number;
  /** Share of 3,000 reads or 1,000 writes a second, whichever is more; of the undivided partition before a cut. */
  readonly load: readonly number[];
  readonly throttles: readonly number[];
}

export interface HotKey {
  readonly key: string;
  /** Units a second in its busiest minute, refused ones included. */
  readonly read: number;
  readonly write: number;
  readonly refused: number;
}

/** A consumer of a stream: how far it is behind its table. */
export interface ConsumerReport {
  readonly pattern: string;
  readonly calls: number;
  readonly p50LagMs: number;
  readonly p99LagMs: number;
  readonly maxLagMs: number;
  /** The largest lag of each interval, in milliseconds. */
  readonly lagMs: readonly number[];
}

export interface Moment {
  readonly second: number;
  readonly at: string;
  readonly kind: 'throttling' | 'quiet' | 'partition' | 'error' | 'capacity' | 'conflict' | 'lag' | 'done';
  readonly text: string;
}

export interface VerdictReport {
  readonly arm: string;
  readonly kind: 'read' | 'write';
  readonly cause: string;
  readonly key: string | undefined;
  readonly refused: number;
  readonly text: string;
}

export interface LabFinding {
  readonly severity: 'error' | 'warning' | 'note';
  readonly rule: string;
  readonly message: string;
  readonly fix?: string | undefined;
}
