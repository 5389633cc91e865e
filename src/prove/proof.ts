import type { RetryMode } from '../kit/sdk-policies.ts';

/** What a proof found out. Plain data: what `--json` prints and all reports are made from. */
export interface Proof {
  readonly format: 'stator-proof/1';
  readonly model: string;
  readonly seed: number;
  readonly startedAt: string;
  readonly passed: boolean;
  readonly findings: readonly ProofFinding[];
  readonly sample: readonly {
    readonly entity: string;
    readonly declared: number;
    readonly present: number;
  }[];
  readonly patterns: readonly PatternProof[];
  readonly peak: PeakProof | undefined;
  /** Dollars a month at the mean rates, of all patterns together, without storage. */
  readonly monthly: { readonly onDemand: number; readonly provisioned: number };
  readonly basis: string;
}

export interface ProofFinding {
  /** `error` fails the proof. */
  readonly severity: 'error' | 'warning' | 'note';
  readonly rule: string;
  readonly pattern?: string | undefined;
  readonly message: string;
  readonly fix?: string | undefined;
  /** The name that AWS's design toolkit has for it. */
  readonly awsSignal?: string | undefined;
}

export interface PatternProof {
  readonly pattern: string;
  readonly kind: 'read' | 'write';
  readonly description: string;
  readonly plan: string;
  readonly calls: number;
  /** Calls whose answer was compared with a filter over all instances, and how many agreed. */
  readonly compared: number;
  readonly agreed: number;
  readonly requestsPerCall: number;
  readonly roundTripsPerCall: number;
  readonly itemsPerCall: number;
  readonly pages: number;
  readonly units: UnitsProof;
  /** Calls a second: what the model declares. */
  readonly rate: { readonly peak: number; readonly mean: number };
  readonly monthly: { readonly onDemand: number; readonly provisioned: number };
}

/** Units of one call, on average. */
export interface UnitsProof {
  readonly read: number;
  readonly write: number;
  /** What the instances let expect, exactly; absent for plans with a filter. */
  readonly expected?: { readonly read: number; readonly write: number } | undefined;
  /** Calls whose charge differed from what their items let expect. */
  readonly differing: number;
  /** What the declared distributions let expect, without the instances. */
  readonly forecast: { readonly read: number; readonly write: number };
  /** By table and index. */
  readonly arms: readonly { readonly arm: string; readonly read: number; readonly write: number }[];
}

export interface PeakProof {
  readonly seconds: number;
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly throttles: number;
  readonly patterns: readonly PeakPattern[];
  readonly timeline: readonly PeakSecond[];
  readonly arms: readonly PeakArm[];
  readonly verdicts: readonly {
    readonly text: string;
    readonly refused: number;
    readonly key: string | undefined;
  }[];
}

export interface PeakPattern {
  readonly pattern: string;
  readonly calls: number;
  /** Calls that were due, and found no instance in the state that they need. */
  readonly idle: number;
  readonly answered: number;
  readonly throttledCalls: number;
  readonly throttles: number;
  readonly conditionFailed: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface PeakSecond {
  readonly second: number;
  readonly requests: number;
  readonly throttles: number;
  readonly read: number;
  readonly write: number;
}

export interface PeakArm {
  readonly arm: string;
  readonly partitions: number;
  readonly read: number;
  readonly write: number;
  /** The keys that callers ask for most, with units a second, retries not counted. */
  readonly hotKeys: readonly { readonly key: string; readonly read: number; readonly write: number }[];
}

export interface ProveOptions {
  readonly seed?: number;
  /** Calls of each pattern through the SDK. */
  readonly calls?: number;
  /** Instances of the sample. */
  readonly instances?: number;
  /** Seconds of the peak; 0 leaves it out. */
  readonly seconds?: number;
  /** Multiplies the declared peak rates. */
  readonly load?: number;
  readonly retry?: RetryMode;
  readonly clients?: number;
  readonly startMs?: number;
  readonly onProgress?: (text: string) => void;
  readonly signal?: AbortSignal;
}
