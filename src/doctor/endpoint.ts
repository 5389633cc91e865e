import type { ServerReport } from '../engine/capacity/physics-report.ts';
import type { Slices } from '../model/slices.ts';
import type { PatternReport } from '../observe/patterns/report-patterns.ts';
import type { ReportedSignal } from '../observe/signals/signal-store.ts';

export type ServiceName = 'dynamodb' | 'cloudwatch' | 'autoscaling';

/** What a Stator tells beyond the public API. A part that it cannot tell is undefined. */
export interface StatorView {
  nowMs(): Promise<number>;
  /** Differs when metrics have come or gone; undefined where other processes may have some of their own. */
  seriesMark(): string | undefined;
  /**
   * Tells of a table how much has ever been counted about it, but for the doctor's own requests: as long as the text is the
   * same, nobody has used the table. Undefined where others may use it unseen.
   */
  activity(): ((table: string) => string) | undefined;
  /** Differs when the settings of a table have been changed. */
  settingsMark(table: string): Promise<string | undefined>;
  /** The access patterns of some tables. */
  patterns(minutes: number, tables: ReadonlySet<string>): Promise<PatternReport | undefined>;
  physics(): Promise<ServerReport | undefined>;
  /** Refusals by key, and habits of callers. */
  signals(minutes: number): Promise<readonly ReportedSignal[] | undefined>;
  followers(): Promise<readonly Follower[] | undefined>;
  insights(table: string, minutes: number): Promise<TableInsights | undefined>;
}

export interface Follower {
  readonly region: string;
  readonly account: string;
  readonly table: string;
  readonly name: string;
  readonly recordsBehind: number;
  readonly behindMs: number;
  readonly kinesis?: { readonly streamArn: string; readonly trouble?: string };
}

/** The ranked keys of a table and its indexes, as far as Contributor Insights are on. */
export interface TableInsights {
  readonly resources: readonly {
    readonly index: string | null;
    readonly rules: readonly {
      readonly kind: string;
      readonly total: number;
      readonly contributors: readonly { readonly keys: readonly string[]; readonly value: number }[];
    }[];
  }[];
  /** The keys that the physical model sees as busy, with their units of the last minute; a Stator only. */
  readonly busyKeys?: readonly {
    readonly index: string | null;
    readonly key: string | null;
    readonly readUnits: number;
    readonly writeUnits: number;
  }[];
}

/** What the doctor examines: a Stator, or AWS. */
export interface Endpoint {
  /** How commands reach it: empty for AWS itself, else `--endpoint-url http://…`. */
  readonly flags: string;
  /** The flags of our own commands, such as `--endpoint http://…`. */
  readonly ownFlags: string;
  readonly region: string;
  /** Set where the endpoint is a Stator. */
  readonly stator?: StatorView;
  /** Set where the doctor works in a process that answers requests. */
  readonly slices?: Slices;
  /** Calls an operation. Rejects with an error whose `name` is the exception's. */
  call(service: ServiceName, operation: string, input: object): Promise<unknown>;
}

/** The name under which the doctor's own requests are counted. */
export const ownPattern = 'stator doctor';
